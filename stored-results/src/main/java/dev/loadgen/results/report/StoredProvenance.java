package dev.loadgen.results.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.EngineFacts;
import dev.loadgen.contract.Excerpt;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Provenance.Gpus;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Provenance.Servers;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.rules.Finding;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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

  private static final String RULE = "NotAttested";

  /** Reasons of a verdict that are worth reading. */
  private static final int MOST_FINDINGS = 8;

  private static final int LONGEST = 600;

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
    List<String> problems = problems();
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

  /** What of it the verdict cannot rest on. */
  List<Finding> findings() {
    return problems().stream()
        .limit(MOST_FINDINGS)
        .map(
            problem ->
                new Finding(
                    RULE,
                    Excerpt.of(
                            Character.toUpperCase(problem.charAt(0)) + problem.substring(1),
                            LONGEST)
                        + ".",
                    "Correct that, and run the test again."))
        .toList();
  }

  private List<String> problems() {
    Provenance planned = plan.server().provenance();
    Set<String> problems = new LinkedHashSet<>();
    if (planned != null) {
      problems.addAll(planned.problemsOrNone());
      if (ended == null) {
        problems.add(
            "nobody has looked at servers and runner when the test had ended: the operator did not"
                + " come within its time; see that it runs until the end of a test");
      } else {
        problems.addAll(ended.problemsOrNone());
        problems.addAll(changes(planned, ended));
      }
    }
    engineChanges.forEach(
        change -> problems.add(change + "; see that nobody changes servers during a test"));
    return List.copyOf(problems);
  }

  /**
   * What of the servers is not as it was planned. What was not known before or after is no change.
   */
  static List<String> changes(Provenance planned, Provenance ended) {
    Map<String, Servers> before = byPod(planned);
    Map<String, Servers> after = byPod(ended);
    List<String> changes = new ArrayList<>();
    before.forEach(
        (pod, was) -> {
          Servers is = after.get(pod);
          if (is == null) {
            changes.add("pod " + pod + " of the plan is gone at the end of the test");
            return;
          }
          List<String> how = new ArrayList<>();
          changed(how, "image", was.image(), is.image());
          changed(how, "digest of its image", was.imageId(), is.imageId());
          changed(how, "command", line(was.command()), line(is.command()));
          if (!Objects.equals(was.args(), is.args())) {
            how.add("arguments " + onlyIn(orNone(is.args()), orNone(was.args())));
          }
          Gpus gpus = was.gpus();
          Gpus now = is.gpus();
          if (gpus != null && now != null) {
            changed(how, "number of GPUs", gpus.count(), now.count());
            changed(how, "GPU product", gpus.product(), now.product());
            changed(how, "driver of its GPUs", gpus.driver(), now.driver());
          }
          if (!how.isEmpty()) {
            changes.add(
                "pod "
                    + pod
                    + " has at the end of the test another "
                    + String.join(", ", how)
                    + "; see that nobody changes servers during a test");
          }
        });
    return changes;
  }

  private static void changed(
      List<String> how, String what, @Nullable Object was, @Nullable Object is) {
    if (was != null && is != null && !was.equals(is)) {
      how.add(what + ", " + is + " and not " + was);
    }
  }

  /** The arguments that are new, and those that are gone. */
  private static String onlyIn(List<String> is, List<String> was) {
    List<String> added = new ArrayList<>(is);
    List<String> removed = new ArrayList<>(was);
    was.forEach(added::remove);
    is.forEach(removed::remove);
    return "("
        + (added.isEmpty() ? "" : "with " + Excerpt.of(String.join(" ", added), 150))
        + (added.isEmpty() || removed.isEmpty() ? "" : ", ")
        + (removed.isEmpty() ? "" : "without " + Excerpt.of(String.join(" ", removed), 150))
        + (added.isEmpty() && removed.isEmpty() ? "in another order" : "")
        + ")";
  }

  private static List<String> orNone(@Nullable List<String> words) {
    return words == null ? List.of() : words;
  }

  private static @Nullable String line(@Nullable List<String> words) {
    return words == null ? null : String.join(" ", words);
  }

  private static Map<String, Servers> byPod(Provenance provenance) {
    Map<String, Servers> all = new LinkedHashMap<>();
    for (Servers alike : provenance.serversOrNone()) {
      for (ServerPod pod : alike.pods()) {
        all.put(pod.name(), alike);
      }
    }
    return all;
  }
}
