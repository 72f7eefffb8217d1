package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.kubernetes.api.model.Condition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/** What became of a {@link BenchmarkRun}. */
@SchemaCustomizer(value = ListMapCustomizer.class, input = "conditions:type,status")
@RecordBuilder
public record BenchmarkRunStatus(
    @JsonPropertyDescription("The generation of the spec that this status speaks of.")
        Long observedGeneration,
    @JsonPropertyDescription(
            "Which start of the test this status speaks of, from 1. A re-run begins the next, and so does suspending a test that had started.")
        @PrinterColumn(name = "Epoch", priority = 1)
        @Min(1)
        @Max(Bounds.INT32)
        Integer epoch,
    @JsonPropertyDescription("The value of the annotation loadgen.dev/rerun that was obeyed last.")
        String rerun,
    @JsonPropertyDescription(
            "How often the test was started anew after a disruption, as spec.restartPolicy says, since it was last suspended or run again.")
        @Min(0)
        @Max(100)
        Integer restarts,
    @JsonPropertyDescription("Summary for people; machines read the conditions.")
        @PrinterColumn(name = "Phase")
        Phase phase,
    @JsonPropertyDescription("Whether the numbers may be used; set when the run is Completed.")
        @PrinterColumn(name = "Verdict")
        Verdict verdict,
    @JsonPropertyDescription("Why the verdict is not Valid; of a Valid one what to know beside it.")
        List<VerdictReason> verdictReasons,
    @JsonPropertyDescription(
            "What the test will be, before anything is started; unset where the spec cannot be used.")
        Forecast forecast,
    @JsonPropertyDescription("How far the test is.") Progress progress,
    @JsonPropertyDescription("What was measured.") RunResult result,
    @JsonPropertyDescription("The PersistentVolumeClaim that holds the results.")
        String resultsClaim,
    @JsonPropertyDescription("Folder of this run below the claim's root.") String resultsPath,
    @JsonPropertyDescription(
            "Since when the run stands in line for its backend, RFC 3339; unset while it is suspended.")
        String queuedTime,
    @JsonPropertyDescription("When the runner Job was created, RFC 3339.") String startTime,
    @JsonPropertyDescription("When the run ended, RFC 3339.") String completionTime,
    @JsonPropertyDescription(
            "Conditions: ResolvedRefs, BackendReady, Admitted, Suspended, Complete, Failed, Finished; Synced while the operator could not do its work; Ready, Reconciling and Stalled as kstatus has them.")
        List<Condition> conditions,
    @JsonPropertyDescription(
            "What is measured, and by what: images, arguments, GPUs and nodes as they are. Set once the runner is at work.")
        Provenance provenance)
    implements TolerantResource.Observed, BenchmarkRunStatusBuilder.With {

  /** How often the test was started anew after a disruption, 0 unless set. */
  public int restartsOrDefault() {
    return restarts == null ? 0 : restarts;
  }

  /** What a test will be. */
  @RecordBuilder
  public record Forecast(
      @JsonPropertyDescription("Samples that LoadGen issues.") Long samples,
      @JsonPropertyDescription("Queries that LoadGen issues: in Offline one, with all samples.")
          Long queries,
      @JsonPropertyDescription("Samples a query.") Long samplesPerQuery,
      @JsonPropertyDescription(
              "Seconds that the test takes at spec.load.targetQps; slower servers take longer.")
          Long durationSeconds,
      @JsonPropertyDescription("Whether samples is what LoadGen issues, to the sample.")
          Boolean exact,
      @JsonPropertyDescription(
              "Whether the benchmark's own number of samples was taken for the dataset's, which is not known before the runner reads it.")
          Boolean datasetAssumed,
      @JsonPropertyDescription(
              "How many queries may miss their latency limits; -1: the test is too short to show its percentile. Unset where there is no limit.")
          Long lateBudget,
      @JsonPropertyDescription(
              "What the rules reject whatever the servers do, each with what to change.")
          List<VerdictReason> rejections,
      @JsonPropertyDescription("What else to know before GPUs are spent on it.")
          List<String> warnings)
      implements BenchmarkRunStatusForecastBuilder.With {}
}
