package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.desired.ServerCommand;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.check.Judge;
import dev.loadgen.rules.evidence.ServerEvidence;
import dev.loadgen.rules.forecast.Forecast;
import dev.loadgen.rules.forecast.ForecastInput;
import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.ruleset.Checksums;
import dev.loadgen.rules.ruleset.Limits;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a run will be, from its spec and that of its backend: no server, no dataset and no GPU is
 * needed.
 */
public final class RunForecasts {
  /** The longest time per output token that a round allows, that of llama3.1-8b. */
  static final Duration SLOW_TOKEN = Duration.ofMillis(100);

  private RunForecasts() {}

  /** A dataset: how many samples it has, and which file it is. */
  public record ReadDataset(int samples, Checksums file) {}

  /**
   * What a test will be.
   *
   * @param run without {@link RunSpecProblems problems}
   * @param backend that the run names; null: it is not there, or the run brings one
   * @param dataset that somebody has read; null: not known
   */
  public static Forecast of(
      BenchmarkRun run, @Nullable InferenceBackend backend, @Nullable ReadDataset dataset) {
    return Forecast.of(input(run, backend, dataset));
  }

  private static ForecastInput input(
      BenchmarkRun run, @Nullable InferenceBackend backend, @Nullable ReadDataset dataset) {
    BenchmarkRunSpec spec = run.getSpec();
    Ruleset ruleset = Ruleset.named(spec.rulesetOrDefault());
    BenchmarkRules benchmark = ruleset.benchmark(spec.benchmark().id());
    ScenarioRules scenario = benchmark.scenario(spec.scenario()).orElseThrow();
    return new ForecastInput(
        ruleset,
        RunPlans.test(spec, ruleset, benchmark, scenario),
        RunPlans.streaming(spec),
        SamplingPlans.certain(spec, benchmark),
        dataset == null ? null : dataset.file(),
        dataset == null ? null : Integer.valueOf(dataset.samples()),
        servers(spec, backend));
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
          ("the test takes %s s, and spec.timeouts.run ends it after %s s; raise"
                  + " spec.timeouts.run")
              .formatted(durationSeconds, may.toSeconds()));
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
    Integer tokens = SamplingPlans.certain(spec, benchmark).maxNewTokens();
    Optional<Duration> given = RunPlans.requestTimeout(spec);
    if (tokens == null || given.isEmpty()) {
      return Optional.empty();
    }
    Double limit =
        benchmark
            .scenario(spec.scenario())
            .map(ScenarioRules::limits)
            .map(Limits::tpotMs)
            .orElse(null);
    double tokenMs = limit == null ? SLOW_TOKEN.toMillis() : limit;
    long seconds = (long) Math.ceil(tokens * tokenMs / 1e3);
    return seconds <= given.get().toSeconds()
        ? Optional.empty()
        : Optional.of(
            ("an answer of %s tokens takes %s s at %s ms a token, and spec.client.requestTimeout"
                    + " ends it after %s s, by which the run is Invalid; raise spec.client.requestTimeout,"
                    + " or remove it")
                .formatted(tokens, seconds, Math.round(tokenMs), given.get().toSeconds()));
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
                              .filter(reason -> !Judge.isOfServers(reason.rule())),
                          Forecast.ofServers(input(run, backend, null)).stream()
                              .map(Finding::reason))
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
            forecast.judgement().objections().stream().map(Finding::reason).toList(),
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

  /** What the servers will do, by the arguments that they start with; null: that is not known. */
  private static ServerEvidence.@Nullable Planned servers(
      BenchmarkRunSpec spec, @Nullable InferenceBackend named) {
    InferenceBackendSpec backend =
        spec.backend() != null ? spec.backend() : named == null ? null : named.getSpec();
    boolean usable = named == null || BackendSpecProblems.of(named).isEmpty();
    if (backend == null || !usable || backend.external() != null) {
      return null;
    }
    ServerCommand command = ServerCommand.of(backend.engine());
    OptionalInt most = command.mostNewTokens(backend);
    return new ServerEvidence.Planned(
        spec.backend() != null
            ? "spec.backend."
            : "InferenceBackend " + spec.backendRef().name() + ": spec.",
        most.isPresent() ? Integer.valueOf(most.getAsInt()) : null,
        command.cachesPrefixes(backend),
        command.draft(backend));
  }
}
