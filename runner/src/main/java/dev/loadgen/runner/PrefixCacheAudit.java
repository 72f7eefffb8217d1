package dev.loadgen.runner;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.Finding;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.runner.client.ServerProbe;
import dev.loadgen.runner.client.ServerProbeException;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.metrics.Exposition;
import dev.loadgen.runner.metrics.PrometheusText;
import dev.loadgen.runner.metrics.ServerMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Whether servers took prompts from a prefix cache during a test, by their own counters before and
 * after it. Asked only where a round's rules forbid it: queries must not help each other.
 */
final class PrefixCacheAudit {
  private static final String FIX =
      "Start the servers without a prefix cache: --no-enable-prefix-caching of vLLM,"
          + " --disable-radix-cache of SGLang, which spec.engineConfig.prefixCaching gives when it is"
          + " false or unset.";

  private final RunPlan plan;
  private final ServerProbe probe;
  private final List<Replica> replicas;
  private final boolean asked;
  private final List<OptionalLong> before = new ArrayList<>();

  PrefixCacheAudit(RunPlan plan, ServerProbe probe, List<Replica> replicas) {
    this.plan = plan;
    this.probe = probe;
    this.replicas = replicas;
    this.asked = Ruleset.named(plan.test().ruleset()).official();
  }

  /** Reads the counters before the test. */
  void begin() {
    if (asked) {
      replicas.forEach(replica -> before.add(cached(replica)));
    }
  }

  /** Reads the counters after the test, and says what they show. */
  List<Finding> end() {
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      Replica replica = replicas.get(i);
      OptionalLong after = cached(replica);
      if (before.get(i).isEmpty() || after.isEmpty()) {
        findings.add(
            new Finding(
                "PrefixCacheUnknown",
                replica.name()
                    + " has no counters that show whether it took prompts from a prefix cache, which "
                    + plan.test().ruleset()
                    + " forbids.",
                "Let the server answer /metrics; SGLang does with --enable-metrics."));
        continue;
      }
      // A server that has started anew in between counts from 0.
      long hits = after.getAsLong() - Math.min(before.get(i).getAsLong(), after.getAsLong());
      if (hits > 0) {
        findings.add(
            new Finding(
                "PrefixCache",
                replica.name()
                    + " took "
                    + hits
                    + " prompt tokens from its prefix cache during the test, 0 may be in "
                    + plan.test().ruleset()
                    + ".",
                FIX));
      }
    }
    return findings;
  }

  private OptionalLong cached(Replica replica) {
    Exposition metrics;
    try {
      metrics = PrometheusText.parse(probe.metrics(replica.url()));
    } catch (ServerProbeException | IllegalArgumentException e) {
      return OptionalLong.empty();
    }
    // SGLang has no such counter before its first hit.
    double hits =
        ServerMetric.PREFIX_CACHE_HITS.read(metrics).orElse(0)
            + ServerMetric.EXTERNAL_PREFIX_CACHE_HITS.read(metrics).orElse(0);
    return OptionalLong.of(Math.round(hits));
  }
}
