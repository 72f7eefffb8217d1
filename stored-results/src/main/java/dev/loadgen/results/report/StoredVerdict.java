package dev.loadgen.results.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.ReplicaResult;
import dev.loadgen.results.AskedAnswers;
import dev.loadgen.results.ClientUsage;
import dev.loadgen.results.Concurrency;
import dev.loadgen.results.LaneLoad;
import dev.loadgen.results.NearestRank;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.accuracy.Scores;
import dev.loadgen.rules.AccuracyScores;
import dev.loadgen.rules.AskedAnswer;
import dev.loadgen.rules.DetailLog;
import dev.loadgen.rules.Division;
import dev.loadgen.rules.Finding;
import dev.loadgen.rules.Judge;
import dev.loadgen.rules.Judgement;
import dev.loadgen.rules.Limits;
import dev.loadgen.rules.LogEnds;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.rules.RunEvidence;
import dev.loadgen.rules.ScenarioRules;
import dev.loadgen.rules.SpeculativeDecoding;
import dev.loadgen.rules.UnreadableLogException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Judges a test by the files of its results folder. The runner judges so as well, so that whoever
 * judges the folder again, by the same ruleset, comes to the same verdict.
 */
public final class StoredVerdict {
  private final Path folder;
  private final RunPlan plan;
  private final RunResult result;
  private final Ruleset ruleset;

  private StoredVerdict(Path folder, RunPlan plan, RunResult result, Ruleset ruleset) {
    this.folder = folder;
    this.plan = plan;
    this.result = result;
    this.ruleset = ruleset;
  }

  private static final String OWN_METRICS =
      "Name the servers' own addresses, at which they answer /metrics themselves, not one of a"
          + " gateway; SGLang answers with --enable-metrics. If the engine is newer than this"
          + " program, so that its series have other names, use one that this program knows.";

  /** Key of {@code environment.json}: what servers took from prefix caches, by replica. */
  public static final String PREFIX_CACHE = "prefixCache";

  /** Key of {@code environment.json}: whether servers used a draft model, by replica. */
  public static final String SPECULATIVE_DECODING = "speculativeDecoding";

  /**
   * Whether a server used a draft model during the test.
   *
   * @param used null: its metrics do not say
   * @param why something is not known of this server, as a clause; null: all is
   */
  public record Speculation(String replica, @Nullable Boolean used, @Nullable String why) {}

  /**
   * What a server took from a prefix cache during the test.
   *
   * @param tokens prompt tokens; null: its counters do not say
   * @param why something is not known of this server, as a clause; null: all is
   */
  public record PrefixCacheHits(String replica, @Nullable Long tokens, @Nullable String why) {}

  /**
   * Judges a test that ran to its end.
   *
   * @param folder with LoadGen's logs, {@code requests.csv.gz}, {@code environment.json} and {@code
   *     tokens.json}
   * @param result its part of {@code summary.json}
   * @param ruleset by which to judge, that of the plan or another
   * @throws UnreadableRunException if a file is missing or damaged
   * @throws UnreadableLogException if LoadGen's log is
   */
  public static Judgement judge(Path folder, RunPlan plan, RunResult result, Ruleset ruleset)
      throws UnreadableRunException, UnreadableLogException {
    return new StoredVerdict(folder, plan, result, ruleset).judge();
  }

  private Judgement judge() throws UnreadableRunException, UnreadableLogException {
    JsonNode environment = StoredRun.json(folder.resolve(ResultsFolder.ENVIRONMENT));
    List<Finding> findings = new ArrayList<>(lostServers());
    findings.addAll(retries());
    findings.addAll(prefixCaches(environment.path(PREFIX_CACHE)));
    findings.addAll(speculation(environment.path(SPECULATIVE_DECODING)));
    findings.addAll(miscounted());
    findings.addAll(cutLogs());
    findings.addAll(
        StoredProvenance.of(plan, environment, folder.resolve(ResultsFolder.ENVIRONMENT))
            .findings());
    return Judge.judge(
            ruleset,
            plan.test().benchmark(),
            evidence(environment),
            DetailLog.read(folder.resolve(DetailLog.FILE_NAME)))
        .with(findings);
  }

