package dev.loadgen.local.faults;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Projection;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResultBuilder;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.ServerLogs;
import dev.loadgen.contract.Verdict;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Labels;
import dev.loadgen.runner.logs.ServerLogInbox;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A node on which servers and runners are scripts: no process is started. A server is ready after a
 * moment, and a runner measures for as long as it is told, waits for the servers' logs and ends
 * with the same summary as every other one. Their pods come and go as on a node.
 */
final class ScriptedNode implements AutoCloseable {
  static final RunResult RESULT =
      RunResultBuilder.builder()
          .metric("tokens_per_second")
          .value(4010.0)
          .unit("tokens/s")
          .completed(64L)
          .failed(0L)
          .outputTokens(384L)
          .tokenCountSource("usage")
          .tokensPerSecond(4010.0)
          .samplesPerSecond(60.0)
          .durationSeconds(1.1)
          .retries(0L)
          .build();

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration START = Duration.ofMillis(20);
  private static final Duration END = Duration.ofMillis(20);
  private static final Duration UNTIL_LOGS = Duration.ofSeconds(60);
  private static final Progress RUNNING =
      new Progress("Running", 32L, 30L, 0L, 64L, 46, 1L, null, Projection.Pass);

  private final KubernetesClient client;
  private final Path folder;
  private final Function<Pod, Duration> work;
  private final Map<String, Stop> stops = new ConcurrentHashMap<>();
  private final Map<String, List<String>> logProblems = new ConcurrentHashMap<>();
  private final AtomicInteger addresses = new AtomicInteger();

  /**
   * A node.
   *
   * @param folder for logs
   * @param work how long the test of a runner takes
   */
  ScriptedNode(KubernetesClient client, Path folder, Function<Pod, Duration> work) {
    this.client = client;
    this.folder = folder;
    this.work = work;
    // Other builds on this machine have other addresses, mostly.
    addresses.set((int) (ProcessHandle.current().pid() * 1_000));
  }

  /** To be called with every change of a pod. */
  void seen(Pod pod) {
    String uid = pod.getMetadata().getUid();
    boolean deleted = pod.getMetadata().getDeletionTimestamp() != null;
    Stop stop = stops.get(uid);
    if (stop != null) {
      if (deleted) {
        stop.asked.countDown();
      }
    } else if (pod.getSpec().getNodeName() == null && !deleted) {
      Stop made = new Stop();
      stops.put(uid, made);
      Thread.ofVirtual().name("pod-" + pod.getMetadata().getName()).start(() -> run(pod, made));
    }
  }

  /** To be called when a pod is gone. */
  void gone(Pod pod) {
    Stop stop = stops.remove(pod.getMetadata().getUid());
    if (stop != null) {
      stop.gone = true;
      stop.asked.countDown();
    }
  }

  /** When a pod shall end. */
  private static final class Stop {
    final CountDownLatch asked = new CountDownLatch(1);

    /** Another pod may have its name by now. */
    volatile boolean gone;

