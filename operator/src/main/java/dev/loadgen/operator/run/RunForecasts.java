package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.TestMode;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.desired.ServerCommand;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.rules.BenchmarkRules;
import dev.loadgen.rules.Finding;
import dev.loadgen.rules.Forecast;
import dev.loadgen.rules.Limits;
import dev.loadgen.rules.PlannedTest;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.rules.RunEvidence;
import dev.loadgen.rules.ScenarioRules;
import dev.loadgen.rules.SpeculativeDecoding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a run will be, from its spec and that of its backend: no server, no dataset and no GPU is
 * needed.
 */
public final class RunForecasts {
  /** The rules that say what servers may do. */
  private static final Set<String> OF_SERVERS =
      Set.of("PrefixCache", "SpeculativeDecoding", "AnswersCut");

  /** The longest time per output token that a round allows, that of llama3.1-8b. */
  static final Duration SLOW_TOKEN = Duration.ofMillis(100);

  private RunForecasts() {}

  /** A dataset: how many samples it has, and which file it is. */
  public record ReadDataset(int samples, RunEvidence.Dataset file) {}

  /**
   * What a test will be.
   *
   * @param run without {@link RunSpecProblems problems}
   * @param backend that the run names; null: it is not there, or the run brings one
   * @param dataset that somebody has read; null: not known
   */
  public static Forecast of(
      BenchmarkRun run, @Nullable InferenceBackend backend, @Nullable ReadDataset dataset) {
    BenchmarkRunSpec spec = run.getSpec();
    Ruleset ruleset = Ruleset.named(spec.rulesetOrDefault());
    BenchmarkRules benchmark = ruleset.benchmark(spec.benchmark().id());
    ScenarioRules scenario = benchmark.scenario(spec.scenario().name()).orElseThrow();
    RunPlan.Test test = RunPlans.test(spec, ruleset, benchmark, scenario);
    Forecast forecast =
        Forecast.of(
            new PlannedTest(
                ruleset,
                test.benchmark(),
                test.scenario().name(),
                test.mode() == TestMode.Accuracy,
                RunPlans.streaming(spec),
                test.tokenLatencies(),
                test.targetQps(),
                test.minDurationMs(),
                test.maxDurationMs(),
                test.minQueryCount(),
                test.maxQueryCount(),
                test.performanceSampleCount(),
                Limits.of(test.ttftLimitMs(), test.tpotLimitMs(), test.latencyLimitMs()),
                test.modelKey(),
                test.userConf(),
                generation(spec, benchmark),
                spec.compliance(),
                dataset == null ? null : dataset.file(),
                dataset == null ? null : Integer.valueOf(dataset.samples())));
    return forecast.with(ofServers(run, backend));
  }

  /** What else to know before GPUs are spent on a test. */
  public static List<String> warnings(BenchmarkRunSpec spec, Forecast forecast) {
    return warnings(spec, seconds(forecast), forecast.datasetAssumed());
  }

  private static List<String> warnings(
      BenchmarkRunSpec spec, long durationSeconds, boolean datasetAssumed) {
    List<String> warnings = new ArrayList<>();
    Duration may = RunPlans.runTimeout(spec);
    if (durationSeconds >= may.toSeconds()) {
      warnings.add(
          "the test takes "
              + durationSeconds
              + " s, and spec.timeouts.run ends it after "
              + may.toSeconds()
              + " s; raise spec.timeouts.run");
    }
    requestsThatEndEarly(spec).ifPresent(warnings::add);
    boolean serversOfItsOwn = spec.backend() != null && spec.backend().external() == null;
    if (spec.queueName() != null && serversOfItsOwn) {
      warnings.add(
          "the servers have their GPUs already while the runner waits in queue "
              + spec.queueName()
              + ", for as long as spec.timeouts.queue; remove spec.queueName, so that the servers"
              + " alone are queued, by spec.backend.scheduling.queueName");
    }
    if (datasetAssumed && spec.benchmark().id().equals("custom")) {
      warnings.add("the size of the dataset is not known; whole copies of it may be issued");
    }
    return warnings;
  }

  /** An answer as long as it may be must have the time for it. */
  private static Optional<String> requestsThatEndEarly(BenchmarkRunSpec spec) {
    BenchmarkRules benchmark =
        Ruleset.named(spec.rulesetOrDefault()).benchmark(spec.benchmark().id());
    RunEvidence.Generated generation = generation(spec, benchmark);
    Integer tokens = generation == null ? null : generation.maxNewTokens();
    Optional<Duration> given = RunPlans.requestTimeout(spec);
    if (tokens == null || given.isEmpty()) {
      return Optional.empty();
    }
    Double limit =
        benchmark
            .scenario(spec.scenario().name())
            .map(ScenarioRules::limits)
            .map(Limits::tpotMs)
            .orElse(null);
    double tokenMs = limit == null ? SLOW_TOKEN.toMillis() : limit;
    long seconds = (long) Math.ceil(tokens * tokenMs / 1e3);
    return seconds <= given.get().toSeconds()
        ? Optional.empty()
        : Optional.of(
            "an answer of "
                + tokens
                + " tokens takes "
                + seconds
                + " s at "
                + Math.round(tokenMs)
                + " ms a token, and spec.client.requestTimeout ends it after "
                + given.get().toSeconds()
                + " s, by which the run is Invalid; raise spec.client.requestTimeout, or remove it");
  }

  private static long seconds(Forecast forecast) {
    return Math.ceilDiv(forecast.load().durationMs(), 1000L);
  }