  private List<Finding> cutLogs() throws UnreadableRunException {
    try {
      return LogEnds.cut(folder).stream()
          .map(
              cut ->
                  new Finding(
                      "LogIncomplete",
                      cut + ".",
                      "A write has failed: make room on the volume of the results, and run again."))
          .toList();
    } catch (IOException e) {
      throw new UnreadableRunException(folder + ": LoadGen's logs cannot be read: " + e, e);
    }
  }

  private RunEvidence evidence(JsonNode environment) throws UnreadableRunException {
    SampleColumns samples = SampleColumns.read(folder.resolve(ResultsFolder.REQUESTS));
    Map<String, RunEvidence.FailureCount> failures = new LinkedHashMap<>();
    samples
        .failures()
        .forEach(
            (kind, seen) ->
                failures.put(kind, new RunEvidence.FailureCount(seen.count(), seen.example())));
    long completed = samples.completed();
    RunPlan.Test test = plan.test();
    AskedAnswer asked = AskedAnswers.of(plan, ruleset);
    return new RunEvidence(
        test.scenario().name(),
        test.mode().name(),
        plan.client().streaming(),
        new RunEvidence.Samples(
            samples.size(),
            completed,
            samples.size() - completed,
            failures,
            Arrays.stream(samples.outputTokens()).filter(tokens -> tokens < 2).count(),
            0, // an answer without a token count has failed
            new RunEvidence.Answers(asked, samples.unlike(asked))),
        new RunEvidence.Requested(
            test.minDurationMs(),
            test.minQueryCount(),
            Limits.of(test.ttftLimitMs(), test.tpotLimitMs(), test.latencyLimitMs())),
        client(samples, environment),
        new RunEvidence.Generated(
            plan.sampling().temperature(),
            plan.sampling().topK(),
            plan.sampling().topP(),
            plan.sampling().minTokens(),
            plan.sampling().maxNewTokens(),
            plan.sampling().guided() != null,
            plan.sampling().furtherSettings()),
        scores(),
        StoredCompliance.evidence(folder, plan, ruleset, environment),
        profiler(),
        dataset(environment.path("dataset")),
        Division.CLOSED);
  }

  /** The runner reads a dataset before it begins; what it did not keep is not known. */
  private static RunEvidence.Dataset dataset(JsonNode facts) {
    return new RunEvidence.Dataset(
        facts.path("sha256").asText(null), facts.path("md5").asText(null));
  }

  private RunEvidence.@Nullable Profiler profiler() {
    RunPlan.Profiling profiling = plan.server().profiling();
    return profiling == null
        ? null
        : new RunEvidence.Profiler(
            profiling.tool().name(),
            "claim " + profiling.claimName() + ", folder " + profiling.folder());
  }

  private RunEvidence.Client client(SampleColumns samples, JsonNode environment)
      throws UnreadableRunException {
    ClientUsage usage = part(environment, "client", ClientUsage.class);
    Concurrency concurrency = part(environment, "concurrency", Concurrency.class);
    // A bound that the run asks for is part of the load, and its waits are no fault of the client.
    boolean ownBound = plan.client().maxConcurrency() == null;
    SampleColumns.Failures exhausted =
        samples.failures().get(RequestFailure.Kind.CLIENT_LIMIT.name());
    return new RunEvidence.Client(
        issueLagP99Ms(samples),
        usage == null ? null : usage.stampLagP99Ms(),
        usage == null ? null : usage.cpuShare(),
        usage == null ? null : usage.gcShare(),
        usage == null ? null : usage.throttledShare(),
        usage == null ? null : usage.stealShare(),
        ownBound && concurrency != null ? concurrency.heldUp() : 0,
        exhausted == null ? 0 : exhausted.count(),
        usage == null || usage.lanes() == null ? null : lanes(usage.lanes(), samples, environment));
  }

  private static RunEvidence.Lanes lanes(
      List<LaneLoad> loads, SampleColumns samples, JsonNode environment) {
    OptionalDouble request =
        Arrays.stream(samples.requestTimes()).filter(time -> !Double.isNaN(time)).average();
    return new RunEvidence.Lanes(
        loads.stream()
            .map(
                load ->
                    new RunEvidence.Lane(
                        load.name(), load.busyP95(), load.lagMeanMs(), load.lagP99Ms()))
            .toList(),
        environment.path("availableProcessors").asInt(1),
        request.isEmpty() ? null : Double.valueOf(request.getAsDouble()));
  }

