package dev.loadgen.results.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.EngineFacts;
import dev.loadgen.contract.Excerpt;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.rules.check.AttestationRules;
import dev.loadgen.rules.evidence.ServerEvidence.Attestation;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What was measured, and by what, as a results folder tells it: {@code plan.json} has what the
 * operator saw before the test, {@code environment.json} what it saw after, and what the servers
 * say of themselves.
 */
public final class StoredProvenance {
  /** Key of {@code environment.json}: what the operator saw when the test had ended. */
  public static final String ENDED = "provenance";

  /** Key of {@code environment.json}: what the servers say of their own program. */
  public static final String ENGINE = "engine";

  /** Key of {@code environment.json}: what they say otherwise after the test. */
  public static final String ENGINE_CHANGES = "engineChanges";

  private final RunPlan plan;
  private final @Nullable Provenance ended;
  private final @Nullable EngineFacts engine;
  private final List<String> engineChanges;
  private final @Nullable String runnerVersion;

  private StoredProvenance(RunPlan plan, JsonNode environment, Path file)
      throws UnreadableRunException {
    this.plan = plan;
    this.ended = part(environment.path(ENDED), Provenance.class, file);
    this.engine = part(environment.path(ENGINE), EngineFacts.class, file);
    Optional<String> lacking = RunSummary.lacking(ended, engine);
    if (lacking.isPresent()) {
      throw new UnreadableRunException(file + ": " + lacking.get() + "; copy the file again");
    }
    this.engineChanges =
        environment
            .path(ENGINE_CHANGES)
            .valueStream()
            .map(JsonNode::asText)
            .filter(change -> !change.isEmpty())
            .toList();
    JsonNode version = environment.path("runnerVersion");
    this.runnerVersion = version.isTextual() ? version.textValue() : null;
  }

  /**
   * Reads what a folder has of it.
   *
   * @throws UnreadableRunException if that cannot be read
   */
  public static StoredProvenance read(Path folder, RunPlan plan) throws UnreadableRunException {
    Path file = folder.resolve(ResultsFolder.ENVIRONMENT);
    return new StoredProvenance(plan, StoredRun.json(file), file);
  }

  static StoredProvenance of(RunPlan plan, JsonNode environment, Path file)
      throws UnreadableRunException {
    return new StoredProvenance(plan, environment, file);
  }

  private static <T> @Nullable T part(JsonNode tree, Class<T> type, Path file)
      throws UnreadableRunException {
    if (!tree.isObject()) {
      return null;
    }
    try {
      return ContractJson.readTolerantly(tree.toString(), type);
    } catch (JsonProcessingException e) {
      throw new UnreadableRunException(
          file + ": " + JsonWords.of(e) + "; use the loadgen of the version that made the folder",
          e);
    }
  }

  /** What the servers say of their own program; null: nobody has asked them. */
  public @Nullable EngineFacts engine() {
    return engine;
  }

  /** All that is known: as it was after the test, where somebody looked. */
  public Provenance provenance() {
    Provenance planned = plan.server().provenance();
    Provenance last = ended == null ? planned : ended;
    List<String> problems = AttestationRules.problems(attestation());
    return new Provenance(
            planned == null ? null : planned.backendGeneration(),
            null,
            last == null || last.serversOrNone().isEmpty() ? null : last.servers(),
            last == null ? null : last.runner(),
            problems.isEmpty() ? null : problems)
        .withVersions(engineVersion(), runnerVersion);
  }

  private @Nullable String engineVersion() {
    if (engine == null) {
      return null;
    }
    List<String> versions =
        Stream.concat(
                Stream.ofNullable(engine.version()),
                engine.differing().stream()
                    .map(EngineFacts.Differing::version)
                    .filter(Objects::nonNull))
            .distinct()
            .toList();
    return versions.isEmpty() ? null : Excerpt.of(String.join(", ", versions), 100);
  }

  /** What was seen of servers and runner, before the test and after it. */
  Attestation attestation() {
    return new Attestation(plan.server().provenance(), ended, engineChanges);
  }
}
