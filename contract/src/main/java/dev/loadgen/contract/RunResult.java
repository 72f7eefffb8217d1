package dev.loadgen.contract;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * What one test measured. Latencies are in milliseconds, over the samples that were answered in
 * full.
 */
@RecordBuilder
public record RunResult(
    @JsonPropertyDescription(
            "The scenario's metric, by LoadGen's name for it, such as tokens_per_second.")
        String metric,
    @JsonPropertyDescription("The metric's value, from LoadGen's log.")
        @PrinterColumn(name = "Result")
        Double value,
    @JsonPropertyDescription("The metric's unit.") @PrinterColumn(name = "Unit") String unit,
    @JsonPropertyDescription("Samples answered in full.") Long completed,
    @JsonPropertyDescription("Samples that failed.") Long failed,
    @JsonPropertyDescription(
            "Output tokens of the samples answered in full, as the server counts them.")
        Long outputTokens,
    @JsonPropertyDescription("Where token counts come from: token_ids, output_ids or usage.")
        String tokenCountSource,
    @JsonPropertyDescription("Output tokens a second, from first issue to last completion.")
        Double tokensPerSecond,
    @JsonPropertyDescription("Samples a second, from first issue to last completion.")
        Double samplesPerSecond,
    @JsonPropertyDescription("Seconds from first issue to last completion.") Double durationSeconds,
    @JsonPropertyDescription("Latency of whole samples, in milliseconds.") Percentiles latency,
    @JsonPropertyDescription("Time to first token, in milliseconds.") Percentiles ttft,
    @JsonPropertyDescription("Time per output token after the first, in milliseconds.")
        Percentiles tpot,
    @JsonPropertyDescription("Requests that were sent again after a failure.") Long retries,
    @JsonPropertyDescription("Scores of an Accuracy run.") List<AccuracyScore> accuracy,
    @JsonPropertyDescription("What verifying a compliance test came to.") Compliance compliance,
    @JsonPropertyDescription("The same by replica.") List<ReplicaResult> replicas)
    implements RunResultBuilder.With {
  /** A distribution in milliseconds. */
  public record Percentiles(
      @JsonPropertyDescription("Mean, in milliseconds.") Double mean,
      @JsonPropertyDescription("Median, in milliseconds.") Double p50,
      @JsonPropertyDescription("90th percentile, in milliseconds.") Double p90,
      @JsonPropertyDescription("99th percentile, in milliseconds.") Double p99,
      @JsonPropertyDescription("Largest, in milliseconds.") Double max) {}

  /** One score. */
  public record AccuracyScore(
      @JsonPropertyDescription("Name as MLPerf has it, such as ROUGE1 or exact_match.") String name,
      @JsonPropertyDescription("The score.") Double value,
      @JsonPropertyDescription("What the ruleset asks for at least; unset where it has none.")
          Double target) {}

  /** What verifying a compliance test came to. */
  public record Compliance(
      @JsonPropertyDescription("The test, such as TEST06.") String test,
      @JsonPropertyDescription("Whether it passes; so the verdict is Valid.") Boolean passed,
      @JsonPropertyDescription("What it asks of the answers; unset if they could not be read.")
          List<ComplianceCheck> checks) {}

  /** One thing that a compliance test asks for. */
  public record ComplianceCheck(
      @JsonPropertyDescription("What it is.") String name,
      @JsonPropertyDescription(
              "Passed, Failed, Skipped where the scenario has nothing to check, or Unknown.")
          String outcome,
      @JsonPropertyDescription("What was found.") String found,
      @JsonPropertyDescription("What is asked for.") String limit) {}

  /** One replica's share. */
  @RecordBuilder
  public record ReplicaResult(
      @JsonPropertyDescription("Name of the replica.") String name,
      @JsonPropertyDescription("Samples answered in full.") Long completed,
      @JsonPropertyDescription("Samples that failed.") Long failed,
      @JsonPropertyDescription("Output tokens of the samples answered in full.") Long outputTokens,
      @JsonPropertyDescription("Median latency in milliseconds.") Double latencyP50,
      @JsonPropertyDescription("99th percentile of latency in milliseconds.") Double latencyP99,
      @JsonPropertyDescription("Median time to first token in milliseconds.") Double ttftP50,
      @JsonPropertyDescription("99th percentile of time to first token in milliseconds.")
          Double ttftP99,
      @JsonPropertyDescription("Failed samples by kind of failure.") Map<String, Long> errors,
      @JsonPropertyDescription("Why no more requests went to it, where it was taken out.")
          String takenOut) {}
}
