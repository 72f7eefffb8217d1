package dev.loadgen.local.kubelet;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One pod of this node, from its binding to its end, on a thread of its own. */
final class PodWorker {
  private static final Logger LOG = LoggerFactory.getLogger(PodWorker.class);
  private static final Duration PREPARE_AGAIN = Duration.ofMillis(500);
  private static final int STATUS_ATTEMPTS = 10;

  private final KubernetesClient client;
  private final KubeletSettings settings;
  private final PodAddresses addresses;
  private final Probes probes;
  private final Map<String, String> tags;
  private final Pod pod;
  private final Path folder;
  private final Instant startTime;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Object publishing = new Object();

  // Guarded by this.
  private final List<ContainerRun> containers = new ArrayList<>();
  private final Map<String, ContainerRun> runs = new HashMap<>();
  private final List<ContainerStatus> initStatuses = new ArrayList<>();
  private ContainerState waiting = ContainerRun.waiting("ContainerCreating", "");
  private @Nullable ContainerRun initializing;
  private @Nullable Duration stopGrace;
  private boolean initFailed;

  private @Nullable String address; // set once, before anything is published
  private @Nullable PodStatus published; // guarded by publishing

  PodWorker(
      KubernetesClient client,
      KubeletSettings settings,
      PodAddresses addresses,
      Probes probes,
      Map<String, String> tags,
      Pod pod) {
    this.client = client;
    this.settings = settings;
    this.addresses = addresses;
    this.probes = probes;
    this.tags = tags;
    this.pod = pod;
    this.folder = settings.stateFolder().resolve("pods").resolve(pod.getMetadata().getUid());
    this.startTime = settings.clock().instant().truncatedTo(ChronoUnit.SECONDS);
  }

  String uid() {
    return pod.getMetadata().getUid();
  }

  /** Completes when no process of the pod is left and the API server knows. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  void start() {
    Thread.ofVirtual().name("pod-" + pod.getMetadata().getName()).start(this::runToEnd);
  }

  /** Ends the pod; returns at once. A second call may shorten the grace. */
  void stop(Duration grace) {
    List<ContainerRun> running = new ArrayList<>();
    synchronized (this) {
      if (stopGrace != null && stopGrace.compareTo(grace) <= 0) {
        return;
      }
      stopGrace = grace;
      running.addAll(containers);
      if (initializing != null) {
        running.add(initializing);
      }
    }
    stopping.countDown();
    running.forEach(container -> stop(container, grace));
  }

