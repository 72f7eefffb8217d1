package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import java.util.List;

/**
 * What one test measured. Latencies are in milliseconds, over the samples that were answered in
 * full.
 */
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
    @JsonPropertyDescription("Latency of whole samples.") Percentiles latency,
    @JsonPropertyDescription("Time to first token.") Percentiles ttft,
    @JsonPropertyDescription("Time per output token after the first.") Percentiles tpot,
    @JsonPropertyDescription("The same by replica.") List<ReplicaResult> replicas) {

  /** A distribution in milliseconds. */
  public record Percentiles(Double mean, Double p50, Double p90, Double p99, Double max) {}

  /** One replica's share. */
  public record ReplicaResult(
      @JsonPropertyDescription("Name of the replica.") String name,
      @JsonPropertyDescription("Samples answered in full.") Long completed,
      @JsonPropertyDescription("Samples that failed.") Long failed,
      @JsonPropertyDescription("Output tokens of the samples answered in full.") Long outputTokens,
      @JsonPropertyDescription("Median latency in milliseconds.") Double latencyP50,
      @JsonPropertyDescription("99th percentile of latency in milliseconds.") Double latencyP99) {}
}