  private static double issueLagP99Ms(SampleColumns samples) {
    double[] lags =
        Arrays.stream(samples.sendDelays()).filter(lag -> !Double.isNaN(lag)).sorted().toArray();
    return lags.length == 0 ? 0 : NearestRank.percentile(lags, 99);
  }

  private @Nullable AccuracyScores scores() throws UnreadableRunException {
    Path file = folder.resolve(Scores.FILE_NAME);
    return Files.exists(file) ? Scores.evidence(StoredRun.json(file)) : null;
  }

  private List<Finding> lostServers() {
    List<ReplicaResult> replicas = result.replicas();
    return replicas == null
        ? List.of()
        : replicas.stream()
            .filter(replica -> replica.takenOut() != null)
            .map(StoredVerdict::lost)
            .toList();
  }

  private static Finding lost(ReplicaResult replica) {
    return new Finding(
        "ServerLost",
        replica.name() + " was taken out of the test: " + replica.takenOut() + ".",
        "Look at the server's log; run again when it stays up.");
  }

  private List<Finding> retries() {
    long retries = Objects.requireNonNullElse(result.retries(), 0L);
    return retries == 0 || !ruleset.official()
        ? List.of()
        : List.of(
            new Finding(
                "Retries",
                retries
                    + " requests were sent again after a failure, 0 may be in "
                    + ruleset.name()
                    + ".",
                "Set spec.client.retries to 0.",
                String.valueOf(retries),
                "0"));
  }

  private List<Finding> prefixCaches(JsonNode told) throws UnreadableRunException {
    if (ruleset.prefixCaching().allowed()) {
      return List.of();
    }
    Map<String, PrefixCacheHits> byReplica =
        byReplica(told, PrefixCacheHits.class, PrefixCacheHits::replica);
    List<Finding> findings = new ArrayList<>();
    for (RunPlan.Replica replica : plan.server().replicas()) {
      PrefixCacheHits hits = byReplica.get(replica.name());
      Long tokens = hits == null ? null : hits.tokens();
      if (tokens == null) {
        findings.add(
            new Finding(
                "PrefixCacheUnknown",
                replica.name()
                    + " does not show whether it took prompts from a prefix cache, which "
                    + ruleset.name()
                    + " forbids: "
                    + because(hits == null ? null : hits.why()),
                OWN_METRICS));
      } else if (tokens > 0) {
        findings.add(
            new Finding(
                "PrefixCache",
                replica.name()
                    + " took "
                    + tokens
                    + " prompt tokens from its prefix cache during the test, 0 may be in "
                    + ruleset.name()
                    + ".",
                "Start the servers without a prefix cache: --no-enable-prefix-caching of vLLM,"
                    + " --disable-radix-cache of SGLang, which spec.engineConfig.prefixCaching gives"
                    + " when it is false or unset.",
                tokens + " tokens",
                "0 tokens"));
      }
    }
    return findings;
  }

  private List<Finding> speculation(JsonNode told) throws UnreadableRunException {
    if (!ruleset.official()) {
      return List.of();
    }
    SpeculativeDecoding allowed =
        ruleset
            .benchmark(plan.test().benchmark())
            .scenario(plan.test().scenario().name())
            .map(ScenarioRules::speculativeDecoding)
            .orElse(null);
    SpeculativeDecoding.Draft draft = draft();
    List<String> differences =
        allowed == null || draft == null ? List.of() : allowed.differences(draft);
    boolean asAllowed =
        allowed != null && draft != null && allowed.canJudge(draft) && differences.isEmpty();
    Map<String, Speculation> byReplica = byReplica(told, Speculation.class, Speculation::replica);
    List<Finding> findings = new ArrayList<>();
    for (RunPlan.Replica replica : plan.server().replicas()) {
      Speculation speculation = byReplica.get(replica.name());
      Boolean used = speculation == null ? null : speculation.used();
      if (asAllowed || Boolean.FALSE.equals(used)) {
        continue;
      }
      if (used == null) {
        findings.add(
            new Finding(
                "SpeculativeDecodingUnknown",
                replica.name()
                    + " does not show whether it used a draft model, of which "
                    + ruleset.name()
                    + " allows "
                    + only(allowed)
                    + " here: "
                    + because(speculation == null ? null : speculation.why()),
                OWN_METRICS));
      } else if (allowed != null && differences.isEmpty()) {
        findings.add(
            new Finding(
                "SpeculativeDecodingUnknown",
                replica.name()
                    + " used a draft model during the test, and it is not known that it is the one"
                    + " that "
                    + ruleset.name()
                    + " allows: "
                    + allowed.inWords()
                    + ".",
                "Let the operator start the servers, and say model, steps and top-k in spec.args of"
                    + " the backend."));
      } else {
        findings.add(
            new Finding(
                "SpeculativeDecoding",
                replica.name()
                    + " used a draft model during the test"
                    + (differences.isEmpty() ? "" : " (" + String.join(", ", differences) + ")")
                    + ", of which "
                    + ruleset.name()
                    + " allows "
                    + only(allowed)
                    + " here.",
                allowed == null
                    ? "Start the servers without speculative decoding: no --speculative-config of"
                        + " vLLM, no --speculative-algorithm of SGLang."
                    : "Start the servers with that draft model and those settings, or without."));
      }
    }
    return findings;
  }

