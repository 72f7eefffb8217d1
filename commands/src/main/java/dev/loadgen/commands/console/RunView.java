package dev.loadgen.commands.console;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a BenchmarkRun tells people. It needs no Kubernetes client, which the runner's image does
 * not have.
 *
 * @param uid empty: the object has none
 * @param exported whether the run is exported to MLflow
 * @param rerunAsked whether somebody asks for the test anew, and the operator has not seen that yet
 * @param phase null: nobody has looked at it yet, or it is one of a newer version
 * @param verdict null: there is none, or it is one of a newer version
 * @param verdictReasons empty: there are none
 * @param progress null: there is none
 * @param result null: nothing was measured
 * @param resultsClaim null: the run has not started
 * @param resultsPath null: there is no folder
 * @param conditions empty: it has none
 */
@RecordBuilder
public record RunView(
    String name,
    String uid,
    @Nullable String scenario,
    boolean exported,
    boolean rerunAsked,
    @Nullable Phase phase,
    @Nullable Verdict verdict,
    List<VerdictReason> verdictReasons,
    @Nullable Progress progress,
    @Nullable RunResult result,
    @Nullable String resultsClaim,
    @Nullable String resultsPath,
    List<Condition> conditions) {
  /** {@code BenchmarkRun.RERUN}: that class wants a Kubernetes client. */
  private static final String RERUN = "loadgen.dev/rerun";

  /** Reads an object as the API server has it; what cannot be read of it is left out. */
  public static RunView of(JsonNode object) {
    JsonNode status = object.path("status");
    String rerun = Fields.text(object.path("metadata").path("annotations").path(RERUN));
    VerdictReason[] reasons = Fields.read(status.path("verdictReasons"), VerdictReason[].class);
    return RunViewBuilder.builder()
        .name(object.at("/metadata/name").asText(""))
        .uid(object.at("/metadata/uid").asText(""))
        .scenario(Fields.text(object.at("/spec/scenario")))
        .exported(object.at("/spec/mlflow").isObject())
        .rerunAsked(rerun != null && !Objects.equals(rerun, Fields.text(status.path("rerun"))))
        .phase(Fields.read(status.path("phase"), Phase.class))
        .verdict(Fields.read(status.path("verdict"), Verdict.class))
        .verdictReasons(
            reasons == null ? List.of() : Stream.of(reasons).filter(Objects::nonNull).toList())
        .progress(Fields.read(status.path("progress"), Progress.class))
        .result(Fields.read(status.path("result"), RunResult.class))
        .resultsClaim(Fields.text(status.path("resultsClaim")))
        .resultsPath(Fields.text(status.path("resultsPath")))
        .conditions(Condition.of(object))
        .build();
  }

  /** The condition of a type. */
  public Optional<Condition> condition(String type) {
    return Condition.find(conditions, type);
  }
}
