package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0.00012, 0.000120",
    "0.5, 0.500",
    "1.234, 1.23",
    "123.45, 123.5",
    "4010.4, 4010",
    "-4010.4, -4010",
    "12735.5, 12_736",
    "1234567, 1_234_567"
  })
  void numbersHaveAboutFourDigits(double value, String text) {
    assertThat(Numbers.number(value).replace(Numbers.SPACE, '_')).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "41.71, 41.71 ms",
    "9999, 9999 ms",
    "12735, 12.74 s",
    "599000, 599.0 s",
    "3600000, 60.00 min"
  })
  void millisecondsHaveTheUnitThatReadsBest(double millis, String text) {
    assertThat(Numbers.millis(millis).replace(Numbers.SPACE, ' ')).isEqualTo(text);
  }

  @Test
  void whatIsNotKnownIsADash() {
    assertThat(Numbers.number(null)).isEqualTo("–");
    assertThat(Numbers.number(Double.NaN)).isEqualTo("–");
    assertThat(Numbers.millis(null)).isEqualTo("–");
    assertThat(Numbers.count(null)).isEqualTo("–");
  }

  @ParameterizedTest
  @CsvSource({"0, 0 %", "0.00123, 0.12 %", "0.5, 50.0 %", "0.9996, 100 %", "0.999, 99.9 %"})
  void sharesAreInPercent(double share, String text) {
    assertThat(Numbers.percent(share).replace(Numbers.SPACE, ' ')).isEqualTo(text);
  }
}
