package dev.loadgen.operator.run;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.ServerLogs;
import dev.loadgen.contract.ServerLogs.Source;
import dev.loadgen.reconcile.logs.PodLogs;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the servers' logs to runners that wait for them, as {@link ServerLogs} says: one after
 * another, each a stream from Kubernetes to the runner, on a thread of its own a run. A delivery
 * that breaks off is begun again when the runner is next seen waiting, by this operator or by the
 * one after it, and leaves out what the runner has by then.
 */
final class ServerLogDelivery implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ServerLogDelivery.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** One log at most: the runner waits no longer for all. */
  private static final Duration LOG_TIMEOUT = Duration.ofMinutes(5);

  private static final long MOST_BYTES = 256 * 1_024;

  // A runner of another version may tell more.
  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final HttpClient http;
  private final PodLogs logs;
  private final Map<String, Thread> running = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * A delivery for one operator.
   *
   * @param http for the runners
   * @param logs what Kubernetes keeps
   */
  ServerLogDelivery(HttpClient http, PodLogs logs) {
    this.http = http;
    this.logs = logs;
  }

  /**
   * Begins to send logs, unless that is under way; returns at once.
   *
   * @param address of the runner's pod
   * @param servers the pods of the servers; called once, on another thread
   * @param provenance what the runner is told of them, before it gets their logs; called once, on
   *     that thread
   * @param since lines before are of no concern to the run
   */
  void begin(
      RunPlan.Run run,
      String address,
      Supplier<List<Pod>> servers,
      Function<List<Pod>, Provenance> provenance,
      Instant since) {
    String key = run.namespace() + "/" + run.id();
    Thread sender =
        Thread.ofVirtual()
            .name("server-logs")
            .unstarted(
                () -> {
                  try {
                    deliver(run, address, servers, provenance, since);
                  } finally {
                    running.remove(key);
                  }
                });
    if (!closed && running.putIfAbsent(key, sender) == null) {
      sender.start();
    }
  }

  /** Breaks off what is under way. */
  @Override
  public void close() {
    closed = true;
    running.values().forEach(Thread::interrupt);
  }

  private void deliver(
      RunPlan.Run run,
      String address,
      Supplier<List<Pod>> servers,
      Function<List<Pod>, Provenance> provenance,
      Instant since) {
    Runner runner = Runner.at(http, address, ServerLogs.token(run));
    try {
      Set<String> kept = runner.kept();
      List<String> problems = new ArrayList<>();
      List<Pod> pods = servers.get();
      runner.tell(provenance.apply(pods));
      for (Pod pod : pods) {
        for (ServerPodLogs.Wanted wanted : ServerPodLogs.of(pod, since)) {
          if (wanted.problem() != null) {
            problems.add(wanted.source().path() + ": " + wanted.problem());
          } else if (!kept.contains(wanted.source().path())) {
            String problem = send(runner, pod, wanted.source(), since);
            if (problem != null) {
              problems.add(wanted.source().path() + ": " + problem);
            }
          }
        }
      }
      runner.end(problems);
      log.info(
          "server logs sent namespace={} run={} problems={}",
          run.namespace(),
          run.name(),
          problems);
    } catch (IOException | KubernetesClientException e) {
      log.warn(
          "server logs not sent namespace={} run={} because={}",
          run.namespace(),
          run.name(),
          e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // The runner says in its summary that it has not got them.
      log.error("server logs not sent namespace={} run={}", run.namespace(), run.name(), e);
    }
  }

  /** Sends one log; returns why it could not be, and null if it was. */
  private @Nullable String send(Runner runner, Pod pod, Source source, Instant since)
      throws IOException, InterruptedException {
    try (Watched stream = new Watched(logs.open(pod, source, since))) {
      try {
        return runner.put(source, stream);
      } catch (IOException e) {
        if (stream.failure != null) {
          return "it breaks off: " + stream.failure.getMessage();
        }
        throw e;
      }
    } catch (PodLogs.UnreadableLogException e) {
      return e.getMessage();
    }
  }

  /** Tells whether it was the reading that failed, or the sending of what was read. */
  private static final class Watched extends FilterInputStream {
    private volatile @Nullable IOException failure;

    Watched(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      try {
        return super.read(bytes, offset, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }

  /** The runner's side of {@link ServerLogs}. */
  private record Runner(HttpClient http, String base, String token) {
    static Runner at(HttpClient http, String address, String token) {
      String host = address.contains(":") ? "[" + address + "]" : address;
      return new Runner(http, "http://" + host + ":" + RunnerInterface.PORT, token);
    }

    /** One of an older version has no use for it. */
    void tell(Provenance provenance) throws IOException, InterruptedException {
      HttpResponse<String> answer =
          send(
              request(RunnerInterface.PROVENANCE_PATH, TIMEOUT)
                  .PUT(BodyPublishers.ofString(ContractJson.write(provenance))));
      if (answer.statusCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        expect(answer, HttpURLConnection.HTTP_NO_CONTENT);
      }
    }

    Set<String> kept() throws IOException, InterruptedException {
      HttpResponse<String> answer = send(request(RunnerInterface.SERVER_LOGS_PATH, TIMEOUT).GET());
      expect(answer, HttpURLConnection.HTTP_OK);
      List<String> paths = JSON.readValue(answer.body(), ServerLogs.Kept.class).paths();
      return paths == null ? Set.of() : Set.copyOf(paths);
    }

    /** Sends a log; returns why the runner does not take it, and null if it does. */
    @Nullable String put(Source source, InputStream log) throws IOException, InterruptedException {
      HttpResponse<String> answer =
          send(
              request(RunnerInterface.SERVER_LOGS_PATH + "/" + source.path(), LOG_TIMEOUT)
                  .PUT(BodyPublishers.ofInputStream(() -> log)));
      return switch (answer.statusCode()) {
        // With a conflict, it has it from another sender.
        case HttpURLConnection.HTTP_CREATED, HttpURLConnection.HTTP_CONFLICT -> null;
        case HttpURLConnection.HTTP_NOT_FOUND, HttpURLConnection.HTTP_BAD_REQUEST ->
            "the runner does not take it: " + answer.body();
        default -> throw unexpected(answer);
      };
    }

    void end(List<String> problems) throws IOException, InterruptedException {
      expect(
          send(
              request(RunnerInterface.SERVER_LOGS_PATH, TIMEOUT)
                  .POST(BodyPublishers.ofString(ContractJson.write(new ServerLogs.End(problems))))),
          HttpURLConnection.HTTP_NO_CONTENT);
    }

    private HttpRequest.Builder request(String path, Duration timeout) {
      return HttpRequest.newBuilder(URI.create(base + path))
          .timeout(timeout)
          .header("Authorization", "Bearer " + token);
    }

    private HttpResponse<String> send(HttpRequest.Builder request)
        throws IOException, InterruptedException {
      return http.send(request.build(), BodyHandlers.limiting(BodyHandlers.ofString(), MOST_BYTES));
    }

    private void expect(HttpResponse<String> answer, int status) throws IOException {
      if (answer.statusCode() != status) {
        throw unexpected(answer);
      }
    }

    private static IOException unexpected(HttpResponse<String> answer) {
      return new IOException(
          "%s %s: status %s: %s"
              .formatted(
                  answer.request().method(),
                  answer.uri().getPath(),
                  answer.statusCode(),
                  answer.body()));
    }
  }
}
