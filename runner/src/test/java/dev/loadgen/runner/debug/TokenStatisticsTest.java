package dev.loadgen.runner.debug;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.RequestFailure;
import dev.loadgen.results.Records;
import dev.loadgen.results.SampleRecord;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TokenStatisticsTest {
  private static final List<SampleRecord> SAMPLES =
      List.of(
          Records.streamed(0, 0, 0, 1, 9, 8),
          Records.streamed(1, 0, 0, 1, 9, 2),
          Records.failed(2, 0, 0, 9, new RequestFailure(RequestFailure.Kind.TIMEOUT, "too late")));

  @Test
  void countsWhatWasAnswered() {
    TokenStatistics statistics = TokenStatistics.of(SAMPLES, index -> 4 * (index + 1));

    Distribution input = Objects.requireNonNull(statistics.input());
    Distribution output = Objects.requireNonNull(statistics.output());
    Distribution ratio = Objects.requireNonNull(statistics.outputPerInput());
    assertThat(input.count()).isEqualTo(2);
    assertThat(input.mean()).isEqualTo(6);
    assertThat(output.max()).isEqualTo(8);
    assertThat(ratio.min()).isEqualTo(0.25);
    assertThat(ratio.max()).isEqualTo(2);
  }

  @Test
  void aDatasetOfTextHasNoInputTokens() {
    TokenStatistics statistics = TokenStatistics.of(SAMPLES, index -> null);

    assertThat(statistics.input()).isNull();
    assertThat(statistics.outputPerInput()).isNull();
    assertThat(statistics.output()).isNotNull();
  }

  @Test
  void nothingAnsweredHasNoStatistics() {
    assertThat(TokenStatistics.of(List.of(), index -> 1))
        .isEqualTo(new TokenStatistics(null, null, null));
  }
}
