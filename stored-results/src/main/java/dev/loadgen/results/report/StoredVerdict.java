package dev.loadgen.results.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.ReplicaResult;
import dev.loadgen.results.ClientUsage;
import dev.loadgen.results.Concurrency;
import dev.loadgen.results.LaneLoad;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.accuracy.Scores;
import dev.loadgen.rules.check.Judge;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.evidence.RunEvidenceBuilder;
import dev.loadgen.rules.evidence.RunEvidenceClientBuilder;
import dev.loadgen.rules.evidence.ServerEvidence;
import dev.loadgen.rules.evidence.ServerEvidence.PrefixCacheHits;
import dev.loadgen.rules.evidence.ServerEvidence.Speculation;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.LogEnds;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.Checksums;
import dev.loadgen.rules.ruleset.Ruleset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Judges a test by the files of its results folder. The runner judges so as well, so that whoever
 * judges the folder again, by the same ruleset, comes to the same verdict.
 */
public final class StoredVerdict {
  private static final List<ReplicaResult> NO_REPLICAS = List.of();

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

  /** Key of {@code environment.json}: what servers took from prefix caches, by replica. */
  public static final String PREFIX_CACHE = "prefixCache";

  /** Key of {@code environment.json}: whether servers used a draft model, by replica. */
  public static final String SPECULATIVE_DECODING = "speculativeDecoding";

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
    return judge(
        folder, plan, result, ruleset, DetailLog.read(folder.resolve(DetailLog.FILE_NAME)));
  }

  /**
   * The same for whoever has read the folder's log already.
   *
   * @throws UnreadableRunException if a file is missing or damaged
   */
  public static Judgement judge(
      Path folder, RunPlan plan, RunResult result, Ruleset ruleset, DetailLog log)
      throws UnreadableRunException {
    StoredVerdict stored = new StoredVerdict(folder, plan, result, ruleset);
    JsonNode environment = StoredRun.json(folder.resolve(ResultsFolder.ENVIRONMENT));
    return Judge.judge(ruleset, plan.test().benchmark(), stored.evidence(environment), log);
  }

  private List<String> cutLogs() throws UnreadableRunException {
    try {
      return LogEnds.cut(folder);
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
    AskedAnswer asked = AskedAnswer.of(plan, ruleset);
    return RunEvidenceBuilder.builder()
        .scenario(test.scenario())
        .mode(test.mode())
        .streaming(plan.client().streaming())
        .samples(
            new RunEvidence.Samples(
                samples.size(),
                completed,
                samples.size() - completed,
                failures,
                samples.shortAnswers(),
                0, // an answer without a token count has failed
                new RunEvidence.Answers(asked, samples.unlike(asked))))
        .requested(RunEvidence.Requested.of(test))
        .client(client(samples, environment))
        .generation(plan.sampling())
        .scores(scores())
        .compliance(StoredCompliance.evidence(folder, plan, ruleset, environment))
        .profiler(profiler())
        .dataset(dataset(environment.path("dataset")))
        .division(Division.CLOSED)
        .servers(servers(environment))
        .cutLogs(cutLogs())
        .build();
  }

  /** The runner reads a dataset before it begins; what it did not keep is not known. */
  private static Checksums dataset(JsonNode facts) {
    return new Checksums(facts.path("sha256").asText(null), facts.path("md5").asText(null));
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
    return RunEvidenceClientBuilder.builder()
        .issueLagP99Ms(samples.issueLagP99())
        .stampLagP99Ms(usage == null ? null : usage.stampLagP99Ms())
        .cpuShare(usage == null ? null : usage.cpuShare())
        .gcShare(usage == null ? null : usage.gcShare())
        .throttledShare(usage == null ? null : usage.throttledShare())
        .stealShare(usage == null ? null : usage.stealShare())
        .waitedAtCap(ownBound && concurrency != null ? concurrency.heldUp() : 0)
        .exhausted(exhausted == null ? 0 : exhausted.count())
        .lanes(
            usage == null || usage.lanes() == null
                ? null
                : lanes(usage.lanes(), samples, environment))
        .build();
  }

  private static RunEvidence.Lanes lanes(
      List<LaneLoad> loads, SampleColumns samples, JsonNode environment) {
    OptionalDouble request = samples.meanRequestTime();
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

  private @Nullable AccuracyScores scores() throws UnreadableRunException {
    Path file = folder.resolve(Scores.FILE_NAME);
    return Files.exists(file) ? Scores.evidence(StoredRun.json(file)) : null;
  }

  private ServerEvidence servers(JsonNode environment) throws UnreadableRunException {
    return new ServerEvidence.Observed(
        plan.server().replicas().stream().map(RunPlan.Replica::name).toList(),
        lost(),
        Objects.requireNonNullElse(result.retries(), 0L),
        byReplica(environment.path(PREFIX_CACHE), PrefixCacheHits.class, PrefixCacheHits::replica),
        byReplica(environment.path(SPECULATIVE_DECODING), Speculation.class, Speculation::replica),
        plan.server().draft(),
        StoredRun.tokenCounts(folder.resolve(ResultsFolder.TOKENS)),
        StoredProvenance.of(plan, environment, folder.resolve(ResultsFolder.ENVIRONMENT))
            .attestation());
  }

  private Map<String, String> lost() {
    Map<String, String> lost = new LinkedHashMap<>();
    for (ReplicaResult replica : Objects.requireNonNullElse(result.replicas(), NO_REPLICAS)) {
      if (replica.takenOut() != null) {
        lost.put(replica.name(), replica.takenOut());
      }
    }
    return lost;
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
          "%s: %s; use the loadgen of the version that made the folder"
              .formatted(folder.resolve(ResultsFolder.ENVIRONMENT), JsonWords.of(e)),
          e);
    }
  }
}
