package dev.loadgen.runner.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;

class LagsTest {
  private final Lags lags = new Lags();

  @Test
  void hasPercentilesExactToATwentieth() {
    for (int i = 1; i <= 1000; i++) {
      lags.add(i * 100_000L);
    }

    assertThat(lags.percentileMillis(50)).isCloseTo(50, withinPercentage(5.1));
    assertThat(lags.percentileMillis(99)).isCloseTo(99, withinPercentage(5.1));
    assertThat(lags.percentileMillis(100)).isEqualTo(100);
    assertThat(lags.maxMillis()).isEqualTo(100);
  }

  @Test
  void holdsTheShortestAndTheLongest() {
    lags.add(-5);
    lags.add(0);
    assertThat(lags.percentileMillis(99)).isZero();

    lags.add(Long.MAX_VALUE);
    assertThat(lags.maxMillis()).isEqualTo(Long.MAX_VALUE / 1e6);
    assertThat(lags.count()).isEqualTo(3);
  }

  @Test
  void isZeroOfNothing() {
    assertThat(lags.percentileMillis(99)).isZero();
    assertThat(lags.maxMillis()).isZero();
  }
}
