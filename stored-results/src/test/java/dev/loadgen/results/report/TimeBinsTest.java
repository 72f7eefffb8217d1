package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimeBinsTest {
  private final TimeBins bins = new TimeBins(10, 5);

  @Test
  void amountsAreSpreadOverTheTimeThatTheyTook() {
    double[] perSecond =
        bins.spread(new double[] {1, 8}, new double[] {7, 8}, new double[] {12, 3});

    // Two a second from 1 s to 7 s, and three at 8 s, in parts of 2 s.
    assertThat(perSecond).containsExactly(new double[] {1, 2, 2, 1, 1.5}, within(1e-9));
  }

  @Test
  void nothingIsLostWhereverItFalls() {
    Random random = new Random(5);
    for (int i = 0; i < 1000; i++) {
      double from = 10 * random.nextDouble();
      double to = from + (10 - from) * random.nextDouble();
      double[] perSecond = bins.spread(new double[] {from}, new double[] {to}, new double[] {7});
      assertThat(Arrays.stream(perSecond).sum() * bins.width()).isCloseTo(7, within(1e-6));
    }
  }

  @Test
  void whatDidNotHappenIsNotCounted() {
    assertThat(bins.rate(new double[] {0, 0.5, Double.NaN, 10})).containsExactly(1, 0, 0, 0, 0.5);
    assertThat(
            bins.spread(
                new double[] {Double.NaN, 1}, new double[] {2, Double.NaN}, new double[] {1, 1}))
        .containsOnly(0);
  }

  @Test
  void valuesAreGroupedByTheirTime() {
    SortedValues[] groups =
        bins.group(new double[] {0, 1, 9, 10, Double.NaN}, new double[] {5, 3, 1, Double.NaN, 2});
    assertThat(groups).hasSize(5);
    assertThat(groups[0].percentile(50)).isEqualTo(3);
    assertThat(groups[0].max()).isEqualTo(5);
    assertThat(groups[1].isEmpty()).isTrue();
    assertThat(groups[4].size()).isEqualTo(1);
  }
}
