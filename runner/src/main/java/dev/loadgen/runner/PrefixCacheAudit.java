package dev.loadgen.runner;

import dev.loadgen.runner.client.ServerProbe;
import dev.loadgen.runner.client.ServerProbeException;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.metrics.Exposition;
import dev.loadgen.runner.metrics.PrometheusText;
import dev.loadgen.runner.metrics.ServerMetric;
import dev.loadgen.runner.report.StoredVerdict.PrefixCacheHits;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * What servers took from a prefix cache during a test, by their own counters before and after it.
 */
final class PrefixCacheAudit {
  private final ServerProbe probe;
  private final List<Replica> replicas;
  private final List<OptionalLong> before = new ArrayList<>();

  PrefixCacheAudit(ServerProbe probe, List<Replica> replicas) {
    this.probe = probe;
    this.replicas = replicas;
  }

  /** Reads the counters before the test. */
  void begin() {
    replicas.forEach(replica -> before.add(cached(replica)));
  }

  /** Reads the counters after the test, and says what they show. */
  List<PrefixCacheHits> end() {
    List<PrefixCacheHits> hits = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      Replica replica = replicas.get(i);
      OptionalLong after = cached(replica);
      boolean told = before.get(i).isPresent() && after.isPresent();
      hits.add(
          new PrefixCacheHits(
              replica.name(), told ? taken(before.get(i).getAsLong(), after.getAsLong()) : null));
    }
    return hits;
  }

  private static long taken(long before, long after) {
    // A server that has started anew in between counts from 0.
    return after - Math.min(before, after);
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
