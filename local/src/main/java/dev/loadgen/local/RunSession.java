package dev.loadgen.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.commands.Surroundings;
import dev.loadgen.commands.console.BackendView;
import dev.loadgen.commands.console.Display;
import dev.loadgen.commands.console.ReadableNumbers;
import dev.loadgen.commands.console.ResultTable;
import dev.loadgen.commands.console.RunView;
import dev.loadgen.contract.Verdict;
import dev.loadgen.local.kubelet.ImageCatalog;
import dev.loadgen.local.kubelet.KubeletSettings;
import dev.loadgen.local.manifest.Manifest;
import dev.loadgen.local.manifest.Manifests;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One {@code loadgen run}: everything that is started is ended before {@link #run} returns, also
 * when the process is told to end meanwhile.
 */
final class RunSession {
  private static final int ALL_VALID = 0;
  private static final int NOT_VALID = 1;
  private static final int TIMED_OUT = 3;
  private static final int INTERRUPTED = 130;

  private static final Duration TICK = Duration.ofMillis(250);
  // A runner needs up to 8 s to leave a complete folder after SIGTERM.
  private static final Duration RUNNER_GRACE = Duration.ofSeconds(9);
  private static final Duration HOOK_PATIENCE = Duration.ofSeconds(15);

  private final Surroundings surroundings;
  private final Manifests manifests;
  private final ImageCatalog images;
  private final Path results;
  private final Duration deadline;
  private final PrintWriter out;
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  RunSession(
      Surroundings surroundings,
      Manifests manifests,
      ImageCatalog images,
      Path results,
      Duration deadline) {
    this.surroundings = surroundings;
    this.manifests = manifests;
    this.images = images;
    this.results = results;
    this.deadline = deadline;
    this.out = surroundings.out();
  }

  /** Runs all BenchmarkRuns and returns the exit status. */
  int run() throws IOException, InterruptedException {
    Thread hook = Thread.ofPlatform().name("interrupted").unstarted(this::interrupt);
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return runInterruptibly();
    } finally {
      ended.countDown();
      removeHook(hook);
    }
  }

  /** Wakes the session, and keeps the JVM until that has cleaned up. */
  private void interrupt() {
    interrupted.countDown();
    try {
      if (!ended.await(HOOK_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        surroundings.err().println("loadgen: not all processes ended in time; they are killed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and the hook with it.
    }
  }

  private int runInterruptibly() throws IOException, InterruptedException {
    Path state = Files.createTempDirectory(surroundings.temporary(), "loadgen-");
    int status = NOT_VALID;
    try {
      LogFile.open(state.resolve("operator.log"));
      banner();
      KubeletSettings settings = KubeletSettings.of(state, images, this::claimFolder);
      try (LocalSystem system = LocalSystem.start(settings)) {
        status = drive(system);
      }
      return status;
    } finally {
      if (status == ALL_VALID) {
        delete(state);
      } else {
        out.println("logs of operator, servers and runners: " + state);
        out.flush();
      }
    }
  }

  private void banner() {
    out.println(
        "An embedded cluster stands in for Kubernetes. It does not cover: "
            + EmbeddedCluster.NOT_COVERED
            + ".");
    out.flush();
  }

  private int drive(LocalSystem system) throws InterruptedException {
    KubernetesClient client = system.client();
    apply(client);
    Display display = new Display(out, surroundings.terminal());
    long start = System.nanoTime();
    boolean inTime = true;
    boolean stopped = false;
    List<BenchmarkRun> runs = runs(client);
    try {
      while (!stopped && inTime && !runs.stream().allMatch(RunSession::isOver)) {
        stopped = interrupted.await(TICK.toMillis(), TimeUnit.MILLISECONDS);
        runs = runs(client);
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        display.show(
            backends(client).stream().map(each -> BackendView.of(json(client, each))).toList(),
            runs.stream().map(each -> RunView.of(json(client, each))).toList(),
            elapsed);
        inTime = elapsed.compareTo(deadline) < 0;
      }
      display.done();
      boolean over = runs.stream().allMatch(RunSession::isOver);
      if (!over) {
        surroundings
            .err()
            .println(
                stopped
                    ? "loadgen: interrupted; ending what was started"
                    : "loadgen: --timeout of "
                        + ReadableNumbers.duration(deadline)
                        + " passed; ending what was started");
        surroundings.err().flush();
      }
      return over ? finished(client, runs) : unfinished(client, runs, stopped);
    } finally {
      giveBack(system, runs);
    }
  }

  private int finished(KubernetesClient client, List<BenchmarkRun> runs) {
    out.println();
    print(client, runs);
    boolean valid =
        runs.stream()
            .allMatch(
                run ->
                    run.getStatus().phase() == Phase.Completed
                        && run.getStatus().verdict() == Verdict.Valid);
    return valid ? ALL_VALID : NOT_VALID;
  }

  private int unfinished(KubernetesClient client, List<BenchmarkRun> runs, boolean stopped) {
    List<BenchmarkRun> over = runs.stream().filter(RunSession::isOver).toList();
    if (!over.isEmpty()) {
      out.println();
      print(client, over);
    }
    return stopped ? INTERRUPTED : TIMED_OUT;
  }

  private void print(KubernetesClient client, List<BenchmarkRun> runs) {
    Map<String, BenchmarkRun> byUid =
        runs.stream().collect(Collectors.toMap(run -> run.getMetadata().getUid(), run -> run));
    ResultTable.print(
        out,
        runs.stream().map(each -> RunView.of(json(client, each))).toList(),
        view ->
            resultsFolder(client, Objects.requireNonNull(byUid.get(view.uid())))
                .map(folder -> folder.resolve("report.html").toString()));
  }

  private static JsonNode json(KubernetesClient client, HasMetadata object) {
    return client.getKubernetesSerialization().convertValue(object, JsonNode.class);
  }

  // Objects

  private void apply(KubernetesClient client) {
    for (Manifest manifest : manifests.objects()) {
      if (manifest.kind().equals("Namespace")
          && client.namespaces().withName(manifest.name()).get() != null) {
        continue; // such as default, which every cluster has
      }
      ObjectNode written = manifest.object().deepCopy();
      if (manifest.kind().equals("BenchmarkRun")) {
        // This session deletes its runs itself, after it has shown what became of them.
        ((ObjectNode) written.get("spec")).remove("ttlAfterFinished");
      }
      GenericKubernetesResource object =
          Serialization.unmarshal(written.toString(), GenericKubernetesResource.class);
      if (!manifest.namespace().isEmpty()) {
        object.getMetadata().setNamespace(manifest.namespace());
      }
      client.resource(object).create();
    }
    out.println(
        "applied "
            + manifests.objects().stream()
                .map(manifest -> manifest.kind() + "/" + manifest.name())
                .collect(Collectors.joining(", ")));
    manifests
        .ofKind("PersistentVolumeClaim")
        .filter(claim -> !isBoundByManifest(claim) && !isForResults(claim))
        .forEach(
            claim ->
                out.printf(
                    "claim %s is the folder %s%n",
                    claim.name(), volumeFolder(claim.namespace(), claim.name())));
    out.flush();
  }

  /** Whether the manifests give a claim a volume, instead of leaving that to this machine. */
  private boolean isBoundByManifest(Manifest claim) {
    return claim.object().path("spec").has("volumeName")
        || manifests
            .ofKind("PersistentVolume")
            .map(volume -> volume.object().path("spec").path("claimRef"))
            .anyMatch(
                reference ->
                    reference.path("name").asText().equals(claim.name())
                        && reference.path("namespace").asText("default").equals(claim.namespace()));
  }

  private boolean isForResults(Manifest claim) {
    return manifests
        .ofKind("BenchmarkRun")
        .filter(run -> run.namespace().equals(claim.namespace()))
        .map(run -> run.object().path("spec").path("results").path("claimName").asText())
        .anyMatch(claim.name()::equals);
  }

  private List<BenchmarkRun> runs(KubernetesClient client) {
    return manifests
        .ofKind("BenchmarkRun")
        .map(
            run ->
                client
                    .resources(BenchmarkRun.class)
                    .inNamespace(run.namespace())
                    .withName(run.name())
                    .get())
        .filter(Objects::nonNull)
        .toList();
  }

  private List<InferenceBackend> backends(KubernetesClient client) {
    return manifests
        .ofKind("InferenceBackend")
        .map(
            backend ->
                client
                    .resources(InferenceBackend.class)
                    .inNamespace(backend.namespace())
                    .withName(backend.name())
                    .get())
        .filter(Objects::nonNull)
        .toList();
  }

  private static boolean isOver(BenchmarkRun run) {
    if (run.getStatus() == null || run.getStatus().phase() == null) {
      return false;
    }
    return switch (run.getStatus().phase()) {
      // Nobody can resume it here.
      case Completed, Failed, Suspended, Planned -> true;
      case Pending, Running -> false;
    };
  }

  /** Deletes runs and backends as a user would, and sees to it that nothing of them is left. */
  private void giveBack(LocalSystem system, List<BenchmarkRun> runs) {
    KubernetesClient client = system.client();
    runs.forEach(run -> client.resource(run).delete());
    backends(client).forEach(backend -> client.resource(backend).delete());
    system.stopPods(RUNNER_GRACE);
    for (BenchmarkRun run : runs) {
      // Left only by a runner that had to be killed.
      Path partial =
          results
              .resolve(run.getMetadata().getNamespace())
              .resolve(run.getMetadata().getName())
              .resolve("." + run.getMetadata().getUid() + ".partial");
      if (Files.isDirectory(partial)) {
        delete(partial);
      }
    }
  }

  // Folders

  private Path claimFolder(Pod pod, Volume volume) {
    String namespace = pod.getMetadata().getNamespace();
    boolean ofRun =
        Optional.ofNullable(pod.getMetadata().getLabels())
            .map(labels -> labels.get("app.kubernetes.io/component"))
            .filter(component -> component.equals("runner") || component.equals("reader"))
            .isPresent();
    Path folder =
        ofRun && volume.getName().equals("results")
            ? results.resolve(namespace)
            : volumeFolder(namespace, volume.getPersistentVolumeClaim().getClaimName());
    return folder.toAbsolutePath();
  }

  private Path volumeFolder(String namespace, String claim) {
    return surroundings.cache().resolve("volumes").resolve(namespace).resolve(claim);
  }

  private Optional<Path> resultsFolder(KubernetesClient client, BenchmarkRun run) {
    String path = run.getStatus().resultsPath();
    if (path == null) {
      return Optional.empty();
    }
    String namespace = run.getMetadata().getNamespace();
    Path root =
        Optional.ofNullable(run.getStatus().resultsClaim())
            .map(
                claim ->
                    client.persistentVolumeClaims().inNamespace(namespace).withName(claim).get())
            .map(PersistentVolumeClaim::getSpec)
            .map(claim -> claim.getVolumeName())
            .map(volume -> client.persistentVolumes().withName(volume).get())
            .map(PersistentVolume::getSpec)
            .map(volume -> volume.getHostPath())
            .map(hostPath -> Path.of(hostPath.getPath()))
            .orElseGet(() -> results.resolve(namespace));
    return Optional.of(root.resolve(path)).filter(Files::isDirectory);
  }

  static void delete(Path folder) {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + folder, e);
    }
  }
}
