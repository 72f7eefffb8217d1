package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Progress;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.ReaderObjects;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.events.Warnings;
import dev.loadgen.reconcile.queue.KueueReader;
import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at everything that runs depend on. What the operator makes and the backends are read from
 * caches, or, for a {@link #live} look, from the API server.
 */
final class RunObserver {
  private static final String BY_BACKEND = "backend";
  private static final String BY_RUN = "run";

  /** A pod that is missing, or being prepared, for less is as usual. */
  private static final Duration UNTIL_ASKED = Duration.ofSeconds(5);

  private final KubernetesClient client;
  private final RunnerAnswers runners;
  private final RunReferences references;
  private final KueueReader kueue;
  private final Warnings warnings;
  private final Clock clock;
  private final IndexerResourceCache<BenchmarkRun> runs;
  private final InformerEventSource<InferenceBackend, BenchmarkRun> backends;
  private final InformerEventSource<Lease, BenchmarkRun> leases;
  private final InformerEventSource<Job, BenchmarkRun> jobs;
  private final InformerEventSource<Pod, BenchmarkRun> pods;

  RunObserver(
      EventSourceContext<BenchmarkRun> context, RunnerAnswers runners, OperatorSettings settings) {
    this.clock = settings.clock();
    this.client = context.getClient();
    this.runners = runners;
    this.references = new RunReferences(client);
    this.kueue = new KueueReader(client);
    this.warnings = new Warnings(client, clock);
    runs = context.getPrimaryCache();
    runs.addIndexer(BY_BACKEND, RunObserver::backendKeys);
    backends = informer(InferenceBackend.class, "run-backends", null, context);
    leases = informer(Lease.class, "run-leases", Labels.MANAGED, context);
    jobs = informer(Job.class, "run-jobs", Labels.MANAGED, context);
    pods =
        informer(
            Pod.class,
            "run-pods",
            Labels.MANAGED + "," + Labels.COMPONENT + "=" + Labels.RUNNER,
            context);
    pods.addIndexers(
        Map.of(
            BY_BACKEND, pod -> keyOfLabel(pod, Labels.BACKEND),
            BY_RUN, pod -> keyOfLabel(pod, Labels.RUN_UID)));
  }

  private <R extends HasMetadata> InformerEventSource<R, BenchmarkRun> informer(
      Class<R> type,
      String name,
      @Nullable String selector,
      EventSourceContext<BenchmarkRun> context) {
    InformerEventSourceConfiguration.Builder<R> configuration =
        InformerEventSourceConfiguration.from(type, BenchmarkRun.class)
            .withName(name)
            .withNamespacesInheritedFromController()
            .withSecondaryToPrimaryMapper(this::interested)
            // The observer asks the caches itself, by name and index.
            .<BenchmarkRun>withPrimaryToSecondaryMapper(run -> Set.of());
    if (selector != null) {
      configuration.withLabelSelector(selector);
    }
    return new InformerEventSource<>(configuration.build(), context);
  }

  /** The informers, for JOSDK to start. */
  List<EventSource<?, BenchmarkRun>> eventSources() {
    return List.of(backends, leases, jobs, pods);
  }

  /** The runs that an event may wake: the one it belongs to, and those of its backend. */
  private Set<ResourceID> interested(HasMetadata changed) {
    String namespace = changed.getMetadata().getNamespace();
    Map<String, String> labels =
        changed.getMetadata().getLabels() == null ? Map.of() : changed.getMetadata().getLabels();
    Set<ResourceID> woken = new HashSet<>();
    String run = labels.get(Labels.RUN);
    if (run != null) {
      woken.add(new ResourceID(run, namespace));
    }
    String backend =
        switch (changed) {
          case InferenceBackend itself -> itself.getMetadata().getName();
          case Job job -> null; // others wait for its pod
          default -> labels.get(Labels.BACKEND);
        };
    if (backend != null) {
      // Older runs may have come to stand before the holder in line since it took the backend.
      leases
          .get(new ResourceID(Names.lease(backend), namespace))
          .map(lease -> label(lease, Labels.RUN))
          .ifPresent(holder -> woken.add(new ResourceID(holder, namespace)));
      RunLine.touched(runs.byIndex(BY_BACKEND, key(namespace, backend))).stream()
          .map(ResourceID::fromResource)
          .forEach(woken::add);
    }
    return woken;
  }

  RunObservation cached(RunState state) {
    BenchmarkRun run = state.run();
    String namespace = run.getMetadata().getNamespace();
    Job named =
        jobs.get(new ResourceID(Names.runnerJob(run.getMetadata().getName()), namespace))
            .filter(j -> Ownership.owns(run, j))
            .orElse(null);
    Job job = current(state, named);
    String backendName = backendName(run, named);
    PodReport pod = latest(job, pods.byIndex(BY_RUN, key(namespace, run.getMetadata().getUid())));
    if (backendName == null) {
      return RunObservationBuilder.builder()
          .missing(List.of())
          .references(ResolvedReferences.NONE)
          .ahead(List.of())
          .otherRunners(List.of())
          .job(job)
          .otherJob(other(state, named))
          .pod(pod)
          .reader(reader(state))
          .build();
    }
    Lease lease = leases.get(new ResourceID(Names.lease(backendName), namespace)).orElse(null);
    String backendKey = key(namespace, backendName);
    List<BenchmarkRun> onBackend = runs.byIndex(BY_BACKEND, backendKey);
    InferenceBackend backend = backends.get(new ResourceID(backendName, namespace)).orElse(null);
    List<String> ahead = RunLine.ahead(run, onBackend);
    RunReferences.Found found = references.read(state, backend, lease, ahead);
    return RunObservationBuilder.builder()
        .backend(backend)
        .missing(found.missing())
        .references(found.resolved())
        .lease(lease)
        .holder(RunLine.holder(onBackend, lease))
        .ahead(ahead)
        .otherRunners(others(state, pods.byIndex(BY_BACKEND, backendKey)))
        .job(job)
        .otherJob(other(state, named))
        .queue(queue(state, job))
        .pod(pod)
        .reader(reader(state))
        .progress(progress(state, pod))
        .warning(warning(state, job, pod))
        .build();
  }

  RunObservation live(RunState state, RunObservation cached) {
    BenchmarkRun run = state.run();
    String namespace = run.getMetadata().getNamespace();
    String backendName = backendName(run, cached.job() == null ? cached.otherJob() : cached.job());
    List<Pod> runners =
        backendName == null
            ? List.of()
            : client
                .pods()
                .inNamespace(namespace)
                .withLabel(Labels.COMPONENT, Labels.RUNNER)
                .withLabel(Labels.BACKEND, backendName)
                .list()
                .getItems();
    // After the pods: a Job that is held back, and has one, was let go before.
    Job named =
        client
            .batch()
            .v1()
            .jobs()
            .inNamespace(namespace)
            .withName(Names.runnerJob(run.getMetadata().getName()))
            .get();
    Job ours = named != null && Ownership.owns(run, named) ? named : null;
    Job job = current(state, ours);
    Lease lease =
        backendName == null
            ? null
            : client.leases().inNamespace(namespace).withName(Names.lease(backendName)).get();
    return cached
        .with()
        .live(true)
        .backend(liveBackend(namespace, backendName))
        .lease(lease)
        .holder(liveHolder(namespace, lease))
        .otherRunners(others(state, runners))
        .job(job)
        .otherJob(other(state, ours))
        .queue(queue(state, job))
        .pod(latest(job, runners))
        .build();
  }

  /**
   * Servers on demand may just be going: what the backend says after the Lease was taken counts.
   */
  private @Nullable InferenceBackend liveBackend(String namespace, @Nullable String name) {
    return name == null
        ? null
        : client.resources(InferenceBackend.class).inNamespace(namespace).withName(name).get();
  }

  private @Nullable BenchmarkRun liveHolder(String namespace, @Nullable Lease lease) {
    String name = lease == null ? null : label(lease, Labels.RUN);
    if (lease == null || name == null) {
      return null;
    }
    BenchmarkRun run =
        client.resources(BenchmarkRun.class).inNamespace(namespace).withName(name).get();
    return run == null ? null : RunLine.holder(List.of(run), lease);
  }

  private List<PodReport> others(RunState state, List<Pod> runners) {
    Instant now = clock.instant();
    return runners.stream()
        .filter(pod -> !isOf(state, pod))
        .map(pod -> new PodReport(pod, RunnerObjects.CONTAINER))
        .filter(pod -> pod.atWork(now))
        .sorted(Comparator.comparing(PodReport::name))
        .toList();
  }

  /** A run that was begun holds its backend, even if its spec does not say any more which. */
  private static @Nullable String backendName(BenchmarkRun run, @Nullable Job job) {
    String name = RunBackends.nameOrNull(run);
    return name == null && job != null ? label(job, Labels.BACKEND) : name;
  }

  /** Asked for only while a runner is late: without a pod, or with one that is not prepared. */
  private @Nullable String warning(RunState state, @Nullable Job job, @Nullable PodReport pod) {
    if (job == null || new JobReport(job).suspended() || state.finished()) {
      return null;
    }
    Instant usual = clock.instant().minus(UNTIL_ASKED);
    if (pod == null) {
      return new JobReport(job).created().isAfter(usual)
          ? null
          : warnings.latest(job, Warnings.OF_MAKING_PODS).orElse(null);
    }
    return !pod.preparing() || pod.created().isAfter(usual)
        ? null
        : warnings.latest(pod.pod(), Warnings.OF_PREPARING_A_POD).orElse(null);
  }

  private @Nullable QueueState queue(RunState state, @Nullable Job job) {
    String queue = state.run().getSpec().queueName();
    return job == null || queue == null || !new JobReport(job).suspended() || state.finished()
        ? null
        : kueue.read(queue, job);
  }

  /** Asked for only while the run waits for it, and nothing else. */
  private @Nullable ReaderReport reader(RunState state) {
    if (!state.readingResult()) {
      return null;
    }
    BenchmarkRun run = state.run();
    String namespace = run.getMetadata().getNamespace();
    return jobs.get(new ResourceID(Names.readerJob(run.getMetadata().getName()), namespace))
        .filter(job -> Ownership.owns(run, job))
        .filter(state::isCurrent)
        .map(
            job ->
                new ReaderReport(
                    job,
                    client
                        .pods()
                        .inNamespace(namespace)
                        .withLabel(Labels.COMPONENT, Labels.READER)
                        .withLabel(Labels.RUN_UID, run.getMetadata().getUid())
                        .list()
                        .getItems()
                        .stream()
                        .filter(pod -> Ownership.owns(job, pod))
                        .findFirst()
                        .map(pod -> new PodReport(pod, ReaderObjects.CONTAINER))
                        .orElse(null)))
        .orElse(null);
  }

  private static @Nullable Job current(RunState state, @Nullable Job job) {
    return job != null && state.isCurrent(job) ? job : null;
  }

  private static @Nullable Job other(RunState state, @Nullable Job job) {
    return job != null && !state.isCurrent(job) ? job : null;
  }

  /**
   * The runner: a pod of the run's own Job. Labels alone anybody can give to a pod, and its last
   * words would be the run's result.
   */
  static @Nullable PodReport latest(@Nullable Job job, List<Pod> pods) {
    return job == null
        ? null
        : pods.stream()
            .filter(pod -> Ownership.controls(job, pod))
            .max(Comparator.comparing(p -> p.getMetadata().getCreationTimestamp()))
            .map(p -> new PodReport(p, RunnerObjects.CONTAINER))
            .orElse(null);
  }

  /** What the runner told last, of one that can be asked. */
  private @Nullable Progress progress(RunState state, @Nullable PodReport pod) {
    Optional<String> address =
        pod == null || !pod.running() || state.finished() ? Optional.empty() : pod.address();
    if (pod == null || address.isEmpty()) {
      runners.forget(state.run());
      return null;
    }
    return runners.progress(state.run(), pod, address.get());
  }

  // Keys

  private static List<String> backendKeys(BenchmarkRun run) {
    String backend = RunBackends.nameOrNull(run);
    return backend == null ? List.of() : List.of(key(run.getMetadata().getNamespace(), backend));
  }

  private static boolean isOf(RunState state, HasMetadata object) {
    return state.run().getMetadata().getUid().equals(label(object, Labels.RUN_UID))
        && state.isCurrent(object);
  }

  private static List<String> keyOfLabel(HasMetadata object, String label) {
    String value = label(object, label);
    return value == null ? List.of() : List.of(key(object.getMetadata().getNamespace(), value));
  }

  private static @Nullable String label(HasMetadata object, String label) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels == null ? null : labels.get(label);
  }

  private static String key(String namespace, String name) {
    return namespace + "/" + name;
  }
}
