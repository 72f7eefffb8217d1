package dev.loadgen.runner;

import dev.loadgen.api.v1alpha1.Verdict;
import dev.loadgen.api.v1alpha1.VerdictReason;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.AccuracyScores;
import dev.loadgen.rules.DetailLog;
import dev.loadgen.rules.Finding;
import dev.loadgen.rules.Judge;
import dev.loadgen.rules.Judgement;
import dev.loadgen.rules.Limits;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.rules.RunEvidence;
import dev.loadgen.runner.client.RequestFailure;
import dev.loadgen.runner.dispatch.Concurrency;
import dev.loadgen.runner.host.ClientLoad.Usage;
import dev.loadgen.runner.results.Measurement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts a test's evidence before the rules. */
final class Verdicts {
  private Verdicts() {}

  /** A verdict and its reasons; no verdict if the test did not run to its end. */
  record Judged(@Nullable Verdict verdict, List<VerdictReason> reasons) {}

  /**
   * Judges a test.
   *
   * @param others findings beside those of the rules
   */
  static Judged judge(
      RunPlan plan,
      Measurement measurement,
      DetailLog log,
      @Nullable Usage usage,
      @Nullable Concurrency concurrency,
      List<TokenAudit.Count> tokenCounts,
      @Nullable AccuracyScores scores,
      Collection<Finding> others) {
    List<Finding> findings = new ArrayList<>(others);
    findings.addAll(miscounted(measurement, tokenCounts));
    Judgement judgement =
        Judge.judge(
                Ruleset.named(plan.test().ruleset()),
                plan.test().benchmark(),
                evidence(plan, measurement, usage, concurrency).withScores(scores),
                log)
            .with(findings);
    return new Judged(
        switch (judgement.verdict()) {
          case VALID -> Verdict.Valid;
          case INVALID -> Verdict.Invalid;
          case INCONCLUSIVE -> Verdict.Inconclusive;
        },
        judgement.findings().stream()
            .map(finding -> new VerdictReason(finding.rule(), finding.message(), finding.fix()))
            .toList());
  }

  private static RunEvidence evidence(
      RunPlan plan,
      Measurement measurement,
      @Nullable Usage usage,
      @Nullable Concurrency concurrency) {
    Map<String, RunEvidence.FailureCount> failures = new LinkedHashMap<>();
    measurement
        .failures()
        .forEach(
            (kind, seen) ->
                failures.put(
                    kind.name(), new RunEvidence.FailureCount(seen.count(), seen.example())));
    RunPlan.Test test = plan.test();
    return new RunEvidence(
        test.scenario().name(),
        test.mode().name(),
        plan.client().streaming(),
        new RunEvidence.Samples(
            measurement.samples().size(),
            measurement.completed(),
            measurement.failed(),
            failures,
            measurement.shortAnswers(),
            0), // an answer without a token count has failed
        new RunEvidence.Requested(
            test.minDurationMs(),
            test.minQueryCount(),
            Limits.of(test.ttftLimitMs(), test.tpotLimitMs(), test.latencyLimitMs())),
        client(plan, measurement, usage, concurrency));
  }

  private static RunEvidence.Client client(
      RunPlan plan,
      Measurement measurement,
      @Nullable Usage usage,
      @Nullable Concurrency concurrency) {
    // A bound that the run asks for is part of the load, and its waits are no fault of the client.
    boolean ownBound = plan.client().maxConcurrency() == null;
    Measurement.Failures exhausted = measurement.failures().get(RequestFailure.Kind.CLIENT_LIMIT);
    return new RunEvidence.Client(
        measurement.issueLagP99(),
        usage == null ? null : usage.stampLagP99Ms(),
        usage == null ? null : usage.cpuShare(),
        usage == null ? null : usage.gcShare(),
        usage == null ? null : usage.throttledShare(),
        usage == null ? null : usage.stealShare(),
        ownBound && concurrency != null ? concurrency.heldUp() : 0,
        exhausted == null ? 0 : exhausted.count());
  }

  /**
   * The servers' counters against ours. Failed samples may have made tokens that we never saw, so
   * they excuse a server that counts more.
   */
  private static List<Finding> miscounted(
      Measurement measurement, List<TokenAudit.Count> counts) {
    for (TokenAudit.Count count : counts) {
      Long server = count.server();
      boolean excused =
          server == null
              || server == count.ours()
              || (measurement.failed() > 0 && server > count.ours());
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
                String.valueOf(server),
                String.valueOf(count.ours())));
      }
    }
    return List.of();
  }
}