  /**
   * For the status; empty where the spec cannot be used.
   *
   * @param last what was foreseen before; null: nothing. It holds for the test, which does not
   *     change, but not for a backend, nor for the time that the run is given
   */
  static Optional<BenchmarkRunStatus.Forecast> status(
      BenchmarkRun run,
      @Nullable InferenceBackend backend,
      BenchmarkRunStatus.@Nullable Forecast last) {
    if (!RunSpecProblems.of(run).isEmpty()) {
      return Optional.empty();
    }
    if (last != null) {
      return Optional.of(
          inTime(run, last)
              .withRejections(
                  Stream.concat(
                          last.rejections().stream()
                              .filter(reason -> !OF_SERVERS.contains(reason.rule())),
                          ofServers(run, backend).stream().map(RunForecasts::reason))
                      .toList()));
    }
    Forecast forecast = of(run, backend, null);
    return Optional.of(
        new BenchmarkRunStatus.Forecast(
            forecast.load().samples(),
            forecast.queries(),
            forecast.samplesPerQuery(),
            seconds(forecast),
            forecast.load().exact() && !forecast.datasetAssumed(),
            forecast.datasetAssumed(),
            forecast.lateBudget(),
            forecast.judgement().objections().stream().map(RunForecasts::reason).toList(),
            warnings(run.getSpec(), forecast)));
  }

  /** What was foreseen, for the time that a run without problems is given by now. */
  static BenchmarkRunStatus.Forecast inTime(BenchmarkRun run, BenchmarkRunStatus.Forecast last) {
    return last.durationSeconds() == null
        ? last
        : last.withWarnings(
            warnings(
                run.getSpec(), last.durationSeconds(), Boolean.TRUE.equals(last.datasetAssumed())));
  }

  private static VerdictReason reason(Finding finding) {
    return new VerdictReason(finding.rule(), finding.message(), finding.fix());
  }

  private static RunEvidence.Generated generation(BenchmarkRunSpec spec, BenchmarkRules benchmark) {
    RunPlan.Sampling sampling = SamplingPlans.certain(spec, benchmark);
    return new RunEvidence.Generated(
        sampling.temperature(),
        sampling.topK(),
        sampling.topP(),
        sampling.minTokens(),
        sampling.maxNewTokens(),
        sampling.guided() != null,
        sampling.furtherSettings());
  }

  /** What the servers will do that the round forbids, by the arguments that they start with. */
  private static List<Finding> ofServers(BenchmarkRun run, @Nullable InferenceBackend named) {
    BenchmarkRunSpec spec = run.getSpec();
    InferenceBackendSpec backend =
        spec.backend() != null ? spec.backend() : named == null ? null : named.getSpec();
    Ruleset ruleset = Ruleset.named(spec.rulesetOrDefault());
    boolean usable = named == null || BackendSpecProblems.of(named).isEmpty();
    if (backend == null || !usable || backend.external() != null) {
      return List.of();
    }
    String path =
        spec.backend() != null
            ? "spec.backend."
            : "InferenceBackend " + spec.backendRef().name() + ": spec.";
    List<Finding> findings = new ArrayList<>();
    int asked =
        SamplingPlans.certain(spec, ruleset.benchmark(spec.benchmark().id())).maxNewTokens();
    ServerCommand.of(backend.engine())
        .mostNewTokens(backend)
        .ifPresent(
            most -> {
              if (most < asked) {
                findings.add(
                    new Finding(
                        "AnswersCut",
                        "The servers make at most "
                            + most
                            + " tokens of an answer, and "
                            + asked
                            + " are asked for.",
                        "Raise "
                            + path
                            + "engineConfig.maxModelLen, and take limits of new tokens out of args.",
                        most + " tokens",
                        asked + " tokens"));
              }
            });
    if (!ruleset.official()) {
      return findings;
    }
    if (ServerCommand.of(backend.engine()).cachesPrefixes(backend)
        && !ruleset.prefixCaching().allowed()) {
      findings.add(
          new Finding(
              "PrefixCache",
              "The servers start with a prefix cache, which " + ruleset.name() + " forbids.",
              "Set " + path + "engineConfig.prefixCaching to false, and take it out of args."));
    }
    RunPlan.Draft draft = ServerCommand.of(backend.engine()).draft(backend);
    if (draft != null) {
      SpeculativeDecoding allowed =
          ruleset
              .benchmark(spec.benchmark().id())
              .scenario(spec.scenario().name())
              .map(ScenarioRules::speculativeDecoding)
              .orElse(null);
      List<String> differences =
          allowed == null
              ? List.of()
              : allowed.differences(
                  new SpeculativeDecoding.Draft(
                      draft.model(),
                      draft.algorithm(),
                      draft.steps(),
                      draft.topK(),
                      draft.others()));
      if (allowed == null) {
        findings.add(
            new Finding(
                "SpeculativeDecoding",
                "The servers start with a draft model, which " + ruleset.name() + " forbids here.",
                "Remove the options of speculative decoding (" + path + "args)."));
      } else if (!differences.isEmpty()) {
        findings.add(
            new Finding(
                "SpeculativeDecoding",
                "The servers start with a draft model ("
                    + String.join(", ", differences)
                    + "), of which "
                    + ruleset.name()
                    + " allows only "
                    + allowed.inWords()
                    + " here.",
                "Correct the options of speculative decoding, or remove them (" + path + "args)."));
      }
    }
    return findings;
  }
}