    boolean within(Duration time) throws InterruptedException {
      return asked.await(time.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Which logs of servers the runners of a namespace have missed, in words. */
  List<String> logProblems(String namespace) {
    return List.copyOf(logProblems.getOrDefault(namespace, List.of()));
  }

  private void run(Pod pod, Stop stop) {
    try {
      bind(pod);
      if (Labels.RUNNER.equals(pod.getMetadata().getLabels().get(Labels.COMPONENT))) {
        runner(pod, stop);
      } else {
        server(pod, stop);
      }
      stop.asked.await();
      Thread.sleep(END);
      if (!stop.gone) {
        client.resource(pod).withGracePeriod(0).delete();
      }
    } catch (KubernetesClientException e) {
      if (e.getCode() != 404 && e.getCode() != 409) {
        throw e;
      } // else the pod is gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void bind(Pod pod) {
    client
        .bindings()
        .inNamespace(pod.getMetadata().getNamespace())
        .resource(
            new BindingBuilder()
                .withNewMetadata()
                .withName(pod.getMetadata().getName())
                .withNamespace(pod.getMetadata().getNamespace())
                .endMetadata()
                .withNewTarget()
                .withApiVersion("v1")
                .withKind("Node")
                .withName("scripted")
                .endTarget()
                .build())
        .create();
  }

  private void server(Pod pod, Stop stop) throws InterruptedException {
    Instant started = now();
    if (!stop.within(START)) {
      report(pod, "Running", running(started), true, "127.0.0.1");
    }
  }

  private void runner(Pod pod, Stop stop) throws InterruptedException, IOException {
    Instant started = now();
    Map<String, String> labels = pod.getMetadata().getLabels();
    int epoch = Epochs.of(pod);
    RunPlan.Run run =
        new RunPlan.Run(
            pod.getMetadata().getNamespace(),
            labels.get(Labels.RUN),
            labels.get(Labels.RUN_UID),
            epoch == 1 ? null : Integer.valueOf(epoch));
    ServerLogInbox inbox =
        new ServerLogInbox(
            Set.of(labels.get(Labels.BACKEND) + "-0"),
            ServerLogs.token(run),
            Files.createDirectories(folder.resolve(pod.getMetadata().getUid())),
            line -> line,
            ServerLogInbox.LIMIT,
            System::nanoTime);
    AtomicReference<Progress> progress = new AtomicReference<>(RUNNING);
    HttpServer http = listen();
    try {
      http.createContext(RunnerInterface.SERVER_LOGS_PATH, inbox);
      http.createContext(
          RunnerInterface.PROGRESS_PATH,
          exchange -> {
            byte[] body = JSON.writeValueAsBytes(progress.get());
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      http.start();
      report(pod, "Running", running(started), true, http.getAddress().getHostString());
      if (stop.within(work.apply(pod))) {
        return;
      }
      inbox.open();
      progress.set(
          new Progress(ServerLogs.STAGE, 64L, 64L, 0L, 64L, 100, 0L, null, Projection.Pass));
      Thread stopper =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      stop.asked.await();
                      inbox.close();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  });
      String missing = inbox.await(UNTIL_LOGS, UNTIL_LOGS);
      stopper.interrupt();
      if (missing != null) {
        logProblems
            .computeIfAbsent(
                pod.getMetadata().getNamespace(), namespace -> new CopyOnWriteArrayList<>())
            .add(missing);
      }
    } finally {
      http.stop(0);
    }
    if (stop.asked.getCount() > 0) {
      report(pod, "Succeeded", ended(run, started), false, null);
    }
  }

  /** An HTTP server on an address of its own, as a pod has. */
  private HttpServer listen() throws IOException {
    for (; ; ) {
      int next = addresses.incrementAndGet();
      byte[] address = {127, (byte) (100 + (next >> 16 & 127)), (byte) (next >> 8), (byte) next};
      try {
        return HttpServer.create(
            new InetSocketAddress(InetAddress.getByAddress(address), RunnerInterface.PORT), 16);
      } catch (BindException taken) {
        // By another build, for example.
      }
    }
  }

  private static ContainerState running(Instant started) {
    return new ContainerStateBuilder()
        .withNewRunning()
        .withStartedAt(started.toString())
        .endRunning()
        .build();
  }

  private static ContainerState ended(RunPlan.Run run, Instant started) throws IOException {
    RunSummary summary =
        RunSummaryBuilder.builder()
            .version(RunSummary.VERSION)
            .verdict(Verdict.Valid)
            .verdictReasons(List.of())
            .result(RESULT)
            .resultsPath(run.namespace() + "/" + run.name() + "/" + run.id())
            .startedAt(started.toString())
            .finishedAt(now().toString())
            .build();
    return new ContainerStateBuilder()
        .withNewTerminated()
        .withExitCode(0)
        .withReason("Completed")
        .withStartedAt(started.toString())
        .withFinishedAt(now().toString())
        .withMessage(ContractJson.write(summary))
        .endTerminated()
        .build();
  }

  private void report(
      Pod pod, String phase, ContainerState state, boolean ready, @Nullable String address) {
    String is = ready ? "True" : "False";
    String now = now().toString();
    Pod told =
        new PodBuilder()
            .withNewMetadata()
            // Another may have the name by now.
            .withUid(pod.getMetadata().getUid())
            .endMetadata()
            .withNewStatus()
            .withPhase(phase)
            .withPodIP(address)
            .withStartTime(now)
            .withConditions(
                List.of("ContainersReady", "Initialized", "PodScheduled", "Ready").stream()
                    .map(
                        type ->
                            new PodConditionBuilder()
                                .withType(type)
                                .withStatus(type.contains("Ready") ? is : "True")
                                .withLastTransitionTime(now)
                                .build())
                    .toList())
            .withContainerStatuses(
                new ContainerStatusBuilder()
                    .withName(pod.getSpec().getContainers().getFirst().getName())
                    .withImage(pod.getSpec().getContainers().getFirst().getImage())
                    .withImageID("")
                    .withRestartCount(0)
                    .withReady(ready)
                    .withStarted(ready)
                    .withState(state)
                    .build())
            .endStatus()
            .build();
    client
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(told));
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }

  /** Ends all that still goes on. */
  @Override
  public void close() {
    stops.values().forEach(stop -> stop.asked.countDown());
  }

  /** A log of a container, the same for all. */
  static Path log(Path folder) throws IOException {
    Path log = folder.resolve("server.log");
    return Files.exists(log) ? log : Files.writeString(log, "ready\n", StandardCharsets.UTF_8);
  }
}
