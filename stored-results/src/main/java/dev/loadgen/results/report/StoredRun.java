package dev.loadgen.results.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.Scenario;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.accuracy.Scores;
import dev.loadgen.results.metrics.ServerMetrics;
import dev.loadgen.results.metrics.ServerMetricsFile;
import dev.loadgen.rules.evidence.ServerEvidence.TokenCount;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.UnreadableLogException;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * One test as the files of its results folder tell it; all that a report is made of, so that the
 * report which the runner writes and one that is made years later from the folder are the same.
 *
 * @param samples null if the test did not begin
 * @param environment as in {@code environment.json}
 * @param tokenCounts our count of output tokens and the server's, by replica; empty if the test did
 *     not end
 * @param limits of LoadGen's test, in milliseconds; null where there is none
 * @param serverMetrics what the servers said of themselves during the test
 * @param loadGenSummary LoadGen's {@code mlperf_log_summary.txt}; empty if there is none
 * @param accuracy {@code accuracy.json}; empty where answers were not scored
 * @param debugTokens statistics of tokens, of a run in debug mode; empty of any other
 * @param debugPhases statistics of the phases of requests, of a run in debug mode; empty of any
 *     other
 * @param runYaml the run as its author wrote it; empty if that was not kept
 * @param backendYaml the backend as its author wrote it; empty if that was not kept
 * @param files names of the folder's files, with {@code /}
 */
