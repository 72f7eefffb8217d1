package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.ServerLogs;
import dev.loadgen.reconcile.logs.PodLogs;
import io.fabric8.kubernetes.api.model.ContainerStateRunning;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A delivery between an API server and a runner that are both played here. */
@Timeout(60)
class ServerLogDeliveryTest {
  /** An address of the loopback network that nobody else uses, since the port is fixed. */
  private static final String ADDRESS = "127.91.17.4";

  private static final RunPlan.Run RUN = new RunPlan.Run("bench", "nightly", "6a1f", 2);
  private static final Instant TAKEN = Instant.parse("2026-03-01T10:00:00.25Z");

  private final HttpClient http = HttpClient.newHttpClient();
  private final HttpServer runner;
  private final HttpServer kubernetes;
  private final KubernetesClient client;
  private final ServerLogDelivery delivery;

  private final Map<String, String> kept = new ConcurrentHashMap<>();
  private final AtomicLong received = new AtomicLong();
  private final List<ServerLogs.End> ends = new CopyOnWriteArrayList<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<Provenance> learnt = new CopyOnWriteArrayList<>();
  private volatile int answerToProvenance = 204;
  private volatile CountDownLatch runnerTakes = new CountDownLatch(0);

  ServerLogDeliveryTest() throws IOException {
    runner = HttpServer.create(new InetSocketAddress(ADDRESS, RunnerInterface.PORT), 0);
    runner.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    runner.createContext(RunnerInterface.SERVER_LOGS_PATH, this::take);
    runner.createContext(RunnerInterface.PROVENANCE_PATH, this::learn);
    runner.start();
    kubernetes = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    kubernetes.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    kubernetes.createContext("/", this::log);
    kubernetes.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(Config.empty())
                    .withMasterUrl("http://127.0.0.1:" + kubernetes.getAddress().getPort())
                    .withHttp2Disable(true)
                    .build())
            .build();
    delivery = new ServerLogDelivery(http, new PodLogs(client));
  }

  @AfterEach
  void stop() {
    delivery.close();
    runnerTakes.countDown();
    client.close();
    runner.stop(0);
    kubernetes.stop(0);
    http.close();
  }

  @Test
  void everyLogOfEveryServerIsSentAndThenTheEnd() {
    begin(pod("llama-0", 0), pod("llama-1", 1));

    awaitEnds(1);
    assertThat(ends).containsExactly(new ServerLogs.End(List.of()));
    assertThat(new TreeMap<>(kept))
        .isEqualTo(
            Map.of(
                "llama-0/server", "log of llama-0\n",
                "llama-1/server", "log of llama-1\n",
                "llama-1/server/previous", "crash of llama-1\n"));
    assertThat(asked)
        .contains(
            "/api/v1/namespaces/bench/pods/llama-0/log"
                + "?container=server&previous=false&sinceTime=2026-03-01T10%3A00%3A00.250Z");
  }

  @Test
  void whatKubernetesDoesNotGiveIsToldAndTheRestIsSent() {
    begin(pod("forbidden-0", 0), pod("gone-0", 0), pod("broken-0", 0), pod("llama-0", 0));

    awaitEnds(1);
    assertThat(kept).containsOnlyKeys("llama-0/server");
    assertThat(ends.getFirst().problems())
        .satisfiesExactly(
            problem ->
                assertThat(problem)
                    .startsWith("forbidden-0/server: pods \"forbidden-0\" is forbidden")
                    .contains("pods/log"),
            problem -> assertThat(problem).isEqualTo("gone-0/server: status 502: no such node"),
            problem -> assertThat(problem).startsWith("broken-0/server: it breaks off: "));
    // Each was asked for once.
    assertThat(asked).doesNotHaveDuplicates();
  }

  @Test
  void aLogOfAnyLengthPassesThrough() {
    begin(pod("huge-0", 0));

    awaitEnds(1);
    assertThat(received.get()).isEqualTo(HUGE_CHUNKS * 64L * 1024);
  }

  @Test
  void oneDeliveryAtATimeGoesToARunner() {
    runnerTakes = new CountDownLatch(1);
    begin(pod("llama-0", 0));
    begin(pod("llama-0", 0));
    Awaitility.await().until(() -> asked.size() == 1);
    begin(pod("llama-0", 0));
    runnerTakes.countDown();

    awaitEnds(1);
    assertThat(asked).hasSize(1);
  }

  @Test
  void theNextOperatorSendsWhatIsNotThereYet() {
    kept.put("llama-0/server", "whole, of the last operator");
    begin(pod("llama-0", 0), pod("llama-1", 0));

    awaitEnds(1);
    assertThat(kept)
        .containsEntry("llama-0/server", "whole, of the last operator")
        .containsEntry("llama-1/server", "log of llama-1\n");
    assertThat(asked).hasSize(1);
  }

  @Test
  void anOperatorThatStopsBreaksOffAndLeavesTheEndToTheNext() {
    runnerTakes = new CountDownLatch(1);
    begin(pod("llama-0", 0));
    Awaitility.await().until(() -> asked.size() == 1);
    delivery.close();
    runnerTakes.countDown();
    begin(pod("llama-0", 0));

    try (ServerLogDelivery next = new ServerLogDelivery(http, new PodLogs(client))) {
      Awaitility.await()
          .pollDelay(Duration.ofMillis(300))
          .untilAsserted(() -> assertThat(ends).isEmpty());
      next.begin(
          RUN, ADDRESS, () -> List.of(pod("llama-0", 0)), ServerLogDeliveryTest::provenance, TAKEN);
      awaitEnds(1);
    }
    assertThat(kept).containsKey("llama-0/server");
  }

  @Test
  void aRunnerThatIsGoneIsNoError() {
    runner.stop(0);
    begin(pod("llama-0", 0));
    // Over, so that the next may begin.
    Awaitility.await().until(() -> asked.isEmpty());
    assertThat(ends).isEmpty();
  }

  @Test
  void theRunnerIsToldWhatThereIsBeforeItGetsLogs() {
    begin(pod("llama-0", 0), pod("llama-1", 0));

    awaitEnds(1);
    assertThat(learnt).containsExactly(provenance(List.of(pod("a", 0), pod("b", 0))));
  }

  @Test
  void aRunnerOfAnOlderVersionHasNoUseForIt() {
    answerToProvenance = 404;
    begin(pod("llama-0", 0));

    awaitEnds(1);
    assertThat(kept).containsKey("llama-0/server");
  }

  /** Without it the verdict is not Valid, so that it is tried again. */
  @Test
  void aRunnerThatCannotTakeItNowIsTriedAgain() {
    answerToProvenance = 500;
    begin(pod("llama-0", 0));
    Awaitility.await().until(() -> learnt.size() == 1);
    answerToProvenance = 204;

    Awaitility.await()
        .untilAsserted(
            () -> {
              begin(pod("llama-0", 0));
              assertThat(ends).hasSize(1);
            });
  }

  @Test
  void ofAServerThatHasRunForLongTheFirstLinesAreSentToo() {
    Pod old = pod("llama-0", 0);
    old.getStatus()
        .getContainerStatuses()
        .getFirst()
        .getState()
        .setRunning(new ContainerStateRunning("2026-02-01T00:00:00Z"));
    begin(old);

    awaitEnds(1);
    assertThat(kept).containsOnlyKeys("llama-0/server", "llama-0/server/beginning");
    assertThat(asked)
        .contains("/api/v1/namespaces/bench/pods/llama-0/log?container=server&limitBytes=131072");
  }

  // The runner

  private void learn(HttpExchange exchange) throws IOException {
    try (exchange) {
      assertThat(exchange.getRequestHeaders().getFirst("Authorization")).isEqualTo("Bearer 6a1f-2");
      assertThat(exchange.getRequestMethod()).isEqualTo("PUT");
      learnt.add(
          ContractJson.read(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
              Provenance.class));
      answer(exchange, answerToProvenance, "");
    }
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      assertThat(exchange.getRequestHeaders().getFirst("Authorization")).isEqualTo("Bearer 6a1f-2");
      String path = exchange.getRequestURI().getPath();
      switch (exchange.getRequestMethod()) {
        case "GET" ->
            answer(
                exchange, 200, ContractJson.write(new ServerLogs.Kept(List.copyOf(kept.keySet()))));
        case "PUT" -> {
          Wait.until(runnerTakes);
          String log = body(exchange);
          kept.put(path.substring(RunnerInterface.SERVER_LOGS_PATH.length() + 1), log);
          answer(exchange, 201, "");
        }
        default -> {
          ends.add(ContractJson.read(body(exchange), ServerLogs.End.class));
          answer(exchange, 204, "");
        }
      }
    }
  }

  private String body(HttpExchange exchange) throws IOException {
    byte[] chunk = new byte[64 * 1024];
    StringBuilder start = new StringBuilder();
    for (int length = exchange.getRequestBody().read(chunk);
        length >= 0;
        length = exchange.getRequestBody().read(chunk)) {
      if (exchange.getRequestMethod().equals("PUT")) {
        received.addAndGet(length);
      }
      if (start.length() < 1_000) {
        start.append(new String(chunk, 0, length, StandardCharsets.UTF_8));
      }
    }
    return start.toString();
  }

  private static final class Wait {
    static void until(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // Kubernetes

  private static final int HUGE_CHUNKS = 2_000;

  private void log(HttpExchange exchange) throws IOException {
    asked.add(exchange.getRequestURI().toString());
    String pod = exchange.getRequestURI().getPath().split("/", -1)[6];
    try (exchange) {
      switch (pod) {
        case "forbidden-0" ->
            answer(
                exchange,
                403,
                "{\"kind\":\"Status\",\"message\":\"pods \\\"forbidden-0\\\" is forbidden\"}");
        case "gone-0" -> answer(exchange, 502, "no such node");
        case "broken-0" -> {
          exchange.sendResponseHeaders(200, 1_000);
          exchange.getResponseBody().write("half".getBytes(StandardCharsets.UTF_8));
          exchange.getResponseBody().flush();
        }
        case "huge-0" -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < HUGE_CHUNKS; i++) {
              out.write(new byte[64 * 1024]);
            }
          }
        }
        default ->
            answer(
                exchange,
                200,
                (exchange.getRequestURI().getQuery().contains("previous=true")
                        ? "crash of "
                        : "log of ")
                    + pod
                    + "\n");
      }
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private void begin(Pod... pods) {
    delivery.begin(RUN, ADDRESS, () -> List.of(pods), ServerLogDeliveryTest::provenance, TAKEN);
  }

  private static Provenance provenance(List<Pod> pods) {
    return new Provenance((long) pods.size(), null, List.of(), null, List.of());
  }

  private void awaitEnds(int count) {
    Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> ends.size() == count);
  }

  private static Pod pod(String name, int restarts) {
    return Serialization.unmarshal(
        """
        kind: Pod
        apiVersion: v1
        metadata: {name: %s, namespace: bench}
        status:
          containerStatuses:
          - name: server
            restartCount: %d
            state: {running: {}}
            lastState: {%s}
        """
            .formatted(
                name,
                restarts,
                restarts == 0
                    ? ""
                    : "terminated: {exitCode: 1, finishedAt: \"2026-03-01T11:00:00Z\"}"),
        Pod.class);
  }
}
