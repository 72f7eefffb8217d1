package dev.loadgen.results.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.RunSummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run to compare.
 *
 * @param stored all of it; null where a summary alone was named
 */
public record ComparedRun(String path, RunSummary summary, @Nullable StoredRun stored) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What the environment has of the test itself, or of its dataset. */
  private static final List<String> MEASURED =
      List.of(
          "client.",
          "dataset.",
          "serverMetrics",
          "firstIssueNanoTime",
          // What was measured is told by itself.
          StoredProvenance.ENDED,
          StoredProvenance.ENGINE,
          "runnerVersion");

  /**
   * Reads a results folder, or a {@code summary.json} alone.
   *
   * @throws UnreadableRunException if it is neither
   */
  public static ComparedRun read(Path path) throws UnreadableRunException {
    if (!Files.exists(path)) {
      throw new UnreadableRunException(
          path + ": there is no such file; name a results folder or a summary.json");
    }
    if (Files.isDirectory(path)) {
      StoredRun stored = StoredRun.readPublished(path);
      return new ComparedRun(path.toString(), stored.summary(), stored);
    }
    return new ComparedRun(path.toString(), StoredRun.readSummary(path), null);
  }

  /** The run's name; of a summary alone the first part of its results path. */
  public String name() {
    if (stored != null) {
      return stored.plan().run().name();
    }
    String results = summary.resultsPath();
    return results == null ? path : results.replaceFirst("/.*", "");
  }

  /** The verdict, or that there is none. */
  public String verdict() {
    if (summary.failure() != null) {
      return "Failed";
    }
    return summary.verdict() == null ? "none" : summary.verdict().name();
  }

  /**
   * What was asked for, by names such as {@code test.scenario}; empty if it is not known. What
   * names the run and its servers is left out.
   */
  Map<String, String> plan() {
    if (stored == null) {
      return Map.of();
    }
    JsonNode tree = JSON.valueToTree(stored.plan());
    Map<String, String> values = new LinkedHashMap<>(Settings.flattened(tree));
    values
        .keySet()
        .removeIf(
            name ->
                name.equals("version")
                    || name.startsWith("run.")
                    || name.startsWith("server.provenance"));
    values.put("server.replicas", Integer.toString(stored.plan().server().replicas().size()));
    JsonNode sha256 = stored.environment().path("dataset").path("sha256");
    if (sha256.isTextual()) {
      // The same content may have many names.
      values.keySet().removeIf(name -> name.equals("dataset.path") || name.equals("dataset.url"));
      values.put("dataset.sha256", sha256.textValue());
    }
    return values;
  }

  /** What was measured, and by what; empty if it is not known. */
  Map<String, String> provenance() {
    return summary.provenance() == null
        ? Map.of()
        : new ProvenanceSection(summary.provenance(), summary.engine()).flattened();
  }

  /** What the client ran on; empty if it is not known. */
  Map<String, String> environment() {
    if (stored == null) {
      return Map.of();
    }
    Map<String, String> values = new LinkedHashMap<>(Settings.flattened(stored.environment()));
    values.keySet().removeIf(name -> MEASURED.stream().anyMatch(name::startsWith));
    return values;
  }
}
