package dev.loadgen.runner;

import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.ServerProbeException;
import dev.loadgen.contract.Engine;
import dev.loadgen.results.report.StoredVerdict;
import dev.loadgen.rules.evidence.ServerEvidence.PrefixCacheHits;
import dev.loadgen.rules.evidence.ServerEvidence.Speculation;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.metrics.Exposition;
import dev.loadgen.runner.metrics.PrometheusText;
import dev.loadgen.runner.metrics.ServerConduct;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What servers did during a test that a round may forbid, by their own metrics before and after it.
 */
final class ServerAudit {
  private final ServerProbe probe;
  private final Engine engine;
  private final List<Replica> replicas;
  private final List<Reading> before = new ArrayList<>();

  ServerAudit(ServerProbe probe, Engine engine, List<Replica> replicas) {
    this.probe = probe;
    this.engine = engine;
    this.replicas = replicas;
  }

  /** What came of asking a server for its metrics. */
  private sealed interface Reading {
    record Page(Exposition metrics) implements Reading {}

    record Nothing(String why) implements Reading {}
  }

  /** Reads the metrics before the test. */
  void begin() {
    replicas.forEach(replica -> before.add(read(replica)));
  }

  /**
   * Reads the metrics after the test. Returns what they show, as {@code environment.json} has it.
   *
   * @param answered tokens of the answers of each replica, by our count
   */
  Map<String, Object> end(List<Long> answered) {
    List<PrefixCacheHits> hits = new ArrayList<>();
    List<Speculation> speculations = new ArrayList<>();
    for (int i = 0; i < replicas.size(); i++) {
      String name = replicas.get(i).name();
      ServerConduct conduct = conduct(before.get(i), read(replicas.get(i)), answered.get(i));
      hits.add(new PrefixCacheHits(name, conduct.cachedTokens(), conduct.unknown()));
      speculations.add(new Speculation(name, conduct.drafted(), conduct.unknown()));
    }
    return Map.of(
        StoredVerdict.PREFIX_CACHE, hits, StoredVerdict.SPECULATIVE_DECODING, speculations);
  }

  private ServerConduct conduct(Reading from, Reading to, long answered) {
    return switch (from) {
      case Reading.Nothing(String why) ->
          ServerConduct.unknown("its /metrics could not be read before the test: " + why);
      case Reading.Page(Exposition earlier) ->
          switch (to) {
            case Reading.Nothing(String why) ->
                ServerConduct.unknown("its /metrics could not be read after the test: " + why);
            case Reading.Page(Exposition now) -> ServerConduct.of(engine, earlier, now, answered);
          };
    };
  }

  private Reading read(Replica replica) {
    try {
      return new Reading.Page(PrometheusText.parse(probe.metrics(replica.url())));
    } catch (ServerProbeException | IllegalArgumentException e) {
      return new Reading.Nothing(String.valueOf(e.getMessage()));
    }
  }
}
