package dev.loadgen.runner;

import dev.loadgen.runner.client.ServerProbe;
import dev.loadgen.runner.client.ServerProbeException;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.metrics.PrometheusText;
import dev.loadgen.runner.metrics.ServerMetric;
import dev.loadgen.runner.results.ResultsFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds our count of output tokens against the servers' own counters of generated tokens, read
 * before and after the test. The scraped metrics are kept in the folder {@code server} of the
 * results.
 */
final class TokenAudit {
  private static final Logger LOG = LoggerFactory.getLogger(TokenAudit.class);

  /** Engines add to their counters a moment after they answer. */
  private static final int ATTEMPTS = 15;

  private static final long PAUSE_MILLIS = 200;

  private final ServerProbe probe;
  private final List<Replica> replicas;
  private final ResultsFolder folder;
  private final List<OptionalLong> before = new ArrayList<>();

  TokenAudit(ServerProbe probe, List<Replica> replicas, ResultsFolder folder) {
    this.probe = probe;
    this.replicas = replicas;
    this.folder = folder;
  }

  /**
   * One replica's output tokens.
   *
   * @param ours of the samples answered in full
   * @param server by the server's counter; null if it has none
   */
  record Count(String replica, long ours, @Nullable Long server) {}

  /** Reads the counters before the test. */
  void begin() throws IOException {
    for (Replica replica : replicas) {
      before.add(read(replica, "before"));
    }
  }

  /**
   * Reads the counters after the test.
   *
   * @param ours output tokens of each replica, by our count
   */
  List<Count> end(List<Long> ours) throws IOException, InterruptedException {
    List<Count> counts = new ArrayList<>();
    for (int i = 0; i < replicas.size(); i++) {
      Replica replica = replicas.get(i);
      OptionalLong start = before.get(i);
      Long server = null;
      for (int attempt = 0; start.isPresent() && attempt < ATTEMPTS; attempt++) {
        OptionalLong now = read(replica, "after");
        if (now.isEmpty()) {
          break;
        }
        server = now.getAsLong() - start.getAsLong();
        if (server.equals(ours.get(i))) {
          break;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
      counts.add(new Count(replica.name(), ours.get(i), server));
    }
    return counts;
  }

  private OptionalLong read(Replica replica, String when) throws IOException {
    String metrics;
    try {
      metrics = probe.metrics(replica.url());
    } catch (ServerProbeException e) {
      // A server without metrics can be measured all the same; the result then says that nobody
      // counted with us.
      return OptionalLong.empty();
    }
    folder.write("server/metrics-" + when + "-" + replica.name() + ".txt", metrics);
    try {
      OptionalDouble tokens = ServerMetric.GENERATION_TOKENS.read(PrometheusText.parse(metrics));
      return tokens.isEmpty()
          ? OptionalLong.empty()
          : OptionalLong.of(Math.round(tokens.getAsDouble()));
    } catch (IllegalArgumentException e) {
      LOG.warn("the metrics of {} cannot be read: {}", replica.name(), e.getMessage());
      return OptionalLong.empty();
    }
  }
}
