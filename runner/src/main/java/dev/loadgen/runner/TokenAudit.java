package dev.loadgen.runner;

import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.ServerProbeException;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.metrics.ServerMetric;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.metrics.PrometheusText;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Iterator;
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

  private final Source source;
  private final List<Replica> replicas;
  private final Pages pages;
  private final Pause pause;
  private final List<OptionalLong> before = new ArrayList<>();

  TokenAudit(ServerProbe probe, List<Replica> replicas, ResultsFolder folder) {
    this(probe::metrics, replicas, folder::write, () -> Thread.sleep(PAUSE_MILLIS));
  }

  TokenAudit(Source source, List<Replica> replicas, Pages pages, Pause pause) {
    this.source = source;
    this.replicas = replicas;
    this.pages = pages;
    this.pause = pause;
  }

  /** What a server's metrics are read from. */
  interface Source {
    String metrics(URI server) throws ServerProbeException;
  }

  /** Keeps what was read. */
  interface Pages {
    void write(String file, String content) throws IOException;
  }

  /** Lets the engines catch up. */
  interface Pause {
    void await() throws InterruptedException;
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
   * Reads the counters after the test, those that do not agree again after a pause. All replicas
   * have the same pauses: their GPUs wait for this.
   *
   * @param ours output tokens of each replica, by our count
   */
  List<Count> end(List<Long> ours) throws IOException, InterruptedException {
    @Nullable Long[] servers = new Long[replicas.size()];
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < servers.length; i++) {
      if (before.get(i).isPresent()) {
        open.add(i);
      }
    }
    for (int attempt = 0; attempt < ATTEMPTS && !open.isEmpty(); attempt++) {
      if (attempt > 0) {
        pause.await();
      }
      for (Iterator<Integer> each = open.iterator(); each.hasNext(); ) {
        int i = each.next();
        OptionalLong now = read(replicas.get(i), "after");
        if (now.isPresent()) {
          servers[i] = now.getAsLong() - before.get(i).getAsLong();
        }
        if (now.isEmpty() || ours.get(i).equals(servers[i])) {
          each.remove();
        }
      }
    }
    List<Count> counts = new ArrayList<>();
    for (int i = 0; i < servers.length; i++) {
      counts.add(new Count(replicas.get(i).name(), ours.get(i), servers[i]));
    }
    return counts;
  }

  private OptionalLong read(Replica replica, String when) throws IOException {
    String metrics;
    try {
      metrics = source.metrics(replica.url());
    } catch (ServerProbeException e) {
      // A server without metrics can be measured all the same; the result then says that nobody
      // counted with us.
      return OptionalLong.empty();
    }
    pages.write("server/metrics-" + when + "-" + replica.name() + ".txt", metrics);
    try {
      OptionalDouble tokens = PrometheusText.parse(metrics).read(ServerMetric.GENERATION_TOKENS);
      return tokens.isEmpty()
          ? OptionalLong.empty()
          : OptionalLong.of(Math.round(tokens.getAsDouble()));
    } catch (IllegalArgumentException e) {
      LOG.warn("the metrics of {} cannot be read: {}", replica.name(), e.getMessage());
      return OptionalLong.empty();
    }
  }
}
