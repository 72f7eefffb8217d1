package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.TestMode;
import dev.loadgen.api.v1alpha1.VerdictReason;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.BenchmarkRules;
import dev.loadgen.rules.Finding;
import dev.loadgen.rules.Forecast;
import dev.loadgen.rules.Limits;
import dev.loadgen.rules.PlannedTest;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.rules.RunEvidence;
import dev.loadgen.rules.ScenarioRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a run will be, from its spec alone: no server, no dataset and no GPU is needed. */
public final class RunForecasts {
  private RunForecasts() {}

  /**
   * What a test will be.
   *
   * @param spec of a run without {@link RunSpecProblems problems}
   * @param datasetSize samples of the dataset; null: not known
   */
  public static Forecast of(BenchmarkRunSpec spec, @Nullable Integer datasetSize) {
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
                RunPlans.client(spec).streaming(),
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
                datasetSize));
    return forecast.with(findings(spec, ruleset, scenario));
  }

  /** What else to know before GPUs are spent on a test. */
  public static List<String> warnings(BenchmarkRunSpec spec, Forecast forecast) {
    List<String> warnings = new ArrayList<>();
    Duration takes = Duration.ofMillis(forecast.load().durationMs());
    Duration may = RunPlans.runTimeout(spec);
    if (takes.compareTo(may) >= 0) {
      warnings.add(
          "the test takes "
              + takes.toSeconds()
              + " s, and spec.timeouts.run ends it after "
              + may.toSeconds()
              + " s; raise spec.timeouts.run");
    }
    if (forecast.datasetAssumed() && spec.benchmark().id().equals("custom")) {
      warnings.add("the size of the dataset is not known; whole copies of it may be issued");
    }
    return warnings;
  }

  /** For the status; empty where the spec cannot be used. */
  static Optional<BenchmarkRunStatus.Forecast> status(BenchmarkRun run) {
    if (!RunSpecProblems.of(run).isEmpty()) {
      return Optional.empty();
    }
    Forecast forecast = of(run.getSpec(), null);
    return Optional.of(
        new BenchmarkRunStatus.Forecast(
            forecast.load().samples(),
            forecast.queries(),
            forecast.samplesPerQuery(),
            Math.ceilDiv(forecast.load().durationMs(), 1000L),
            forecast.load().exact() && !forecast.datasetAssumed(),
            forecast.datasetAssumed(),
            forecast.lateBudget(),
            forecast.judgement().findings().stream()
                .map(finding -> new VerdictReason(finding.rule(), finding.message(), finding.fix()))
                .toList(),
            warnings(run.getSpec(), forecast)));
  }

  /** Null where a ConfigMap, which may not be there yet, has a part of it. */
  private static RunEvidence.@Nullable Generated generation(
      BenchmarkRunSpec spec, BenchmarkRules benchmark) {
    if (spec.sampling() != null && spec.sampling().generationConfig() != null) {
      return null;
    }
    RunPlan.Sampling sampling = SamplingPlans.of(spec, benchmark, GenerationConfig.EMPTY);
    return new RunEvidence.Generated(
        sampling.temperature(),
        sampling.topK(),
        sampling.topP(),
        sampling.maxNewTokens(),
        sampling.furtherSettings());
  }

  /**
   * What the servers of {@code spec.backend} will do; those of a reference may change until then.
   */
  private static List<Finding> findings(
      BenchmarkRunSpec spec, Ruleset ruleset, ScenarioRules scenario) {
    List<Finding> findings = new ArrayList<>();
    InferenceBackendSpec backend = spec.backend();
    if (backend != null
        && backend.engineConfig() != null
        && Boolean.TRUE.equals(backend.engineConfig().prefixCaching())
        && !ruleset.prefixCaching().allowed()) {
      findings.add(
          new Finding(
              "PrefixCache",
              "The servers start with a prefix cache, which " + ruleset.name() + " forbids.",
              "Set spec.backend.engineConfig.prefixCaching to false, or remove it."));
    }
    if (backend != null && ruleset.official() && scenario.speculativeDecoding() == null) {
      speculativeFlag(backend)
          .ifPresent(
              flag ->
                  findings.add(
                      new Finding(
                          "SpeculativeDecoding",
                          "The servers start with a draft model ("
                              + flag
                              + "), which "
                              + ruleset.name()
                              + " forbids here.",
                          "Remove " + flag + " from spec.backend.args.")));
    }
    return findings;
  }

  /** The first argument that is of speculative decoding; both engines begin their names alike. */
  private static Optional<String> speculativeFlag(InferenceBackendSpec backend) {
    return Optional.ofNullable(backend.args()).orElse(List.of()).stream()
        .map(argument -> argument.replaceFirst("=.*", ""))
        .filter(name -> name.startsWith("--spec") || name.equals("-sc"))
        .findFirst();
  }
}
