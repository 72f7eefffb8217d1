package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AxisTest {
  @ParameterizedTest
  @CsvSource({
    "7, 8, 2",
    "10, 10, 2",
    "100, 100, 20",
    "101, 125, 25",
    "0.03, 0.03, 0.01",
    "1, 1, 0.2"
  })
  void endsAtARoundNumber(double largest, double max, double step) {
    Axis axis = Axis.upTo(largest);
    assertThat(axis.max()).isCloseTo(max, within(1e-9));
    assertThat(axis.step()).isCloseTo(step, within(1e-9));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void nothingToShowIsAnAxisToo(double largest) {
    assertThat(Axis.upTo(largest).max()).isEqualTo(1);
  }

  @Test
  void everyAxisHoldsItsValuesWithFewDistinctTicks() {
    Random random = new Random(3);
    for (int i = 0; i < 20_000; i++) {
      double largest = Math.pow(10, -4 + 13 * random.nextDouble());
      Axis axis = Axis.upTo(largest);
      List<String> labels = axis.ticks().stream().map(axis::label).toList();
      assertThat(axis.max()).isGreaterThanOrEqualTo(largest * (1 - 1e-9));
      assertThat(axis.max()).isLessThanOrEqualTo(largest * 2);
      assertThat(labels).as("up to %s", largest).hasSizeBetween(3, 7).doesNotHaveDuplicates();
    }
  }

  @Test
  void labelsHaveTheDecimalsThatTheyNeed() {
    Axis axis = Axis.upTo(1);
    assertThat(axis.ticks().stream().map(axis::label))
        .containsExactly("0", "0.2", "0.4", "0.6", "0.8", "1.0");
    Axis quarters = Axis.upTo(1.2);
    assertThat(quarters.ticks().stream().map(quarters::label))
        .containsExactly("0", "0.25", "0.50", "0.75", "1.00", "1.25");
    assertThat(Axis.upTo(7900).label(8000)).isEqualTo("8000");
    assertThat(Axis.upTo(20_000).label(20_000)).isEqualTo("20k");
    assertThat(Axis.upTo(12_000).label(2500)).isEqualTo("2.5k");
    assertThat(Axis.upTo(3e7).label(1e7)).isEqualTo("10M");
    assertThat(Axis.upTo(3e11).label(1e11)).isEqualTo("100G");
  }

  @Test
  void valuesThatAreAlikeHaveAnAxisOfTheirOwn() {
    Axis alike = Axis.around(9.7, 10.4);
    assertThat(alike.min()).isBetween(9.0, 9.7);
    assertThat(alike.max()).isBetween(10.4, 11.0);
    assertThat(alike.ticks().stream().map(alike::label).toList())
        .hasSizeBetween(3, 8)
        .doesNotHaveDuplicates();
    assertThat(Axis.around(4, 10).min()).isZero();
    assertThat(Axis.around(10, 10)).isEqualTo(Axis.upTo(10));
    assertThat(Axis.around(0, 0)).isEqualTo(Axis.upTo(0));
  }

  @Test
  void timeEndsWhereTheTestEnds() {
    Axis time = Axis.exactly(12.3);
    assertThat(time.max()).isEqualTo(12.3);
    assertThat(time.ticks()).containsExactly(0.0, 2.5, 5.0, 7.5, 10.0);
    assertThat(time.position(12.3)).isEqualTo(1);
    assertThat(time.position(20)).isEqualTo(1);
    assertThat(time.position(-1)).isZero();
  }
}
