package dev.loadgen.runner.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BucketsTest {
  private static final double INF = Double.POSITIVE_INFINITY;
  private static final Buckets SOME =
      Buckets.of(Map.of(1.0, 10.0, 2.0, 30.0, 4.0, 38.0, INF, 40.0), 60);

  @Test
  void interpolatesWithinABucket() {
    assertThat(SOME.quantile(0.25)).isEqualTo(1);
    assertThat(SOME.quantile(0.5)).isEqualTo(1.5);
    assertThat(SOME.quantile(0.125)).isEqualTo(0.5);
    assertThat(SOME.quantile(0.9)).isEqualTo(3.5);
    assertThat(SOME.mean()).isEqualTo(1.5);
  }

  @Test
  void knowsNoMoreThanTheLastBound() {
    assertThat(SOME.quantile(0.99)).isEqualTo(4);
    assertThat(Buckets.of(Map.of(INF, 3.0), 9).quantile(0.5)).isZero();
  }

  @Test
  void isNoLargerThanTheMeanAllows() {
    Buckets fast = Buckets.of(Map.of(0.3, 200.0, 0.5, 200.0, INF, 200.0), 0.2);

    assertThat(fast.quantile(0.5)).isCloseTo(0.002, within(1e-9));
    assertThat(fast.quantile(0.99)).isCloseTo(0.1, within(1e-9));
    Buckets unknown = Buckets.of(Map.of(0.3, 200.0, INF, 200.0), Double.NaN);
    assertThat(unknown.quantile(0.5)).isCloseTo(0.15, within(1e-9));
    Buckets inconsistent = Buckets.of(Map.of(1.0, 0.0, 2.0, 4.0, INF, 4.0), 1);
    assertThat(inconsistent.quantile(0.5)).isEqualTo(1);
  }

  @Test
  void skipsEmptyBuckets() {
    Buckets late = Buckets.of(Map.of(0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 4.0, 8.0, INF, 8.0), 24);

    assertThat(late.quantile(0)).isEqualTo(2);
    assertThat(late.quantile(0.5)).isEqualTo(3);
  }

  @Test
  void hasNoQuantileOfNothing() {
    assertThat(Buckets.EMPTY.quantile(0.5)).isNaN();
  }

  @Test
  void takesTheDifference() {
    Buckets more = Buckets.of(Map.of(1.0, 10.0, 2.0, 32.0, 4.0, 42.0, INF, 44.0), 70);

    assertThat(more.since(SOME))
        .isEqualTo(Buckets.of(Map.of(1.0, 0.0, 2.0, 2.0, 4.0, 4.0, INF, 4.0), 10));
    assertThat(SOME.since(null)).isEqualTo(SOME);
  }

  @Test
  void beginsAnewWithTheServer() {
    assertThat(SOME.since(Buckets.of(Map.of(1.0, 50.0, 2.0, 50.0, 4.0, 50.0, INF, 50.0), 9)))
        .isEqualTo(SOME);
    assertThat(SOME.since(Buckets.of(Map.of(8.0, 1.0, INF, 1.0), 8))).isEqualTo(SOME);
  }

  @Test
  void addsUp() {
    assertThat(SOME.plus(SOME).quantile(0.5)).isEqualTo(1.5);
    assertThat(SOME.plus(SOME).count()).isEqualTo(80);
    Buckets coarse = Buckets.of(Map.of(2.0, 5.0, INF, 6.0), 12);
    assertThat(SOME.plus(coarse))
        .isEqualTo(Buckets.of(Map.of(1.0, 10.0, 2.0, 35.0, 4.0, 43.0, INF, 46.0), 72));
  }
}