  private static String because(@Nullable String why) {
    return (why == null ? "its metrics were not kept" : why) + ".";
  }

  private static String only(@Nullable SpeculativeDecoding allowed) {
    return allowed == null ? "none" : "only " + allowed.inWords();
  }

  private SpeculativeDecoding.@Nullable Draft draft() {
    RunPlan.Draft draft = plan.server().draft();
    return draft == null
        ? null
        : new SpeculativeDecoding.Draft(
            draft.model(), draft.algorithm(), draft.steps(), draft.topK(), draft.others());
  }

  /**
   * The servers' counters against ours. Failed samples may have made tokens that we never saw, so
   * they excuse a server that counts more.
   */
  private List<Finding> miscounted() throws UnreadableRunException {
    List<StoredRun.TokenCount> counts = StoredRun.tokenCounts(folder.resolve(ResultsFolder.TOKENS));
    List<Finding> unknown = uncounted(counts);
    if (!unknown.isEmpty()) {
      return unknown;
    }
    for (StoredRun.TokenCount count : counts) {
      Long server = count.server();
      boolean excused =
          server == null
              || server == count.ours()
              || (result.failed() > 0 && server > count.ours());
      if (!excused) {
        return List.of(
            new Finding(
                "TokenCountMismatch",
                count.replica()
                    + " counts "
                    + server
                    + " generated tokens during the test, we "
                    + count.ours(),
                "Make sure that nothing else uses the server during a run.",
                server + " tokens",
                count.ours() + " tokens"));
      }
    }
    return List.of();
  }

  /** The servers that nobody counts with, where a round asks for the truth. */
  private List<Finding> uncounted(List<StoredRun.TokenCount> counts) {
    Set<String> counted =
        counts.stream()
            .filter(count -> count.server() != null)
            .map(StoredRun.TokenCount::replica)
            .collect(Collectors.toSet());
    List<String> others =
        plan.server().replicas().stream()
            .map(RunPlan.Replica::name)
            .filter(name -> !counted.contains(name))
            .toList();
    return others.isEmpty() || !ruleset.official()
        ? List.of()
        : List.of(
            new Finding(
                "TokenCountUnknown",
                String.join(", ", others)
                    + (others.size() == 1 ? " has" : " have")
                    + " no counter of generated tokens that ours could be held against.",
                OWN_METRICS));
  }

  private <T> @Nullable T part(JsonNode tree, String name, Class<T> type)
      throws UnreadableRunException {
    return tree.has(name) ? read(tree.path(name), type) : null;
  }

  private <T> Map<String, T> byReplica(JsonNode told, Class<T> type, Function<T, String> replica)
      throws UnreadableRunException {
    Map<String, T> all = new LinkedHashMap<>();
    for (JsonNode each : told) {
      T one = read(each, type);
      all.put(replica.apply(one), one);
    }
    return all;
  }

  private <T> T read(JsonNode tree, Class<T> type) throws UnreadableRunException {
    try {
      return ContractJson.read(tree.toString(), type);
    } catch (JsonProcessingException e) {
      throw new UnreadableRunException(
          folder.resolve(ResultsFolder.ENVIRONMENT)
              + ": "
              + JsonWords.of(e)
              + "; use the loadgen of the version that made the folder",
          e);
    }
  }
}
