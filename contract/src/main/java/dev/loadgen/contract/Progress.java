package dev.loadgen.contract;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;

/** How far a test is. */
public record Progress(
    @JsonPropertyDescription(
            "What the runner does now: Preparing, WarmingUp, Running, Draining, WritingTraces,"
                + " Scoring, CollectingServerLogs or Reporting.")
        String stage,
    @JsonPropertyDescription("Samples that LoadGen has issued.") Long issued,
    @JsonPropertyDescription("Samples answered in full.") Long completed,
    @JsonPropertyDescription("Samples that failed.") Long failed,
    @JsonPropertyDescription("Samples that LoadGen is expected to issue.") Long total,
    @JsonPropertyDescription("Answered or failed, of total.")
        @PrinterColumn(name = "Progress%")
        @Min(0)
        @Max(Integer.MAX_VALUE)
        Integer percent,
    @JsonPropertyDescription("Seconds until the test is expected to end.") Long etaSeconds,
    @JsonPropertyDescription(
            "Samples that missed a latency limit, of the limit that most of them missed; unset where LoadGen holds the test against none.")
        Late late,
    @JsonPropertyDescription(
            "Whether the test is going to pass, by what failed and what was late: Pass or Fail at the present rate, or Lost, when it can no longer be Valid. Unset before a twentieth of the samples has ended.")
        @PrinterColumn(name = "Projection", priority = 1)
        Projection projection) {

  /** Samples that missed a latency limit, and how many may. */
  public record Late(
      @JsonPropertyDescription("The limit: Ttft, Tpot or Latency, as in the reasons of a verdict.")
          String limit,
      @JsonPropertyDescription("Samples over it so far.") Long samples,
      @JsonPropertyDescription(
              "How many of progress.total LoadGen's early stopping lets be over it; -1: the test is too short to show its percentile.")
          Long budget) {}
}