@RecordBuilder
public record StoredRun(
    RunPlan plan,
    RunSummary summary,
    @Nullable SampleColumns samples,
    JsonNode environment,
    List<TokenCount> tokenCounts,
    Limits limits,
    ServerMetrics serverMetrics,
    String loadGenSummary,
    JsonNode accuracy,
    JsonNode debugTokens,
    JsonNode debugPhases,
    String runYaml,
    String backendYaml,
    List<String> files) {
  private static final String DEBUG_TOKENS = "debug/token-statistics.json";
  private static final String DEBUG_PHASES = "debug/phases.json";

  /** LoadGen's summary is about 2 KB; more than this is not read. */
  private static final int LOADGEN_SUMMARY_BYTES = 64 * 1024;

  /** More than a ConfigMap can have brought. */
  private static final int YAML_BYTES = 1024 * 1024;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Limits in milliseconds; null where there is none. */
  public record Limits(
      @Nullable Double ttftMs, @Nullable Double tpotMs, @Nullable Double latencyMs) {}

  /**
   * Reads a folder that its run has published: each file that the manifest names is there and is
   * the one that was written.
   *
   * @throws UnreadableRunException if it is no such folder
   */
  public static StoredRun readPublished(Path folder) throws UnreadableRunException {
    if (!Files.isDirectory(folder)) {
      throw new UnreadableRunException(
          folder + ": is not a folder; name the results folder of a run, NAMESPACE/RUN/UID");
    }
    PublishedFiles.verify(
        folder,
        List.of(
            ResultsFolder.PLAN,
            ResultsFolder.SUMMARY,
            ResultsFolder.REQUESTS,
            ResultsFolder.ENVIRONMENT,
            ResultsFolder.TOKENS,
            ServerMetricsFile.NAME,
            ResultsFolder.LOADGEN_SUMMARY,
            Scores.FILE_NAME,
            DEBUG_TOKENS,
            DEBUG_PHASES,
            RunnerInterface.RUN_FILE,
            RunnerInterface.BACKEND_FILE));
    return read(folder);
  }

  /**
   * Reads a folder that may still lack its manifest.
   *
   * @throws UnreadableRunException if a file is missing, cut short, or of another version
   */
  public static StoredRun read(Path folder) throws UnreadableRunException {
    Path planFile = folder.resolve(ResultsFolder.PLAN);
    RunPlan plan = versioned(planFile, "version", RunPlan.VERSION, RunPlan.class);
    requireWhole(planFile, plan.lacking());
    RunSummary summary = readSummary(folder.resolve(ResultsFolder.SUMMARY));
    Path table = folder.resolve(ResultsFolder.REQUESTS);
    SampleColumns samples = null;
    if (Files.exists(table)) {
      samples = SampleColumns.read(table);
    } else if (summary.result() != null) {
      throw missing(table);
    }
    if (samples != null && summary.result() != null) {
      long told = summary.result().completed() + summary.result().failed();
      if (told != samples.size()) {
        throw new UnreadableRunException(
            "%s: holds %s samples, %s speaks of %s; the files are of different runs"
                .formatted(table, samples.size(), ResultsFolder.SUMMARY, told));
      }
    }
    return StoredRunBuilder.builder()
        .plan(plan)
        .summary(summary)
        .samples(samples)
        .environment(json(folder.resolve(ResultsFolder.ENVIRONMENT)))
        .tokenCounts(tokenCounts(folder.resolve(ResultsFolder.TOKENS)))
        .limits(limits(plan, folder.resolve(DetailLog.FILE_NAME)))
        .serverMetrics(serverMetrics(folder.resolve(ServerMetricsFile.NAME)))
        .loadGenSummary(text(folder.resolve(ResultsFolder.LOADGEN_SUMMARY), LOADGEN_SUMMARY_BYTES))
        .accuracy(optional(folder.resolve(Scores.FILE_NAME)))
        .debugTokens(optional(folder.resolve(DEBUG_TOKENS)))
        .debugPhases(optional(folder.resolve(DEBUG_PHASES)))
        .runYaml(text(folder.resolve(RunnerInterface.RUN_FILE), YAML_BYTES))
        .backendYaml(text(folder.resolve(RunnerInterface.BACKEND_FILE), YAML_BYTES))
        .files(FolderFiles.present(folder))
        .build();
  }

  /**
   * Reads a {@code summary.json} alone.
   *
   * @throws UnreadableRunException if it is none, or of another version
   */
  static RunSummary readSummary(Path file) throws UnreadableRunException {
    RunSummary summary = versioned(file, "version", RunSummary.VERSION, RunSummary.class);
    requireWhole(file, summary.lacking());
    return summary;
  }

  private static void requireWhole(Path file, Optional<String> lacking)
      throws UnreadableRunException {
    if (lacking.isPresent()) {
      throw new UnreadableRunException(file + ": " + lacking.get() + "; copy the file again");
    }
  }

  static JsonNode json(Path file) throws UnreadableRunException {
    return json(file, JsonNode.class);
  }

  private static <T> T versioned(Path file, String field, int version, Class<T> type)
      throws UnreadableRunException {
    JsonNode tree = json(file);
    JsonNode found = tree.path(field);
    if (!found.isInt()) {
      throw new UnreadableRunException(
          file + ": has no " + field + "; it is no " + file.getFileName() + " of a run");
    }
    if (found.intValue() != version) {
      throw new UnreadableRunException(
          ("%s: is of version %s, and this loadgen reads version %s; use the loadgen of the"
                  + " version that made the folder")
              .formatted(file, found.intValue(), version));
    }
    try {
      return ContractJson.read(tree.toString(), type);
    } catch (JsonProcessingException e) {
      throw new UnreadableRunException(
          file + ": " + JsonWords.of(e) + "; use the loadgen of the version that made the folder",
          e);
    }
  }

  private static <T> T json(Path file, Class<T> type) throws UnreadableRunException {
    try {
      T value = JSON.readValue(bytes(file), type);
      if (value instanceof JsonNode tree && !tree.isObject()) {
        throw new UnreadableRunException(file + ": is not a JSON object; copy the file again");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw notJson(file, e);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static ServerMetrics serverMetrics(Path file) throws UnreadableRunException {
    if (!Files.exists(file)) {
      return ServerMetrics.NONE;
    }
    try {
      return ServerMetricsFile.read(file);
    } catch (IOException e) {
      throw new UnreadableRunException(file + ": " + e.getMessage() + "; copy the file again", e);
    }
  }

  private static JsonNode optional(Path file) throws UnreadableRunException {
    return Files.exists(file) ? json(file) : JSON.createObjectNode();
  }

  static List<TokenCount> tokenCounts(Path file) throws UnreadableRunException {
    if (!Files.exists(file)) {
      return List.of();
    }
    try {
      List<TokenCount> counts =
          JSON.readValue(bytes(file), new TypeReference<List<TokenCount>>() {});
      if (counts == null
          || counts.stream().anyMatch(count -> count == null || count.replica() == null)) {
        throw new UnreadableRunException(
            file + ": is not a list of replicas and their tokens; copy the file again");
      }
      return counts;
    } catch (JsonProcessingException e) {
      throw notJson(file, e);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static byte[] bytes(Path file) throws IOException, UnreadableRunException {
    if (!Files.exists(file)) {
      throw missing(file);
    }
    return Files.readAllBytes(file);
  }

  private static UnreadableRunException missing(Path file) {
    return new UnreadableRunException(
        file + ": is missing; name a results folder with all of its files");
  }

  private static UnreadableRunException notJson(Path file, JsonProcessingException e) {
    String place = e.getLocation() == null ? "" : " at line " + e.getLocation().getLineNr();
    return new UnreadableRunException(
        file + ": is not JSON" + place + ", or ends too early; copy the file again", e);
  }

  private static UnreadableRunException unreadable(Path file, IOException e) {
    return new UnreadableRunException(file + ": cannot be read: " + e.getMessage(), e);
  }

  /** The plan's limits, and where it has none those that LoadGen says it used. */
  private static Limits limits(RunPlan plan, Path detailLog) {
    RunPlan.Test test = plan.test();
    if (test.scenario() != Scenario.Server && test.scenario() != Scenario.Interactive) {
      // LoadGen holds no other scenario against a limit.
      return new Limits(null, null, null);
    }
    Map<String, Double> used = new LinkedHashMap<>();
    try {
      DetailLog log = DetailLog.read(detailLog);
      if (test.tokenLatencies()) {
        effective(log, "requested_server_ttft_latency", used);
        effective(log, "requested_server_tpot_latency", used);
      } else {
        effective(log, "effective_target_latency_ns", used);
      }
    } catch (UnreadableLogException e) {
      // A test that did not begin has no log; the plan's own limits are then all there is.
    }
    return new Limits(
        or(test.ttftLimitMs(), used.get("requested_server_ttft_latency")),
        or(test.tpotLimitMs(), used.get("requested_server_tpot_latency")),
        or(test.latencyLimitMs(), used.get("effective_target_latency_ns")));
  }

  private static void effective(DetailLog log, String key, Map<String, Double> used) {
    OptionalDouble nanos = log.number(key);
    if (log.scenario().filter("Server"::equals).isPresent()
        && nanos.isPresent()
        && nanos.getAsDouble() > 0) {
      used.put(key, nanos.getAsDouble() / 1e6);
    }
  }

  private static @Nullable Double or(@Nullable Double first, @Nullable Double second) {
    return first == null ? second : first;
  }

  /** The beginning of a text; empty if there is none. */
  private static String text(Path file, int most) throws UnreadableRunException {
    if (!Files.exists(file)) {
      return "";
    }
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(most), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }
}
