package dev.loadgen.mlflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Excerpt;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.mlflow.MlflowRest.RefusedException;
import dev.loadgen.results.ResultsFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports one published results folder: an MLflow run with parameters, metrics, tags, a description
 * and every file of the folder as an artifact below {@code output/}. A folder that is in the
 * experiment already is not exported again.
 *
 * <p>{@link #export} is called once, by one thread; {@link #cancel} by any.
 */
public final class MlflowExport {
  /** What a server may take to answer one call, or to take the next bytes of a file. */
  public static final Duration SILENCE = Duration.ofSeconds(30);

  /** The tag that tells which run of ours an MLflow run is. */
  static final String UID_TAG = "loadgen.uid";

  /** The tag that a run has once everything is exported. */
  static final String COMPLETE_TAG = "loadgen.export";

  private static final Logger LOG = LoggerFactory.getLogger(MlflowExport.class);

  /** Most parameters, and most tags, of one call: mlflow/utils/validation.py. */
  private static final int PARAMETERS = 100;

  /** Most metrics of one call. */
  private static final int METRICS = 1000;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final MlflowTarget target;
  private final MlflowRest rest;

  /**
   * An export that has yet to begin.
   *
   * @param limit of all that follows; begins now
   */
  public MlflowExport(MlflowTarget target, Duration limit) {
    this(
        target,
        new MlflowRest(
            target.url(),
            target.token(),
            new MlflowRest.Limits(limit, SILENCE, Duration.ofSeconds(1), Duration.ofSeconds(2)),
            System::nanoTime));
  }

  MlflowExport(MlflowTarget target, MlflowRest rest) {
    this.target = target;
    this.rest = rest;
  }

  /** What is known of a folder. */
  private record Exported(Path folder, RunPlan plan, RunSummary summary, String loadGenSummary) {}

  private record Run(String experiment, String id, String artifacts) {}

  /**
   * Exports a folder.
   *
   * @return the page of the MLflow run
   * @throws ExportException if not all of it is in MLflow; what was begun is marked as failed there
   */
  public String export(Path folder) throws ExportException, InterruptedException {
    try (rest) {
      Exported exported = read(folder);
      try {
        String experiment = experiment();
        String earlier = earlier(experiment, exported.plan().run().id());
        if (earlier != null) {
          LOG.info("exported before: {}", page(experiment, earlier));
          return page(experiment, earlier);
        }
        return export(exported, begin(experiment, exported));
      } catch (RefusedException e) {
        throw refused(e);
      }
    }
  }

  /** Ends the export soon: the call in flight fails, and the run is marked. */
  public void cancel() {
    rest.cancel();
  }

  private String export(Exported exported, Run run) throws ExportException, InterruptedException {
    String page = page(run.experiment(), run.id());
    try {
      log(exported, run);
      artifacts(exported, run);
      end(exported, run);
      return page;
    } catch (RefusedException e) {
      giveUp(run);
      throw refused(e).of(page);
    } catch (ExportException e) {
      giveUp(run);
      throw e.of(page);
    } catch (InterruptedException e) {
      giveUp(run);
      throw e;
    }
  }

  private static Exported read(Path folder) throws ExportException {
    if (!Files.isRegularFile(folder.resolve(ResultsFolder.MANIFEST))) {
      throw new ExportException(
          folder
              + ": no "
              + ResultsFolder.MANIFEST
              + ", so this is not the folder of a run that has ended; give results/NAMESPACE/RUN/UID");
    }
    Path loadGenSummary = folder.resolve(ResultsFolder.LOADGEN_SUMMARY);
    return new Exported(
        folder,
        read(folder.resolve(ResultsFolder.PLAN), RunPlan.class),
        read(folder.resolve(ResultsFolder.SUMMARY), RunSummary.class),
        // A test that failed early has none.
        Files.exists(loadGenSummary) ? text(loadGenSummary) : "");
  }

  private static <T> T read(Path file, Class<T> type) throws ExportException {
    try {
      return ContractJson.read(Files.readString(file), type);
    } catch (NoSuchFileException e) {
      throw new ExportException(file + " is missing; the folder is not complete", e);
    } catch (IOException e) {
      throw new ExportException(
          file + " cannot be read by this version: " + firstLine(e.getMessage()), e);
    }
  }

  private static String text(Path file) throws ExportException {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new ExportException(file + " cannot be read: " + e, e);
    }
  }

  /** Finds the experiment by its name, or makes it; somebody else may make it at the same time. */
  private String experiment() throws ExportException, RefusedException, InterruptedException {
    String found = find();
    if (found != null) {
      return found;
    }
    try {
      return id(
          rest.post(
              "mlflow/experiments/create", JSON.objectNode().put("name", target.experiment())),
          "/experiment_id");
    } catch (RefusedException e) {
      String made = e.code().equals("RESOURCE_ALREADY_EXISTS") ? find() : null;
      if (made != null) {
        return made;
      }
      throw e;
    }
  }

  private @Nullable String find() throws ExportException, RefusedException, InterruptedException {
    JsonNode answer;
    try {
      answer = rest.get("mlflow/experiments/get-by-name", "experiment_name", target.experiment());
    } catch (RefusedException e) {
      if (e.code().equals("RESOURCE_DOES_NOT_EXIST")) {
        return null;
      }
      throw e;
    }
    String id = id(answer, "/experiment/experiment_id");
    if (answer.at("/experiment/lifecycle_stage").asText().equals("deleted")) {
      throw new ExportException(
          ("experiment %s is deleted; restore it (mlflow experiments restore --experiment-id"
                  + " %s), or name another")
              .formatted(target.experiment(), id));
    }
    return id;
  }

  /** The MLflow run that this run of ours was wholly exported to; null if there is none. */
  private @Nullable String earlier(String experiment, String uid)
      throws ExportException, RefusedException, InterruptedException {
    ObjectNode search = JSON.objectNode();
    search.putArray("experiment_ids").add(experiment);
    search
        .put(
            "filter",
            "tags.`"
                + UID_TAG
                + "` = '"
                + uid.replace("'", "")
                + "' and tags.`"
                + COMPLETE_TAG
                + "` = 'complete'")
        .put("max_results", 1);
    JsonNode found = rest.post("mlflow/runs/search", search).at("/runs/0/info/run_id");
    return found.isTextual() ? found.textValue() : null;
  }

  private Run begin(String experiment, Exported exported)
      throws ExportException, RefusedException, InterruptedException {
    ObjectNode create =
        JSON.objectNode()
            .put("experiment_id", experiment)
            .put("run_name", exported.plan().run().name())
            .put("start_time", Instant.parse(exported.summary().startedAt()).toEpochMilli());
    JsonNode answer = rest.postOnce("mlflow/runs/create", create);
    return new Run(
        experiment, id(answer, "/run/info/run_id"), answer.at("/run/info/artifact_uri").asText(""));
  }

  private void log(Exported exported, Run run)
      throws ExportException, RefusedException, InterruptedException {
    Map<String, Double> loadGen = SummaryMetrics.metrics(exported.loadGenSummary());
    log(run, "tags", values(tags(exported), MlflowNames.TAG), PARAMETERS);
    log(
        run,
        "params",
        values(RunParameters.of(exported.plan(), loadGen), MlflowNames.PARAMETER),
        PARAMETERS);
    long time = Instant.parse(exported.summary().finishedAt()).toEpochMilli();
    List<ObjectNode> metrics = new ArrayList<>();
    RunMetrics.of(exported.summary(), loadGen)
        .forEach(
            (name, value) ->
                metrics.add(
                    JSON.objectNode()
                        .put("key", MlflowNames.key(name))
                        .put("value", value)
                        .put("timestamp", time)
                        .put("step", 0)));
    log(run, "metrics", metrics, METRICS);
  }

  private void log(Run run, String kind, List<ObjectNode> values, int most)
      throws ExportException, RefusedException, InterruptedException {
    for (int from = 0; from < values.size(); from += most) {
      ObjectNode batch = JSON.objectNode().put("run_id", run.id());
      ArrayNode array = batch.putArray(kind);
      values.subList(from, Math.min(from + most, values.size())).forEach(array::add);
      rest.post("mlflow/runs/log-batch", batch);
    }
  }

  private static List<ObjectNode> values(Map<String, String> of, int length) {
    List<ObjectNode> values = new ArrayList<>();
    of.forEach(
        (name, value) ->
            values.add(
                JSON.objectNode()
                    .put("key", MlflowNames.key(name))
                    .put("value", Excerpt.of(value, length))));
    return values;
  }

  /** The user's tags, and ours, which find a run again. */
  private Map<String, String> tags(Exported exported) {
    RunPlan plan = exported.plan();
    RunSummary summary = exported.summary();
    Map<String, String> tags = new LinkedHashMap<>();
    tags.put("client_type", "loadgen");
    tags.put("mlflow.source.name", "loadgen-operator");
    tags.putAll(target.tags());
    String description = description(exported);
    tags.put("mlflow.note.content", description);
    tags.put("description", description);
    tags.put("loadgen.namespace", plan.run().namespace());
    tags.put("loadgen.run", plan.run().name());
    tags.put(UID_TAG, plan.run().id());
    if (summary.verdict() != null) {
      tags.put("loadgen.verdict", summary.verdict().name());
    }
    if (summary.failure() != null) {
      tags.put("loadgen.failure", summary.failure().reason());
    }
    return tags;
  }

  private String description(Exported exported) {
    String given = target.description();
    if (given != null && !given.isBlank()) {
      return given;
    }
    RunPlan plan = exported.plan();
    RunSummary summary = exported.summary();
    StringBuilder text = new StringBuilder("MLPerf LoadGen test run\n");
    text.append("Scenario: ").append(plan.test().scenario()).append('\n');
    text.append("Test mode: ").append(plan.test().mode()).append('\n');
    if (summary.failure() != null) {
      text.append("Failure: ").append(summary.failure().reason()).append(": ");
      text.append(summary.failure().message()).append('\n');
    } else {
      text.append("Verdict: ").append(summary.verdict()).append('\n');
    }
    if (summary.result() != null && summary.result().durationSeconds() != null) {
      text.append(
          String.format(
              Locale.ROOT, "Duration: %.2f seconds%n", summary.result().durationSeconds()));
      text.append("Samples answered: ").append(summary.result().completed()).append('\n');
      text.append("Samples failed: ").append(summary.result().failed()).append('\n');
    }
    return text.toString();
  }

  private void artifacts(Exported exported, Run run)
      throws ExportException, RefusedException, InterruptedException {
    HttpUrl root = artifactRoot(run.artifacts());
    for (Path file : files(exported.folder())) {
      HttpUrl.Builder url = root.newBuilder().addPathSegment("output");
      Path relative = exported.folder().relativize(file);
      relative.forEach(segment -> url.addPathSegment(segment.toString()));
      rest.put(url.build(), relative.toString(), file);
    }
    rest.put(
        root.newBuilder().addPathSegment("description.txt").build(),
        "description.txt",
        description(exported));
  }

  /** The manifest comes last here too: where it is, everything is. */
  private static List<Path> files(Path folder) throws ExportException {
    try (Stream<Path> all = Files.walk(folder)) {
      Path manifest = folder.resolve(ResultsFolder.MANIFEST);
      List<Path> files =
          new ArrayList<>(
              all.filter(Files::isRegularFile)
                  .filter(file -> !file.equals(manifest))
                  .sorted()
                  .toList());
      files.add(manifest);
      return files;
    } catch (IOException e) {
      throw new ExportException(folder + " cannot be read: " + e, e);
    }
  }

  /**
   * Where the tracking server takes a run's files: below its own address for {@code
   * mlflow-artifacts}, or at another server that speaks the same protocol. Other stores need the
   * client library of each.
   */
  private HttpUrl artifactRoot(String uri) throws ExportException {
    if (uri.startsWith("mlflow-artifacts:/")) {
      HttpUrl base = target.url();
      String path = uri.substring("mlflow-artifacts:".length());
      if (path.startsWith("//")) {
        HttpUrl other = HttpUrl.parse(base.scheme() + ":" + path);
        if (other == null || other.pathSegments().isEmpty()) {
          throw unknownStore(uri);
        }
        base = base.newBuilder().host(other.host()).port(portOf(path, base, other)).build();
        path = other.encodedPath();
      }
      return base.newBuilder()
          .addPathSegments("api/2.0/mlflow-artifacts/artifacts")
          .addEncodedPathSegments(path.replaceFirst("^/+", ""))
          .build();
    }
    HttpUrl url = HttpUrl.parse(uri);
    if (url == null) {
      throw unknownStore(uri);
    }
    return url;
  }

  /** The other server's port where it is written, else the one that is talked to. */
  private static int portOf(String path, HttpUrl base, HttpUrl other) {
    return path.matches("//[^/]*:[0-9]+(/.*)?") ? other.port() : base.port();
  }

  private static ExportException unknownStore(String uri) {
    return new ExportException(
        "parameters and metrics are exported, but the experiment keeps its artifacts at \""
            + uri
            + "\", which only a client of that store can write to; start the tracking server with"
            + " --serve-artifacts and name a new experiment");
  }

  private void end(Exported exported, Run run)
      throws ExportException, RefusedException, InterruptedException {
    log(run, "tags", values(Map.of(COMPLETE_TAG, "complete"), MlflowNames.TAG), PARAMETERS);
    rest.post(
        "mlflow/runs/update",
        JSON.objectNode()
            .put("run_id", run.id())
            .put("status", status(exported.summary()))
            .put("end_time", Instant.parse(exported.summary().finishedAt()).toEpochMilli()));
  }

  /** Finished means that the test ran to its end, whatever its verdict. */
  private static String status(RunSummary summary) {
    if (summary.failure() == null) {
      return "FINISHED";
    }
    return summary.failure().reason().equals(RunnerExit.INTERRUPTED.reason()) ? "KILLED" : "FAILED";
  }

  /** So that nobody waits for the rest, or compares with half a run. */
  private void giveUp(Run run) {
    try {
      rest.postLast(
          "mlflow/runs/update",
          JSON.objectNode()
              .put("run_id", run.id())
              .put("status", "FAILED")
              .put("end_time", System.currentTimeMillis()));
    } catch (ExportException | RefusedException e) {
      LOG.warn("the MLflow run {} stays open: {}", run.id(), e.getMessage());
    }
  }

  private static ExportException refused(RefusedException e) {
    String cure =
        switch (e.status()) {
          case 401, 403 -> "; give the token of a user who may write there";
          case 404 -> "; is there an MLflow server at this URL?";
          default -> "";
        };
    return new ExportException(e.getMessage() + cure, e);
  }

  private static String id(JsonNode answer, String pointer) throws ExportException {
    JsonNode id = answer.at(pointer);
    if (!id.isTextual() || id.textValue().isEmpty()) {
      throw new ExportException(
          "MLflow answered without " + pointer.substring(1).replace('/', '.'));
    }
    return id.textValue();
  }

  /** The page of a run in MLflow's user interface. */
  private String page(String experiment, String run) {
    String base = target.url().toString().replaceFirst("/$", "");
    return base + "/#/experiments/" + experiment + "/runs/" + run;
  }

  private static String firstLine(@Nullable String text) {
    return text == null ? "" : text.lines().findFirst().orElse("");
  }
}
