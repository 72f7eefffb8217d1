package dev.loadgen.results;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RequestFailure.Kind;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.Percentiles;
import dev.loadgen.contract.RunResultReplicaResultBuilder;
import dev.loadgen.rules.log.Metric;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeasurementTest {
  private static final List<NamedServer> REPLICAS =
      List.of(new NamedServer(0, "a"), new NamedServer(1, "b"));

  private static Measurement of(SampleRecord... samples) {
    return new Measurement(List.of(samples), REPLICAS, 0);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 50, 1",
    "1, 99, 1",
    "2, 50, 1",
    "3, 50, 2",
    "100, 50, 50",
    "100, 90, 90",
    "100, 99, 99",
    "101, 99, 100",
    "200, 99, 198",
    "10, 99, 10",
    "10, 90, 9",
    "10, 100, 10"
  })
  void percentileIsTheNearestRank(int count, double percent, double expected) {
    double[] sorted = IntStream.rangeClosed(1, count).asDoubleStream().toArray();
    assertThat(NearestRank.percentile(sorted, percent)).isEqualTo(expected);
  }

  @Test
  void latenciesCountFromTheIssueAndFailuresAreLeftOut() {
    Measurement measurement =
        of(
            Records.streamed(0, 0, 0, 10, 110, 11),
            Records.streamed(1, 1, 50, 80, 200, 5),
            Records.failed(2, 0, 60, 5000, new RequestFailure(Kind.TIMEOUT, "late")));
    RunResult result = measurement.result(new Metric("m", 1.23456, "u"), null);

    assertThat(result.metric()).isEqualTo("m");
    assertThat(result.value()).isEqualTo(1.235);
    assertThat(result.unit()).isEqualTo("u");
    assertThat(result.completed()).isEqualTo(2);
    assertThat(result.failed()).isEqualTo(1);
    assertThat(result.outputTokens()).isEqualTo(16);
    assertThat(result.latency()).isEqualTo(new Percentiles(130.0, 110.0, 150.0, 150.0, 150.0));
    assertThat(result.ttft()).isEqualTo(new Percentiles(20.0, 10.0, 30.0, 30.0, 30.0));
    // 100 ms over 10 further tokens, 120 ms over 4.
    assertThat(result.tpot()).isEqualTo(new Percentiles(20.0, 10.0, 30.0, 30.0, 30.0));
    // First issue to last end, that of a failure included.
    assertThat(result.durationSeconds()).isEqualTo(5.0);
    assertThat(result.tokensPerSecond()).isEqualTo(3.2);
    assertThat(result.samplesPerSecond()).isEqualTo(0.4);
    assertThat(result.tokenCountSource()).isEqualTo("token_ids");
  }

  @Test
  void replicasAreApart() {
    Measurement measurement =
        of(
            Records.whole(0, 0, 0, 0, 10, 3),
            Records.whole(1, 0, 0, 0, 30, 4),
            Records.whole(2, 1, 0, 0, 100, 5),
            Records.failed(3, 1, 0, 5, new RequestFailure(Kind.BROKEN, "cut")),
            Records.unsent(4, 0, 7));

    assertThat(measurement.result(null, null).replicas())
        .containsExactly(
            RunResultReplicaResultBuilder.builder()
                .name("a")
                .completed(2L)
                .failed(0L)
                .outputTokens(7L)
                .latencyP50(10.0)
                .latencyP99(30.0)
                .errors(Map.of())
                .build(),
            RunResultReplicaResultBuilder.builder()
                .name("b")
                .completed(1L)
                .failed(1L)
                .outputTokens(5L)
                .latencyP50(100.0)
                .latencyP99(100.0)
                .errors(Map.of("BROKEN", 1L))
                .build());
    assertThat(measurement.outputTokensByReplica()).containsExactly(7L, 5L);
    assertThat(measurement.failed()).as("one was never sent").isEqualTo(2);
  }

  @Test
  void whatWasNotStreamedHasNoTokenTimes() {
    RunResult result = of(Records.whole(0, 0, 0, 0, 10, 3)).result(null, null);
    assertThat(result.ttft()).isNull();
    assertThat(result.tpot()).isNull();
    assertThat(result.metric()).isNull();
    assertThat(result.value()).isNull();
  }

  @Test
  void answersOfOneTokenHaveNoTimePerToken() {
    Measurement measurement =
        of(Records.streamed(0, 0, 0, 10, 10, 1), Records.streamed(1, 0, 0, 10, 20, 2));
    assertThat(measurement.result(null, null).tpot())
        .isEqualTo(new Percentiles(10.0, 10.0, 10.0, 10.0, 10.0));
    assertThat(measurement.result(null, null).ttft()).isNotNull();
  }

  @Test
  void nothingButFailuresHasNoLatencies() {
    RunResult result =
        of(Records.failed(0, 0, 0, 1, new RequestFailure(Kind.BROKEN, "cut"))).result(null, null);
    assertThat(result.latency()).isNull();
    assertThat(result.completed()).isZero();
    assertThat(result.tokenCountSource()).isNull();
    assertThat(result.replicas().getFirst().latencyP50()).isNull();
  }

  @Test
  void noSamplesAtAllIsAResultToo() {
    RunResult result = of().result(null, null);
    assertThat(result.completed()).isZero();
    assertThat(result.durationSeconds()).isZero();
    assertThat(result.tokensPerSecond()).isNull();
  }
}
