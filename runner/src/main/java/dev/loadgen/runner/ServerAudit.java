package dev.loadgen.runner;

import dev.loadgen.runner.client.ServerProbe;
import dev.loadgen.runner.client.ServerProbeException;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.metrics.Exposition;
import dev.loadgen.runner.metrics.PrometheusText;
import dev.loadgen.runner.metrics.ServerMetric;
import dev.loadgen.runner.report.StoredVerdict;
import dev.loadgen.runner.report.StoredVerdict.PrefixCacheHits;
import dev.loadgen.runner.report.StoredVerdict.Speculation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What servers did during a test that a round may forbid, by their own metrics before and after it.
 */
final class ServerAudit {
  private final ServerProbe probe;
  private final List<Replica> replicas;
  private final List<Optional<Counts>> before = new ArrayList<>();

  ServerAudit(ServerProbe probe, List<Replica> replicas) {
    this.probe = probe;
    this.replicas = replicas;
  }

  /**
   * What the metrics of a server say.
   *
   * @param cached prompt tokens from prefix caches
   * @param drafted tokens that a draft model has proposed
   * @param acceptLength tokens a step with a draft model; 0 without one
   */
  private record Counts(long cached, long drafted, double acceptLength) {
    /** Counters that a server has none of are 0: SGLang has no hits before its first one. */
    static Counts of(Exposition metrics) {
      return new Counts(
          Math.round(
              ServerMetric.PREFIX_CACHE_HITS.read(metrics).orElse(0)
                  + ServerMetric.EXTERNAL_PREFIX_CACHE_HITS.read(metrics).orElse(0)),
          Math.round(ServerMetric.DRAFT_TOKENS.read(metrics).orElse(0)),
          ServerMetric.SPECULATIVE_ACCEPT_LENGTH.read(metrics).orElse(0));
    }

    /** What has come since; a server that has started anew in between counts from 0. */
    Counts since(Counts earlier) {
      return new Counts(
          cached - Math.min(earlier.cached, cached),
          drafted - Math.min(earlier.drafted, drafted),
          acceptLength);
    }

    boolean speculated() {
      return drafted > 0 || acceptLength > 0;
    }
  }

  /** Reads the metrics before the test. */
  void begin() {
    replicas.forEach(replica -> before.add(counts(replica)));
  }

  /**
   * Reads the metrics after the test. Returns what they show, as {@code environment.json} has it.
   */
  Map<String, Object> end() {
    List<PrefixCacheHits> hits = new ArrayList<>();
    List<Speculation> speculations = new ArrayList<>();
    for (int i = 0; i < replicas.size(); i++) {
      String name = replicas.get(i).name();
      Optional<Counts> from = before.get(i);
      Counts during = counts(replicas.get(i)).flatMap(to -> from.map(to::since)).orElse(null);
      hits.add(new PrefixCacheHits(name, during == null ? null : during.cached()));
      speculations.add(new Speculation(name, during == null ? null : during.speculated()));
    }
    return Map.of(
        StoredVerdict.PREFIX_CACHE, hits, StoredVerdict.SPECULATIVE_DECODING, speculations);
  }

  private Optional<Counts> counts(Replica replica) {
    try {
      return Optional.of(Counts.of(PrometheusText.parse(probe.metrics(replica.url()))));
    } catch (ServerProbeException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
