package dev.loadgen.contract;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that the runner needs to know for one test, with all defaults filled in. A component
 * documented as nullable may be absent in the JSON; all others must be there. Durations are in
 * milliseconds.
 *
 * @param version {@link #VERSION}; the runner refuses any other
 * @param accuracy nullable: answers are not scored
 * @param mlflow nullable: nothing is exported
 * @param debug whether token statistics and the phases of each request are kept
 * @param signed whether {@link RunnerInterface#SIGNING_KEY_FILE} signs the results; nullable: no
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@RecordBuilder
public record RunPlan(
    int version,
    Run run,
    Test test,
    Server server,
    Dataset dataset,
    Client client,
    Sampling sampling,
    Accuracy accuracy,
    Metrics metrics,
    Mlflow mlflow,
    boolean debug,
    Timeouts timeouts,
    Boolean signed)
    implements RunPlanBuilder.With {
  /** The version of this contract. */
  public static final int VERSION = 2;

  /** What is wrong with the first part that every plan has and this one lacks; empty: nothing. */
  public Optional<String> lacking() {
    Parts parts = new Parts();
    parts.of("", "run", run, "test", test, "server", server, "dataset", dataset);
    parts.of("", "client", client, "sampling", sampling, "metrics", metrics, "timeouts", timeouts);
    if (parts.missing()) {
      return parts.lacking();
    }
    parts.of("run.", "namespace", run.namespace, "name", run.name, "uid", run.uid);
    parts.of("test.", "benchmark", test.benchmark, "ruleset", test.ruleset);
    parts.of("test.", "scenario", test.scenario, "mode", test.mode);
    parts.of("test.", "completionData", test.completionData);
    parts.of("server.", "engine", server.engine, "endpointType", server.endpointType);
    parts.of("server.", "model", server.model, "replicas", server.replicas);
    parts.noNulls("server.replicas", server.replicas);
    if (server.draft != null) {
      parts.of("server.draft.", "others", server.draft.others);
      parts.noNulls("server.draft.others", server.draft.others);
    }
    parts.of("dataset.", "format", dataset.format);
    parts.of("client.", "loadBalancing", client.loadBalancing);
    parts.noNulls("sampling.stop", sampling.stop);
    parts.noNulls("sampling.stopTokenIds", sampling.stopTokenIds);
    parts.of("metrics.", "series", metrics.series);
    parts.noNulls("metrics.series", metrics.series);
    if (!parts.missing()) {
      for (Replica replica : server.replicas) {
        parts.of("server.replicas.", "name", replica.name, "url", replica.url);
      }
    }
    parts.provenance("server.provenance", server.provenance);
    Profiling profiling = server.profiling;
    if (profiling != null) {
      parts.of("server.profiling.", "tool", profiling.tool, "claimName", profiling.claimName);
      parts.of("server.profiling.", "folder", profiling.folder);
    }
    if (mlflow != null) {
      parts.of("mlflow.", "url", mlflow.url, "experiment", mlflow.experiment);
      parts.noNulls("mlflow.tags", mlflow.tags == null ? null : mlflow.tags.values());
    }
    Guided guided = sampling.guided;
    if (guided != null) {
      parts.of("sampling.guided.", "field", guided.field, "jsonSchema", guided.jsonSchema);
    }
    return parts.lacking();
  }

  /**
   * As results have it, which more people read: URLs are {@linkplain Urls#shown without} what lets
   * somebody in.
   */
  public RunPlan withoutCredentials() {
    return with()
        .dataset(dataset.withoutCredentials())
        .mlflow(mlflow == null ? null : mlflow.withoutCredentials())
        .build();
  }

  /**
   * The run that this plan is of.
   *
   * @param epoch which start of the test it is; nullable: the first
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Run(String namespace, String name, String uid, Integer epoch) {
    /** What no other start of any test has: names the results folder, below that of the name. */
    public String id() {
      return epoch == null || epoch == 1 ? uid : uid + "-" + epoch;
    }
  }

  /**
   * What LoadGen is to do.
   *
   * @param benchmark id of the benchmark, such as {@code llama3.1-8b}, or {@code custom}
   * @param ruleset name of the ruleset, or {@code none}
   * @param modelKey LoadGen's model key into its embedded mlperf.conf; nullable: no key, LoadGen's
   *     wildcard defaults
   * @param targetQps nullable: what LoadGen's configuration says
   * @param minDurationMs nullable: what LoadGen's configuration says
   * @param maxDurationMs nullable: no bound
   * @param minQueryCount nullable: what LoadGen's configuration says
   * @param maxQueryCount nullable: no bound
   * @param performanceSampleCount nullable: LoadGen's configuration, at most the dataset's size
   * @param tokenLatencies whether LoadGen measures TTFT and TPOT instead of whole latencies; needs
   *     streaming
   * @param ttftLimitMs nullable: what LoadGen's configuration says
   * @param tpotLimitMs nullable: what LoadGen's configuration says
   * @param latencyLimitMs nullable: what LoadGen's configuration says
   * @param userConf nullable: lines of a user.conf, applied after all else
   * @param completionData what the accuracy log holds for each sample
   * @param compliance the compliance test that this is, such as {@code TEST06}; nullable: none
   * @param failFast whether the test ends as soon as it can no longer be Valid; nullable: no
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record Test(
      String benchmark,
      String ruleset,
      Scenario scenario,
      TestMode mode,
      String modelKey,
      Double targetQps,
      Long minDurationMs,
      Long maxDurationMs,
      Long minQueryCount,
      Long maxQueryCount,
      Integer performanceSampleCount,
      boolean coalesceQueries,
      boolean tokenLatencies,
      Double ttftLimitMs,
      Double tpotLimitMs,
      Double latencyLimitMs,
      String userConf,
      CompletionData completionData,
      String compliance,
      Boolean failFast) {}

  /**
   * What a completion carries into LoadGen's accuracy log, as the benchmark's own evaluator reads
   * it.
   */
  public enum CompletionData {
    /** All output token ids as little-endian int32. */
    TOKEN_IDS,
    /** The answer as UTF-8. */
    TEXT
  }

  /**
   * The servers to drive.
   *
   * @param access nullable: nothing is needed to be let in
   * @param logs whether the operator sends the servers' logs after the test, by {@link ServerLogs};
   *     nullable: it does not, since the servers are somebody else's
   * @param profiling nullable: the servers run under no profiler
   * @param draft nullable: their arguments name no draft model, or are not known
   * @param provenance what the operator saw of servers and runner when it made the plan; it looks
   *     again when the test has ended, and tells the runner by {@link
   *     RunnerInterface#PROVENANCE_PATH}; nullable: nobody looks
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record Server(
      Engine engine,
      EndpointType endpointType,
      String model,
      List<Replica> replicas,
      Access access,
      Boolean logs,
      Profiling profiling,
      Draft draft,
      Provenance provenance) {}

  /**
   * How the servers' arguments say that they speculate. Each component but {@code others} is
   * nullable: the arguments do not say, and it is for the engine to choose.
   *
   * @param model of the tokens that are drafted: a name on the Hugging Face hub, or a folder
   * @param algorithm as the engine calls it
   * @param steps tokens that are drafted one after the other
   * @param topK candidates at each step
   * @param others settings that are none of these and change what is drafted or accepted
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Draft(
      String model, String algorithm, Integer steps, Integer topK, List<String> others) {}

  /**
   * The profiler that the servers run under.
   *
   * @param claimName the claim that has the traces
   * @param folder their folder in the claim; each pod has one below it
   * @param afterMs from the first query until the servers begin to record; nullable: they record
   *     all the time, and nothing starts or stops them
   * @param durationMs how long they record; null like {@code afterMs}
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Profiling(
      ProfilingTool tool, String claimName, String folder, Long afterMs, Long durationMs) {}

  /**
   * Which files of {@link RunnerInterface#SECRETS_OPTION} requests to the servers need. The plan
   * never holds a secret itself.
   *
   * @param apiKey whether {@link RunnerInterface#API_KEY_FILE} is the bearer token
   * @param headers whether each file of {@link RunnerInterface#HEADERS_FOLDER} is a header
   * @param certificateAuthority whether {@link RunnerInterface#CA_FILE} is what https is checked
   *     against
   */
  public record Access(boolean apiKey, boolean headers, boolean certificateAuthority) {}

  /** One server: its name in results, and its base URL, without the {@code /v1} of its routes. */
  public record Replica(String name, String url) {}

  /**
   * The samples.
   *
   * @param path path below the runner's dataset folder; nullable: url
   * @param url http or https; nullable: path
   * @param columns nullable: the usual names
   * @param sha256 nullable: any content
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Dataset(
      String path, String url, DatasetFormat format, Columns columns, String sha256) {
    private Dataset withoutCredentials() {
      return new Dataset(path, url == null ? null : Urls.shown(url), format, columns, sha256);
    }
  }

  /** Names of columns; each is nullable: the usual names. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record Columns(
      String text,
      String tokenIds,
      String inputLength,
      String target,
      String messages,
      String image,
      String title,
      String description,
      String systemMessage) {}

  /**
   * How requests are sent.
   *
   * @param batchSize samples a request, 1 or more; more than 1 only in Offline without streaming
   * @param maxConcurrency most requests in flight; nullable: no bound
   * @param requestTimeoutMs after which a request's samples have failed
   * @param warmupRequests requests to each replica before the test
   * @param retries times that a failed request is sent again
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record Client(
      int batchSize,
      Integer maxConcurrency,
      boolean streaming,
      LoadBalancing loadBalancing,
      long requestTimeoutMs,
      int warmupRequests,
      int retries) {}

  /**
   * How the model generates in this test's mode; what is null is not sent. {@code maxNewTokens} is
   * always there.
   *
   * @param guided nullable: answers are free
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record Sampling(
      Double temperature,
      Integer topK,
      Double topP,
      Double minP,
      Double repetitionPenalty,
      Double presencePenalty,
      Double frequencyPenalty,
      List<String> stop,
      List<Integer> stopTokenIds,
      Integer minTokens,
      Integer maxNewTokens,
      Long seed,
      Boolean ignoreEos,
      Guided guided) {
    /**
     * Names of what is set beyond temperature, top-k, top-p, lengths and guided decoding, and
     * changes answers.
     */
    public List<String> furtherSettings() {
      List<String> names = new ArrayList<>();
      add(names, "minP", minP != null && minP != 0);
      add(names, "repetitionPenalty", repetitionPenalty != null && repetitionPenalty != 1);
      add(names, "presencePenalty", presencePenalty != null && presencePenalty != 0);
      add(names, "frequencyPenalty", frequencyPenalty != null && frequencyPenalty != 0);
      add(names, "stop", stop != null && !stop.isEmpty());
      add(names, "stopTokenIds", stopTokenIds != null && !stopTokenIds.isEmpty());
      add(names, "ignoreEos", Boolean.TRUE.equals(ignoreEos));
      return names;
    }

    /**
     * Names of what is set and OpenAI's API cannot say, though engines of their own API can. What
     * has no effect is not among them, such as a top-k of -1 or any top-k at temperature 0.
     */
    public List<String> beyondOpenAi() {
      List<String> names = new ArrayList<>();
      boolean greedy = temperature != null && temperature == 0;
      add(names, "temperature above 2", temperature != null && temperature > 2);
      add(names, "topK", topK != null && topK > 0 && !greedy);
      add(names, "minP", minP != null && minP != 0 && !greedy);
      add(names, "repetitionPenalty", repetitionPenalty != null && repetitionPenalty != 1);
      add(names, "more than 4 texts in stop", stop != null && stop.size() > 4);
      add(names, "stopTokenIds", stopTokenIds != null && !stopTokenIds.isEmpty());
      add(names, "minTokens", minTokens != null && minTokens > 0);
      add(names, "ignoreEos", Boolean.TRUE.equals(ignoreEos));
      return names;
    }

    private static void add(List<String> names, String name, boolean set) {
      if (set) {
        names.add(name);
      }
    }
  }

  /**
   * Constrained decoding.
   *
   * @param name of the schema, where the field has a place for it
   * @param jsonSchema the schema as JSON
   */
  public record Guided(GuidedDecodingField field, String name, String jsonSchema) {}

  /**
   * How answers are scored.
   *
   * @param tokenizer path of a tokenizer.json below the runner's dataset folder; nullable: the one
   *     beside the dataset
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Accuracy(String tokenizer) {}

  /**
   * What is read from the servers' metrics.
   *
   * @param intervalMs time between two readings of each server
   * @param series further series that the report plots
   */
  public record Metrics(long intervalMs, List<String> series) {}

  /**
   * Where the run is exported to.
   *
   * @param url base URL of the tracking server
   * @param description nullable: none
   * @param token whether {@link RunnerInterface#MLFLOW_TOKEN_FILE} is the bearer token
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Mlflow(
      String url, String experiment, String description, Map<String, String> tags, boolean token) {
    private Mlflow withoutCredentials() {
      return new Mlflow(Urls.shown(url), experiment, description, tags, token);
    }
  }

  /**
   * Deadlines of the runner.
   *
   * @param readyMs how long to wait for each server's health check
   * @param runMs from the runner's start until its summary
   */
  public record Timeouts(long readyMs, long runMs) {}
}
