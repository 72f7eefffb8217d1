package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SortedValuesTest {
  private final SortedValues values = SortedValues.of(new double[] {4, Double.NaN, 1, 3, 2});

  @Test
  void percentilesAreNearestRanks() {
    assertThat(values.size()).isEqualTo(4);
    assertThat(values.percentile(50)).isEqualTo(2);
    assertThat(values.percentile(51)).isEqualTo(3);
    assertThat(values.percentile(0)).isEqualTo(1);
    assertThat(values.percentile(100)).isEqualTo(4);
    assertThat(values.mean()).isEqualTo(2.5);
  }

  @Test
  void sharesIncludeTheValueItself() {
    assertThat(values.shareUpTo(0.5)).isZero();
    assertThat(values.shareUpTo(3)).isEqualTo(0.75);
    assertThat(values.countAbove(3)).isEqualTo(1);
  }

  @Test
  void histogramHasBothEnds() {
    assertThat(values.histogram(1, 4, 3)).containsExactly(1, 1, 2);
    assertThat(values.histogram(0, 2, 2)).containsExactly(0, 2);
  }

  @Test
  void noValuesHaveNoSize() {
    SortedValues none = SortedValues.of(new double[] {Double.NaN});
    assertThat(none.isEmpty()).isTrue();
    assertThat(none.percentile(99)).isZero();
    assertThat(none.shareUpTo(1)).isZero();
    assertThat(none.histogram(0, 1, 2)).containsExactly(0, 0);
  }
}
