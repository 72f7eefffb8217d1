package dev.loadgen.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.loadgen.contract.EngineFacts;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.results.ResultsFolder.Manifest;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is stated of a results folder: an in-toto statement v1 (spec/v1/statement.md of
 * in-toto/attestation) whose subjects are the folder's files.
 *
 * @param type always {@link #TYPE}
 * @param subject the manifest, and each file that it names
 * @param predicateType always {@link #PREDICATE}
 * @param predicate the run
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Statement(
    @JsonProperty("_type") String type,
    List<Subject> subject,
    String predicateType,
    Predicate predicate) {
  /** The type of in-toto statements. */
  public static final String TYPE = "https://in-toto.io/Statement/v1";

  /** What is stated, by a name that changes when its fields mean something else. */
  public static final String PREDICATE = "https://loadgen.dev/benchmark-run/v1";

  /** The statement, in the results folder. */
  public static final String FILE = "statement.json";

  /** The same in a signed envelope, where the run was given a key. */
  public static final String SIGNED_FILE = "attestation.json";

  /** A file by its path with {@code /} in the folder, and its SHA-256. */
  public record Subject(String name, Digest digest) {}

  /** A digest in hexadecimal. */
  public record Digest(String sha256) {}

  /**
   * A run: what was asked for, what was measured, and what came of it. The components are those of
   * {@code plan.json} and {@code summary.json}.
   *
   * @param failure null: the test ran to its end
   * @param verdict null: it did not
   * @param result headline alone: metric, value and unit; null: nothing was measured
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record Predicate(
      RunPlan.Run run,
      RunSummary.@Nullable Failure failure,
      @Nullable Verdict verdict,
      @Nullable List<VerdictReason> verdictReasons,
      @Nullable Headline result,
      String startedAt,
      String finishedAt,
      @Nullable Provenance provenance,
      @Nullable EngineFacts engine,
      RunPlan plan) {}

  /** The metric of a scenario; null where LoadGen told none. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Headline(@Nullable String metric, @Nullable Double value, @Nullable String unit) {}

  /**
   * The statement of a folder.
   *
   * @param manifestSha256 of {@code manifest.json} itself
   */
  static Statement of(Manifest manifest, String manifestSha256, RunPlan plan, RunSummary summary) {
    List<Subject> subjects = new ArrayList<>();
    subjects.add(new Subject(ResultsFolder.MANIFEST, new Digest(manifestSha256)));
    for (Manifest.Entry file : manifest.files()) {
      subjects.add(new Subject(file.path(), new Digest(file.sha256())));
    }
    RunResult result = summary.result();
    return new Statement(
        TYPE,
        List.copyOf(subjects),
        PREDICATE,
        StatementPredicateBuilder.builder()
            .run(plan.run())
            .failure(summary.failure())
            .verdict(summary.verdict())
            .verdictReasons(summary.verdictReasons())
            .result(
                result == null
                    ? null
                    : new Headline(result.metric(), result.value(), result.unit()))
            .startedAt(summary.startedAt())
            .finishedAt(summary.finishedAt())
            .provenance(summary.provenance())
            .engine(summary.engine())
            .plan(plan.withoutCredentials())
            .build());
  }
}