  private static void stop(ContainerRun container, Duration grace) {
    Thread.ofVirtual()
        .name("stop")
        .start(
            () -> {
              try {
                container.stop(grace);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private boolean isStopping() {
    return stopping.getCount() == 0;
  }

  private void runToEnd() {
    String taken = null;
    try {
      Files.createDirectories(folder);
      taken = addresses.take();
      address = taken;
      runContainers(taken);
    } catch (ContainerConfigException e) {
      wait("CreateContainerError", String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException e) {
      LOG.error("pod {} cannot be run", pod.getMetadata().getName(), e);
      wait("CreateContainerError", String.valueOf(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      try {
        finish();
      } finally {
        if (taken != null) {
          addresses.release(taken);
        }
        ended.complete(null);
      }
    }
  }

  private void finish() {
    try {
      publish();
      stopping.await(); // a pod that is over stays until it is deleted
      removeObject();
      deleteFolder();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (KubernetesClientException e) {
      LOG.debug("the API server is gone: {}", e.toString());
    }
  }

  private void runContainers(String podAddress)
      throws ContainerConfigException, IOException, InterruptedException {
    publish();
    List<ContainerRun.Plan> plans = null;
    while (plans == null && !isStopping()) {
      plans = prepare(podAddress);
      if (plans == null) {
        var unused = stopping.await(PREPARE_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
    if (plans == null) {
      return;
    }
    List<Container> init = pod.getSpec().getInitContainers();
    for (int i = 0; i < init.size(); i++) {
      if (isStopping() || !initialize(init.get(i), plans.get(i), podAddress)) {
        return;
      }
    }
    String policy = Optional.ofNullable(pod.getSpec().getRestartPolicy()).orElse("Always");
    List<Thread> threads = new ArrayList<>();
    synchronized (this) {
      if (stopGrace != null) {
        return;
      }
      List<Container> specs = pod.getSpec().getContainers();
      for (int i = 0; i < specs.size(); i++) {
        ContainerRun run = run(specs.get(i), plans.get(init.size() + i), policy, podAddress);
        containers.add(run);
        threads.add(thread(specs.get(i).getName(), run));
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private boolean initialize(Container container, ContainerRun.Plan plan, String podAddress)
      throws InterruptedException {
    String policy = "Never".equals(pod.getSpec().getRestartPolicy()) ? "Never" : "OnFailure";
    ContainerRun run = run(container, plan, policy, podAddress);
    synchronized (this) {
      if (stopGrace != null) {
        return false;
      }
      initializing = run;
    }
    thread(container.getName(), run).join();
    synchronized (this) {
      ContainerStatus status = run.status();
      initStatuses.add(status);
      initializing = null;
      initFailed =
          status.getState().getTerminated() == null
              || status.getState().getTerminated().getExitCode() != 0;
      return !initFailed;
    }
  }

  private ContainerRun run(
      Container container, ContainerRun.Plan plan, String policy, String podAddress) {
    ContainerRun run =
        new ContainerRun(
            container,
            plan,
            new ContainerRun.Restarts(policy, settings.firstBackoff(), settings.maxBackoff()),
            probes,
            podAddress,
            settings.clock(),
            this::publish);
    synchronized (this) {
      runs.put(container.getName(), run);
    }
    return run;
  }

  /** Where the log of a container is. */
  synchronized Optional<LogPart> log(String container, boolean previous, @Nullable Instant since) {
    return Optional.ofNullable(runs.get(container)).flatMap(run -> run.log(previous, since));
  }

  private static Thread thread(String name, ContainerRun run) {
    return Thread.ofVirtual()
        .name("container-" + name)
        .start(
            () -> {
              try {
                run.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  // Preparing

  /** What to start for init containers and containers, or null with the reason published. */
  private @Nullable List<ContainerRun.Plan> prepare(String podAddress) throws IOException {
    List<ContainerRun.Plan> plans = new ArrayList<>();
    try {
      PodVolumes volumes = new PodVolumes(client, settings.claims());
      Map<String, Path> folders = volumes.make(pod, folder);
      for (Container container :
          Stream.concat(
                  pod.getSpec().getInitContainers().stream(),
                  pod.getSpec().getContainers().stream())
              .toList()) {
        Probes.check(container);
        Map<String, String> environment =
            new PodEnvironment(volumes).of(pod, container, podAddress);
        ImageCatalog.Resolution resolution =
            settings
                .images()
                .resolve(
                    container.getImage(),
                    expanded(container.getCommand(), environment),
                    expanded(container.getArgs(), environment));
        switch (resolution) {
          case ImageCatalog.Unavailable unavailable -> {
            wait("ErrImagePull", unavailable.message());
            return null;
          }
          case ImageCatalog.Launch launch ->
              plans.add(plan(container, launch, environment, folders, podAddress));
        }
      }
      return plans;
    } catch (ContainerConfigException e) {
      wait("CreateContainerConfigError", String.valueOf(e.getMessage()));
      return null;
    }
  }

  private static List<String> expanded(List<String> words, Map<String, String> variables) {
    return words.stream().map(word -> Variables.expand(word, variables)).toList();
  }

  private ContainerRun.Plan plan(
      Container container,
      ImageCatalog.Launch launch,
      Map<String, String> variables,
      Map<String, Path> folders,
      String podAddress)
      throws ContainerConfigException, IOException {
    String name = container.getName();
    Path own = Files.createDirectories(folder.resolve("containers").resolve(name));
    Path termination = own.resolve("termination-log");
    List<PathMap.Mount> mounts = new ArrayList<>(PodVolumes.mounts(container, folders, variables));
    mounts.add(
        new PathMap.Mount(
            Optional.ofNullable(container.getTerminationMessagePath())
                .orElse(ContainerMessage.DEFAULT_PATH),
            termination));
    PathMap paths = new PathMap(mounts, podAddress);

    List<String> words = new ArrayList<>();
    launch.wrapper().forEach(word -> words.add(paths.word(word)));
    words.addAll(launch.launcher());
    launch.containerWords().forEach(word -> words.add(paths.word(word)));
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("HOSTNAME", pod.getMetadata().getName());
    environment.put(
        "LOADGEN_RESOLVE",
        PodDnsNames.of(
            client.pods().inAnyNamespace().list().getItems(), pod.getMetadata().getNamespace()));
    variables.forEach((key, value) -> environment.put(key, paths.value(value)));
    environment.putAll(tags);

    Path logs = Files.createDirectories(settings.stateFolder().resolve("logs"));
    Path log =
        logs.resolve(
            "%s_%s_%s.log"
                .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName(), name));
    Path workingFolder =
        container.getWorkingDir() == null ? own : Path.of(paths.value(container.getWorkingDir()));
    return new ContainerRun.Plan(
        words,
        environment,
        Files.isDirectory(workingFolder) ? workingFolder : own,
        termination,
        log);
  }

  // Status

  private void wait(String reason, String message) {
    synchronized (this) {
      waiting = ContainerRun.waiting(reason, message);
    }
    publish();
  }

  private void publish() {
    synchronized (publishing) {
      PodStatus status = status(Optional.ofNullable(published));
      if (status.equals(published)) {
        return;
      }
      if (write(status)) {
        published = status;
      }
    }
  }

  /** The pod as it is now; null: it is gone, and another may have its name by now. */
  private @Nullable Pod live() {
    Pod live =
        client
            .pods()
            .inNamespace(pod.getMetadata().getNamespace())
            .withName(pod.getMetadata().getName())
            .get();
    return live != null && live.getMetadata().getUid().equals(uid()) ? live : null;
  }

  private boolean write(PodStatus status) {
    for (int attempt = 1; ; attempt++) {
      try {
        Pod live = live();
        if (live == null) {
          return false; // deleted meanwhile
        }
        live.setStatus(status);
        client.resource(live).updateStatus();
        return true;
      } catch (KubernetesClientException e) {
        if (e.getCode() != 409 || attempt == STATUS_ATTEMPTS) {
          LOG.warn("status of pod {} cannot be written", pod.getMetadata().getName(), e);
          return false;
        } // else somebody else wrote at the same time
      }
    }
  }

  private synchronized PodStatus status(Optional<PodStatus> before) {
    List<ContainerStatus> statuses =
        containers.isEmpty()
            ? pod.getSpec().getContainers().stream().map(this::waitingStatus).toList()
            : containers.stream().map(ContainerRun::status).toList();
    List<ContainerStatus> init = new ArrayList<>(initStatuses);
    if (initializing != null) {
      init.add(initializing.status());
    }
    boolean initialized = initStatuses.size() == pod.getSpec().getInitContainers().size();
    boolean ready = !containers.isEmpty() && statuses.stream().allMatch(ContainerStatus::getReady);
    String now = settings.clock().instant().truncatedTo(ChronoUnit.SECONDS).toString();
    List<PodCondition> conditions =
        List.of(
            condition("ContainersReady", ready, before, now),
            condition("Initialized", initialized && !initFailed, before, now),
            condition("PodScheduled", true, before, now),
            condition("Ready", ready, before, now));
    return new PodStatusBuilder()
        .withPhase(phase())
        .withConditions(conditions)
        .withContainerStatuses(statuses)
        .withInitContainerStatuses(init)
        .withHostIP("127.0.0.1")
        .withPodIP(address)
        .withStartTime(startTime.toString())
        .build();
  }

  private ContainerStatus waitingStatus(Container container) {
    return new ContainerStatusBuilder()
        .withName(container.getName())
        .withImage(container.getImage())
        .withImageID("")
        .withState(waiting)
        .withRestartCount(0)
        .withStarted(false)
        .withReady(false)
        .build();
  }

  private String phase() {
    if (initFailed) {
      return "Failed";
    }
    if (containers.isEmpty() || !containers.stream().allMatch(ContainerRun::hasStarted)) {
      return "Pending";
    }
    if (!containers.stream().allMatch(ContainerRun::isOver)) {
      return "Running";
    }
    boolean succeeded =
        containers.stream()
            .map(run -> run.status().getState().getTerminated())
            .allMatch(end -> end != null && end.getExitCode() == 0);
    return succeeded ? "Succeeded" : "Failed";
  }

  private static PodCondition condition(
      String type, boolean holds, Optional<PodStatus> before, String now) {
    String status = holds ? "True" : "False";
    String since =
        before.stream()
            .flatMap(old -> old.getConditions().stream())
            .filter(old -> old.getType().equals(type) && old.getStatus().equals(status))
            .map(PodCondition::getLastTransitionTime)
            .findFirst()
            .orElse(now);
    return new PodConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withLastTransitionTime(since)
        .build();
  }

  // The end

  private void removeObject() {
    Pod live = live();
    if (live != null) {
      client.resource(live).withGracePeriod(0).delete();
    }
  }

  private void deleteFolder() {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("folder of pod {} cannot be removed: {}", pod.getMetadata().getName(), folder, e);
    }
  }
}
