package dev.loadgen.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({"90s,90000", "1h30m,5400000", "250ms,250", "0.5s,500", "10m,600000", "1.5h,5400000"})
  void readsDurationsAsKubernetesWritesThem(String text, long millis) {
    assertThat(Durations.parse("spec.x", text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource({"8760h,true", "31536000000ms,true", "8760h1ms,false", "999999999999h,false"})
  void aYearIsTheLongest(String text, boolean readable) {
    assertThat(Durations.isDuration(text)).isEqualTo(readable);
    if (!readable) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Durations.parse("spec.startupTimeout", text))
          .withMessageContaining("spec.startupTimeout: " + text)
          .withMessageContaining("8760h");
    }
  }

  @Test
  void textsWithoutEndAreNoDurations() {
    for (String part : List.of("9", "1s", "1.", "h")) {
      assertThat(Durations.isDuration(part.repeat(100_000) + "s")).as(part).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "90", "s", "-1s", "1d", "1h 30m", "PT1M"})
  void namesTheFieldOfWhatIsNone(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Durations.parse("spec.timeouts.run", text))
        .withMessageContaining("spec.timeouts.run")
        .withMessageContaining("1h30m");
  }
}
