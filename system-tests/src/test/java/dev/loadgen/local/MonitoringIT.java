package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.EventReasons;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.Verdict;
import dev.loadgen.operator.HealthServer;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Events and metrics of a system at work, and the dashboard's names against all that is served. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
@Execution(ExecutionMode.SAME_THREAD) // metrics are of all runs of the system
class MonitoringIT {
  private static final Pattern NAME =
      Pattern.compile("(?:loadgen_|vllm:|sglang:)[a-z0-9_:]+(?=[^a-z0-9_:])");
  private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-zA-Z_:][a-zA-Z0-9_:]*)[ {]");

  private TestSystem system;
  private HealthServer health;
  private HttpClient http;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    system = TestSystem.start(folder);
    health =
        HealthServer.start(
            0, system.operator()::healthy, Optional::empty, system.operator().metrics()::scrape);
    http = HttpClient.newHttpClient();
    system.backend("vllm");
    system.apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: sglang}
        spec:
          engine: sglang
          model: {name: tiny}
          image: ghcr.io/loadgen-operator/loadgen-simulator:0.1.0
          args: [--ttft=200ms, --max-running-requests=2, --tpot=500us, --output-tokens=4..8]
        """);
  }

  @AfterAll
  void stop() {
    http.close();
    health.close();
    system.close();
  }

  @Test
  void everyNameOnTheDashboardIsServedByOperatorRunnerOrServer() throws Exception {
    String dashboard =
        Files.readString(
            Path.of(System.getProperty("repository.root"), "manifests/monitoring/dashboard.json"));
    Set<String> shown = matches(NAME, 0, dashboard);
    system.run("watched", "sglang", "timeouts: {run: 100s}"); // 64 samples take about 6 s
    Set<String> served = new TreeSet<>();
    // The runner says how its client fares once the test runs, and each reading of the servers.
    await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(200))
        .until(
            () -> {
              served.addAll(served("loadgen.dev/run=watched", RunnerInterface.PORT));
              return served.contains("loadgen_client_cpu_ratio")
                  && served.contains("loadgen_server_readings_total");
            });
    BenchmarkRun other = endOf("other");
    assertThat(other.getStatus().phase()).isEqualTo(Phase.Completed);
    served.addAll(served("loadgen.dev/backend=sglang,app.kubernetes.io/component=server", 30_000));
    served.addAll(served("loadgen.dev/backend=vllm,app.kubernetes.io/component=server", 8_000));
    served.addAll(matches(SAMPLE, 1, metrics()));

    assertThat(shown).hasSizeGreaterThan(20);
    assertThat(served).containsAll(shown);
  }

  @Test
  void aRunIsToldFromWaitingToVerdictInEventsAndMetrics() throws Exception {
    BenchmarkRun run = endOf("told");
    assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);

    List<Event> events = awaitEvents(run, Reasons.TEST_ENDED);
    assertThat(events)
        .extracting(Event::getReason)
        .contains(Reasons.BACKEND_NOT_READY, EventReasons.STARTED, Reasons.TEST_ENDED);
    assertThat(events).extracting(Event::getReason).doesNotHaveDuplicates();
    Event end = event(events, Reasons.TEST_ENDED);
    assertThat(end.getType())
        .isEqualTo(run.getStatus().verdict() == Verdict.Valid ? "Normal" : "Warning");
    assertThat(end.getMessage()).contains("verdict " + run.getStatus().verdict());
    assertThat(end.getCount()).isEqualTo(1);
    assertThat(event(events, EventReasons.STARTED).getCount()).isEqualTo(1);

    InferenceBackend backend = system.find(InferenceBackend.class, "vllm");
    assertThat(awaitEvents(backend, Reasons.ALL_REPLICAS_READY))
        .extracting(Event::getReason)
        .containsExactly(Reasons.REPLICAS_NOT_READY, Reasons.ALL_REPLICAS_READY);

    String metrics = metrics();
    assertThat(
            value(
                metrics,
                "loadgen_operator_runs{phase=\"Completed\",verdict=\""
                    + run.getStatus().verdict()
                    + "\"}"))
        .isPositive();
    assertThat(value(metrics, "loadgen_operator_run_queue_seconds_count")).isPositive();
    assertThat(value(metrics, "loadgen_operator_reconcile_seconds_count{kind=\"BenchmarkRun\"}"))
        .isPositive();
    assertThat(value(metrics, "loadgen_operator_events_total{outcome=\"lost\"}")).isZero();
    assertThat(value(metrics, "loadgen_operator_events_total{outcome=\"written\"}"))
        .isGreaterThanOrEqualTo(events.size());
    assertThat(metrics).doesNotContain("\"told\"");
  }

  @Test
  void aRunThatCannotStartSaysWhyInAWarning() {
    system.run("lost", "nowhere", "timeouts: {backendReady: 2s}");
    BenchmarkRun run = system.awaitEnd("lost");

    Event failed = event(awaitEvents(run, Reasons.BACKEND_NOT_FOUND), Reasons.BACKEND_NOT_FOUND);

    assertThat(failed.getType()).isEqualTo("Warning");
    // First while it waits, then as it fails.
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> event(eventsOf(run), Reasons.BACKEND_NOT_FOUND).getMessage(),
            message -> message.contains("spec.timeouts.backendReady"));
    assertThat(eventsOf(run)).hasSize(1);
    assertThat(event(eventsOf(run), Reasons.BACKEND_NOT_FOUND).getCount()).isEqualTo(2);
  }

  private BenchmarkRun endOf(String name) {
    system.run(name, "vllm", "");
    return system.awaitEnd(name);
  }

  private List<Event> awaitEvents(HasMetadata object, String reason) {
    return await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> eventsOf(object),
            events -> events.stream().anyMatch(event -> reason.equals(event.getReason())));
  }

  /** As kubectl describe asks for them. */
  private List<Event> eventsOf(HasMetadata object) {
    return system
        .client()
        .v1()
        .events()
        .inNamespace("default")
        .withField("involvedObject.uid", object.getMetadata().getUid())
        .withField("involvedObject.kind", object.getKind())
        .list()
        .getItems()
        .stream()
        .sorted(Comparator.comparing(event -> event.getMetadata().getName()))
        .toList();
  }

  private static Event event(List<Event> events, String reason) {
    return events.stream()
        .filter(event -> reason.equals(event.getReason()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + reason + " in " + events));
  }

  private String metrics() throws IOException, InterruptedException {
    return get(URI.create("http://127.0.0.1:" + health.port() + "/metrics")).orElseThrow();
  }

  private static double value(String metrics, String series) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + series));
  }

  /** The names that pods serve; empty while there is none that answers. */
  private Set<String> served(String labels, int port) throws IOException, InterruptedException {
    Set<String> names = new TreeSet<>();
    for (Pod pod : system.list(Pod.class, labels)) {
      if (pod.getStatus().getPodIP() != null) {
        URI uri = URI.create("http://" + pod.getStatus().getPodIP() + ":" + port + "/metrics");
        get(uri).ifPresent(text -> names.addAll(matches(SAMPLE, 1, text)));
      }
    }
    return names;
  }

  private Optional<String> get(URI uri) throws IOException, InterruptedException {
    try {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5)).build(),
              BodyHandlers.ofString());
      return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
    } catch (ConnectException notYetOrNoMore) {
      return Optional.empty();
    }
  }

  private static Set<String> matches(Pattern pattern, int group, String text) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(group));
    }
    return found;
  }
}
