package dev.loadgen.contract;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.loadgen.api.v1alpha1.DatasetFormat;
import dev.loadgen.api.v1alpha1.EndpointType;
import dev.loadgen.api.v1alpha1.Engine;
import dev.loadgen.api.v1alpha1.LoadBalancing;
import dev.loadgen.api.v1alpha1.Scenario;
import dev.loadgen.api.v1alpha1.TestMode;
import java.util.List;

/**
 * Everything that the runner needs to know for one test, with all defaults filled in. A component
 * documented as nullable may be absent in the JSON; all others must be there. Durations are in
 * milliseconds.
 *
 * @param version {@link #VERSION}; the runner refuses any other
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunPlan(
    int version,
    Run run,
    Test test,
    Server server,
    Dataset dataset,
    Client client,
    Sampling sampling,
    Timeouts timeouts) {
  /** The version of this contract. */
  public static final int VERSION = 1;

  /** The run that this plan is of; names the results folder {@code NAME/UID}. */
  public record Run(String namespace, String name, String uid) {}

  /**
   * What LoadGen shall do.
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
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
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
      CompletionData completionData) {}

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

  /** The servers to drive. */
  public record Server(
      Engine engine, EndpointType endpointType, String model, List<Replica> replicas) {}

  /** One server: its name in results, and its base URL without a path. */
  public record Replica(String name, String url) {}

  /**
   * The samples.
   *
   * @param path path below the runner's dataset folder; nullable: url
   * @param url http or https; nullable: path
   * @param textColumn nullable: the usual names
   * @param tokenIdsColumn nullable: the usual names
   * @param targetColumn nullable: the usual names
   * @param sha256 nullable: any content
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Dataset(
      String path,
      String url,
      DatasetFormat format,
      String textColumn,
      String tokenIdsColumn,
      String targetColumn,
      String sha256) {}

  /**
   * How requests are sent.
   *
   * @param batchSize samples a request, 1 or more; more than 1 only in Offline without streaming
   * @param maxConcurrency most requests in flight; nullable: no bound
   * @param requestTimeoutMs after which a request's samples have failed
   * @param warmupRequests requests to each replica before the test
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Client(
      int batchSize,
      Integer maxConcurrency,
      boolean streaming,
      LoadBalancing loadBalancing,
      long requestTimeoutMs,
      int warmupRequests) {}

  /**
   * How the model generates in this test's mode; what is null is not sent. {@code maxNewTokens} is
   * always there.
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Sampling(
      Double temperature,
      Integer topK,
      Double topP,
      Integer minTokens,
      Integer maxNewTokens,
      Long seed,
      Boolean ignoreEos) {}

  /**
   * Deadlines of the runner.
   *
   * @param readyMs how long to wait for each server's health check
   * @param runMs from the runner's start until its summary
   */
  public record Timeouts(long readyMs, long runMs) {}
}
