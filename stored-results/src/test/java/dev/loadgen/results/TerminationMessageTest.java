package dev.loadgen.results;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.EngineFacts;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunResult.Percentiles;
import dev.loadgen.contract.RunResult.ReplicaResult;
import dev.loadgen.contract.RunResultBuilder;
import dev.loadgen.contract.RunResultReplicaResultBuilder;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TerminationMessageTest {
  private static final Percentiles SOME = new Percentiles(1.5, 1.0, 2.0, 3.0, 4.0);

  private static RunSummary summary(
      RunSummary.@Nullable Failure failure, List<VerdictReason> reasons, int replicas) {
    List<ReplicaResult> results =
        IntStream.range(0, replicas)
            .mapToObj(
                i ->
                    RunResultReplicaResultBuilder.builder()
                        .name("replica-" + i)
                        .completed(123L)
                        .failed(4L)
                        .outputTokens(5678L)
                        .latencyP50(1.25)
                        .latencyP99(7.5)
                        .ttftP50(1.0)
                        .ttftP99(2.0)
                        .errors(Map.of())
                        .build())
            .toList();
    return RunSummaryBuilder.builder()
        .version(RunSummary.VERSION)
        .failure(failure)
        .verdict(failure == null ? Verdict.Invalid : null)
        .verdictReasons(reasons)
        .result(
            RunResultBuilder.builder()
                .metric("m")
                .value(1.0)
                .unit("u")
                .completed(9L)
                .failed(1L)
                .outputTokens(100L)
                .tokenCountSource("usage")
                .tokensPerSecond(1.0)
                .samplesPerSecond(2.0)
                .durationSeconds(3.0)
                .latency(SOME)
                .ttft(SOME)
                .tpot(SOME)
                .retries(0L)
                .replicas(results)
                .build())
        .resultsPath("name/uid")
        .startedAt("2026-01-01T00:00:00Z")
        .finishedAt("2026-01-01T00:01:00Z")
        .build();
  }

  private static RunSummary read(String message) throws Exception {
    assertThat(message.getBytes(StandardCharsets.UTF_8).length)
        .isLessThanOrEqualTo(RunSummary.TERMINATION_MESSAGE_BYTES);
    // Encoding and decoding would change half a character.
    assertThat(new String(message.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .isEqualTo(message);
    return ContractJson.read(message, RunSummary.class);
  }

  private static List<VerdictReason> reasons(int count, String text) {
    return IntStream.range(0, count)
        .mapToObj(i -> new VerdictReason("Rule" + i, text, "Fix it."))
        .toList();
  }

  @Test
  void smallSummaryIsWhole() throws Exception {
    RunSummary summary = summary(null, reasons(2, "short"), 3);
    assertThat(read(TerminationMessage.of(summary))).isEqualTo(summary);
  }

  /** What is measured the operator knows itself, and the rest is in summary.json. */
  @Test
  void ofWhatWasMeasuredTheVersionsAreTold() throws Exception {
    RunSummary small = summary(null, reasons(2, "short"), 3);
    Provenance whole =
        new Provenance(
            3L,
            "0.32.0",
            List.of(),
            new Provenance.Runner("runner:1", "sha256:r", "0.1.0+96f94f4"),
            List.of("x".repeat(10_000)));
    RunSummary summary =
        RunSummaryBuilder.builder()
            .version(small.version())
            .verdict(small.verdict())
            .verdictReasons(small.verdictReasons())
            .result(small.result())
            .resultsPath(small.resultsPath())
            .startedAt(small.startedAt())
            .finishedAt(small.finishedAt())
            .provenance(whole)
            .engine(
                new EngineFacts("0.32.0", Map.of("x", "y".repeat(10_000)), List.of(), List.of()))
            .build();
    Provenance told =
        new Provenance(
            null, "0.32.0", null, new Provenance.Runner(null, null, "0.1.0+96f94f4"), null);

    assertThat(read(TerminationMessage.of(summary)).provenance()).isEqualTo(told);
    assertThat(read(TerminationMessage.of(summary)).engine()).isNull();
    assertThat(
            read(TerminationMessage.of(
                    summary.judged(Verdict.Invalid, reasons(60, "long ".repeat(99)))))
                .provenance())
        .isEqualTo(told);
  }

  @Test
  void replicasGoFirst() throws Exception {
    RunSummary summary = summary(null, reasons(3, "short"), 200);
    RunSummary message = read(TerminationMessage.of(summary));
    assertThat(message.result().replicas()).isNull();
    assertThat(message.verdictReasons()).isEqualTo(summary.verdictReasons());
    assertThat(message.result().outputTokens()).isEqualTo(100);
    assertThat(message.result().ttft()).isEqualTo(SOME);
  }

  @Test
  void longReasonsAreShortenedButStay() throws Exception {
    RunSummary message =
        read(TerminationMessage.of(summary(null, reasons(12, "long ".repeat(300)), 0)));
    assertThat(message.verdictReasons())
        .extracting(VerdictReason::rule)
        .containsExactlyElementsOf(reasons(12, "").stream().map(VerdictReason::rule).toList());
    assertThat(message.verdictReasons())
        .allSatisfy(reason -> assertThat(reason.message()).startsWith("long ").endsWith("…"));
    assertThat(message.verdict()).isEqualTo(Verdict.Invalid);
  }

  @Test
  void tooManyReasonsLeaveTheFirst() throws Exception {
    RunSummary message =
        read(TerminationMessage.of(summary(null, reasons(100, "text ".repeat(20)), 0)));
    assertThat(message.verdictReasons()).isNotEmpty();
    assertThat(message.verdictReasons().getFirst().rule()).isEqualTo("Rule0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "ä", "漢", "🙂", "x🙂", "\u0001", "\"\\"})
  void everyTextFits(String part) throws Exception {
    String text = part.repeat(5000);
    RunSummary message =
        read(
            TerminationMessage.of(
                summary(new RunSummary.Failure("InternalError", text), reasons(20, text), 50)));
    assertThat(message.failure().reason()).isEqualTo("InternalError");
    assertThat(message.failure().message()).startsWith(part).endsWith("…").hasSizeGreaterThan(100);
    assertThat(message.resultsPath()).isEqualTo("name/uid");
  }
}
