package dev.loadgen.runner.debug;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.runner.debug.Distribution.Bin;
import java.util.Objects;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class DistributionTest {
  @Test
  void describesValues() {
    Distribution hundred =
        Objects.requireNonNull(
            Distribution.of(DoubleStream.iterate(100, value -> value - 1).limit(100).toArray()));

    assertThat(hundred.count()).isEqualTo(100);
    assertThat(hundred.mean()).isEqualTo(50.5);
    assertThat(hundred.standardDeviation()).isEqualTo(28.8661);
    assertThat(hundred.min()).isEqualTo(1);
    assertThat(hundred.p50()).isEqualTo(50);
    assertThat(hundred.p90()).isEqualTo(90);
    assertThat(hundred.p99()).isEqualTo(99);
    assertThat(hundred.max()).isEqualTo(100);
    assertThat(hundred.histogram()).hasSize(50).allMatch(bin -> bin.count() == 2);
    assertThat(hundred.histogram().getFirst()).isEqualTo(new Bin(1, 2.98, 2));
    assertThat(hundred.histogram().getLast().to()).isEqualTo(100);
  }

  @Test
  void oneValueIsOneBin() {
    Distribution same = Objects.requireNonNull(Distribution.of(new double[] {7, 7, 7}));

    assertThat(same.histogram()).containsExactly(new Bin(7, 7, 3));
    assertThat(same.standardDeviation()).isZero();
  }

  @Test
  void nothingHasNoDistribution() {
    assertThat(Distribution.of(new double[0])).isNull();
  }
}
