package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.ReaderObjects;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.access.AccessReader;
import dev.loadgen.reconcile.access.ServerAccess;
import dev.loadgen.reconcile.background.BackgroundAnswers;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.events.Warnings;
import dev.loadgen.reconcile.queue.KueueReader;
import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.ConfigMap;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks at everything that runs depend on. What the operator makes and the backends are read from
 * caches, or, for a {@link #live} look, from the API server. ConfigMaps and claims of users are
 * always read one by one: a cache of them would hold every dataset of the cluster.
 */
final class RunObserver {
  private static final String BY_BACKEND = "backend";
  private static final String BY_RUN = "run";
  private static final String PROGRESS = "progress";

  /** How many times as seldom a runner is asked at the most that does not answer. */
  private static final int SILENT = 4;

  private static final Comparator<BenchmarkRun> LINE =
      Comparator.comparing(Epochs::inLineSince).thenComparing(r -> r.getMetadata().getName());

  /**
   * The first of a line and the one after it; one more, since a run that has just ended may still
   * be unfinished in the cache.
   */
  private static final int WOKEN_OF_A_LINE = 3;

  /** A pod that is missing, or being prepared, for less is as usual. */
  private static final Duration UNTIL_ASKED = Duration.ofSeconds(5);

  private final KubernetesClient client;
  private final ProgressPoller poller;
  private final Duration progressInterval;
  private final AccessReader access;
  private final KueueReader kueue;
  private final Warnings warnings;
  private final Clock clock;
  private final IndexerResourceCache<BenchmarkRun> runs;
  private final InformerEventSource<InferenceBackend, BenchmarkRun> backends;
  private final InformerEventSource<Lease, BenchmarkRun> leases;
  private final InformerEventSource<Job, BenchmarkRun> jobs;
  private final InformerEventSource<Pod, BenchmarkRun> pods;
  private final BackgroundAnswers<BenchmarkRun, Optional<Progress>> progress;

  RunObserver(
      EventSourceContext<BenchmarkRun> context,
      ProgressPoller poller,
      FairExecutor background,
      OperatorSettings settings) {
    Clock clock = settings.clock();
    this.client = context.getClient();
    this.poller = poller;
    this.progressInterval = settings.progressInterval();
    this.access = new AccessReader(client);
    this.kueue = new KueueReader(client);
    this.warnings = new Warnings(client, clock);
    this.clock = clock;
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
    progress =
        new BackgroundAnswers<>(
            "run-progress",
            background,
            clock,
            Optional::isPresent,
            (before, after) -> ProgressWrites.alike(before.orElse(null), after.orElse(null)));
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
    return List.of(backends, leases, jobs, pods, progress);
  }

  /** A fault of the operator beside the passes over a run; empty: none. */
  Optional<Throwable> fault(BenchmarkRun run) {
    return progress.fault(run);
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
      touched(runs.byIndex(BY_BACKEND, key(namespace, backend))).stream()
          .map(ResourceID::fromResource)
          .forEach(woken::add);
    }
    return woken;
  }

  /**
   * The runs of a backend that a change of it may concern, besides its holder: those that wait for
   * something else than their turn, and the next in line. The others wait for runs before them,
   * whatever the backend does: to wake them all would cost as many looks as the square of the
   * line's length.
   */
  static List<BenchmarkRun> touched(List<BenchmarkRun> onBackend) {
    List<BenchmarkRun> unfinished =
        onBackend.stream().filter(r -> !RunDecisions.finished(r)).toList();
    return Stream.concat(
            unfinished.stream().filter(r -> !standsInLine(r)),
            unfinished.stream()
                .filter(RunObserver::standsInLine)
                .sorted(LINE)
                .limit(WOKEN_OF_A_LINE))
        .toList();
  }

  /** What the caches show. */
  RunObservation cached(BenchmarkRun run) {
    String namespace = run.getMetadata().getNamespace();
    Job job =
        jobs.get(new ResourceID(Names.runnerJob(run.getMetadata().getName()), namespace))
            .filter(j -> Ownership.owns(run, j))
            .orElse(null);
    String backendName = backendName(run, job);
    PodReport pod =
        latest(
            ofPresent(run, job), pods.byIndex(BY_RUN, key(namespace, run.getMetadata().getUid())));
    if (backendName == null) {
      return new RunObservation(
          false,
          null,
          List.of(),
          ResolvedReferences.NONE,
          null,
          null,
          List.of(),
          List.of(),
          ofPresent(run, job),
          ofOther(run, job),
          null,
          pod,
          reader(run),
          null,
          null);
    }
    Lease lease = leases.get(new ResourceID(Names.lease(backendName), namespace)).orElse(null);
    String backendKey = key(namespace, backendName);
    List<BenchmarkRun> onBackend = runs.byIndex(BY_BACKEND, backendKey);
    InferenceBackend backend = backends.get(new ResourceID(backendName, namespace)).orElse(null);
    List<String> ahead = ahead(run, onBackend);
    References references = references(run, backend, lease, ahead);
    return new RunObservation(
        false,
        backend,
        references.missing(),
        references.resolved(),
        lease,
        holder(onBackend, lease),
        ahead,
        others(run, pods.byIndex(BY_BACKEND, backendKey)),
        ofPresent(run, job),
        ofOther(run, job),
        queue(run, ofPresent(run, job)),
        pod,
        reader(run),
        progressOf(run, pod),
        warning(run, ofPresent(run, job), pod));
  }

  /** What the API server shows. */
  RunObservation live(BenchmarkRun run, RunObservation cached) {
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
    Job job = named != null && Ownership.owns(run, named) ? named : null;
    Lease lease =
        backendName == null
            ? null
            : client.leases().inNamespace(namespace).withName(Names.lease(backendName)).get();
    return new RunObservation(
        true,
        liveBackend(namespace, backendName),
        cached.missing(),
        cached.references(),
        lease,
        liveHolder(namespace, lease),
        cached.ahead(),
        others(run, runners),
        ofPresent(run, job),
        ofOther(run, job),
        queue(run, ofPresent(run, job)),
        latest(ofPresent(run, job), runners),
        cached.reader(),
        cached.progress(),
        cached.warning());
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
    return run == null ? null : holder(List.of(run), lease);
  }

  private static @Nullable BenchmarkRun holder(List<BenchmarkRun> runs, @Nullable Lease lease) {
    return lease == null
        ? null
        : runs.stream()
            .filter(r -> Ownership.owns(r, lease) && !RunDecisions.finished(r))
            .findFirst()
            .orElse(null);
  }

  /**
   * Unfinished runs before this one in line. A run that lacks something, is suspended, or has had
   * its turn does not stand in line.
   */
  static List<String> ahead(BenchmarkRun run, List<BenchmarkRun> onBackend) {
    return onBackend.stream()
        .filter(r -> !RunDecisions.finished(r) && standsInLine(r))
        .filter(r -> LINE.compare(r, run) < 0)
        .sorted(LINE)
        .map(r -> r.getMetadata().getName())
        .toList();
  }

  private static boolean standsInLine(BenchmarkRun run) {
    return !unresolved(run) && !RunDecisions.suspended(run) && !ResultReading.underWay(run);
  }

  private static boolean unresolved(BenchmarkRun run) {
    return run.getStatus() != null
        && Conditions.falseSince(run.getStatus().conditions(), ConditionTypes.RESOLVED_REFS)
            .isPresent();
  }

  private List<PodReport> others(BenchmarkRun run, List<Pod> runners) {
    Instant now = clock.instant();
    return runners.stream()
        .filter(pod -> !isOf(run, pod))
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
  private @Nullable String warning(BenchmarkRun run, @Nullable Job job, @Nullable PodReport pod) {
    if (job == null || RunDecisions.isSuspended(job) || RunDecisions.finished(run)) {
      return null;
    }
    Instant usual = clock.instant().minus(UNTIL_ASKED);
    if (pod == null) {
      return Instant.parse(job.getMetadata().getCreationTimestamp()).isAfter(usual)
          ? null
          : warnings.latest(job, Warnings.OF_MAKING_PODS).orElse(null);
    }
    return !pod.preparing() || pod.created().isAfter(usual)
        ? null
        : warnings.latest(pod.pod(), Warnings.OF_PREPARING_A_POD).orElse(null);
  }

  private @Nullable QueueState queue(BenchmarkRun run, @Nullable Job job) {
    String queue = run.getSpec().queueName();
    return job == null
            || queue == null
            || !RunDecisions.isSuspended(job)
            || RunDecisions.finished(run)
        ? null
        : kueue.read(queue, job);
  }

  /** Asked for only while the run waits for it, and nothing else. */
  private @Nullable ReaderReport reader(BenchmarkRun run) {
    if (!ResultReading.underWay(run)) {
      return null;
    }
    String namespace = run.getMetadata().getNamespace();
    return jobs.get(new ResourceID(Names.readerJob(run.getMetadata().getName()), namespace))
        .filter(job -> Ownership.owns(run, job))
        .map(job -> ofPresent(run, job))
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

  private static @Nullable Job ofPresent(BenchmarkRun run, @Nullable Job job) {
    return job != null && Epochs.of(job) == Epochs.current(run) ? job : null;
  }

  private static @Nullable Job ofOther(BenchmarkRun run, @Nullable Job job) {
    return job != null && Epochs.of(job) != Epochs.current(run) ? job : null;
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

  /** What the runner told last. It is asked beside the passes: one that hangs answers late. */
  private @Nullable Progress progressOf(BenchmarkRun run, @Nullable PodReport pod) {
    Optional<String> address =
        pod == null || !pod.running() || RunDecisions.finished(run)
            ? Optional.empty()
            : pod.address();
    if (pod == null || address.isEmpty()) {
      progress.keepOnly(run, Set.of());
      return null;
    }
    return progress
        .latest(
            run,
            PROGRESS,
            List.of(pod.pod().getMetadata().getUid(), address.get()),
            this::progressInterval,
            () -> Optional.ofNullable(poller.poll(address.get())))
        .flatMap(BackgroundAnswers.Answer::value)
        .orElse(null);
  }

  /** A runner that does not answer is busy, or not there yet. */
  private Duration progressInterval(BackgroundAnswers.Answer<Optional<Progress>> last) {
    Duration longest = progressInterval.multipliedBy(SILENT);
    Duration backOff = last.backOff(progressInterval);
    return last.failures() == 0
        ? progressInterval
        : backOff.compareTo(longest) < 0 ? backOff : longest;
  }

  // References to objects of users

  private record References(List<MissingPrerequisite> missing, ResolvedReferences resolved) {
    static final References NONE = new References(List.of(), ResolvedReferences.NONE);
  }

  private References references(
      BenchmarkRun run,
      @Nullable InferenceBackend backend,
      @Nullable Lease lease,
      List<String> ahead) {
    boolean available =
        backend != null
            && backend.getStatus() != null
            && backend.getStatus().phase() == BackendPhase.Available;
    // Asked for when a run takes its backend, and when its runner starts, not while it waits.
    boolean turnIsFar =
        lease == null ? !ahead.isEmpty() : !Ownership.owns(run, lease) || !available;
    boolean wasResolved =
        run.getStatus() != null
            && Conditions.isTrue(run.getStatus().conditions(), ConditionTypes.RESOLVED_REFS);
    if (RunDecisions.started(run)
        || RunDecisions.finished(run)
        || RunDecisions.suspended(run)
        || (turnIsFar && wasResolved)
        || !RunSpecProblems.of(run).isEmpty()) {
      return References.NONE;
    }
    List<MissingPrerequisite> missing = new ArrayList<>();
    missingDataset(run).ifPresent(missing::add);
    BenchmarkRunSpec.Results results = run.getSpec().results();
    if (results != null && results.claimName() != null) {
      missingClaim(
              run, "spec.results.claimName", results.claimName(), Reasons.RESULTS_CLAIM_NOT_FOUND)
          .ifPresent(missing::add);
    }
    access.mlflowTokenProblem(run).ifPresent(missing::add);
    access.signingKeyProblem(run).ifPresent(missing::add);
    return new References(
        missing,
        new ResolvedReferences(
            generationConfig(run, missing),
            backend == null || !BackendSpecProblems.of(backend).isEmpty()
                ? List.of()
                : serverAccess(backend, missing).headerNames()));
  }

  private GenerationConfig generationConfig(BenchmarkRun run, List<MissingPrerequisite> missing) {
    BenchmarkRunSpec.ConfigMapKey reference =
        run.getSpec().sampling() == null ? null : run.getSpec().sampling().generationConfig();
    if (reference == null) {
      return GenerationConfig.EMPTY;
    }
    String field = "spec.sampling.generationConfig";
    ConfigMap configMap =
        client
            .configMaps()
            .inNamespace(run.getMetadata().getNamespace())
            .withName(reference.name())
            .get();
    Map<String, String> data =
        configMap == null || configMap.getData() == null ? Map.of() : configMap.getData();
    String text = data.get(reference.key());
    if (text == null) {
      missing.add(
          new MissingPrerequisite(
              Reasons.REFERENCE_NOT_FOUND,
              configMap == null
                  ? field + ".name: there is no ConfigMap " + reference.name() + " in the namespace"
                  : noKey(field + ".key", reference.name(), reference.key(), data.keySet())));
      return GenerationConfig.EMPTY;
    }
    try {
      return GenerationConfig.parse(text);
    } catch (IllegalArgumentException e) {
      missing.add(
          new MissingPrerequisite(
              Reasons.REFERENCE_INVALID,
              field
                  + ": key "
                  + reference.key()
                  + " of ConfigMap "
                  + reference.name()
                  + ": "
                  + e.getMessage()));
      return GenerationConfig.EMPTY;
    }
  }

  /** The runner's pod would wait for a Secret for ever, and hold the backend meanwhile. */
  private ServerAccess serverAccess(InferenceBackend backend, List<MissingPrerequisite> missing) {
    return switch (access.read(backend)) {
      case AccessReader.Result.Found(ServerAccess found) -> found;
      case AccessReader.Result.Lacking(MissingPrerequisite problem) -> {
        missing.add(
            new MissingPrerequisite(
                problem.reason(),
                "InferenceBackend " + backend.getMetadata().getName() + ": " + problem.message()));
        yield ServerAccess.NONE;
      }
    };
  }

  private static String noKey(String field, String configMap, String key, Set<String> keys) {
    return field
        + ": ConfigMap "
        + configMap
        + " has no key "
        + key
        + "; it has "
        + (keys.isEmpty() ? "none" : String.join(", ", new TreeSet<>(keys)));
  }

  private Optional<MissingPrerequisite> missingDataset(BenchmarkRun run) {
    BenchmarkRunSpec.Dataset dataset = run.getSpec().dataset();
    if (dataset.claimName() != null) {
      return missingClaim(
          run, "spec.dataset.claimName", dataset.claimName(), Reasons.DATASET_NOT_FOUND);
    }
    if (dataset.configMapName() == null) {
      return Optional.empty();
    }
    ConfigMap configMap =
        client
            .configMaps()
            .inNamespace(run.getMetadata().getNamespace())
            .withName(dataset.configMapName())
            .get();
    if (configMap == null) {
      return Optional.of(
          new MissingPrerequisite(
              Reasons.DATASET_NOT_FOUND,
              "spec.dataset.configMapName: there is no ConfigMap "
                  + dataset.configMapName()
                  + " in the namespace"));
    }
    Set<String> keys = new TreeSet<>();
    keys.addAll(configMap.getData() == null ? Set.of() : configMap.getData().keySet());
    keys.addAll(configMap.getBinaryData() == null ? Set.of() : configMap.getBinaryData().keySet());
    return keys.contains(dataset.path())
        ? Optional.empty()
        : Optional.of(
            new MissingPrerequisite(
                Reasons.DATASET_NOT_FOUND,
                noKey("spec.dataset.path", dataset.configMapName(), dataset.path(), keys)));
  }

  private Optional<MissingPrerequisite> missingClaim(
      BenchmarkRun run, String field, String claim, String reason) {
    boolean there =
        client
                .persistentVolumeClaims()
                .inNamespace(run.getMetadata().getNamespace())
                .withName(claim)
                .get()
            != null;
    return there
        ? Optional.empty()
        : Optional.of(
            new MissingPrerequisite(
                reason,
                field + ": there is no PersistentVolumeClaim " + claim + " in the namespace"));
  }

  // Keys

  private static List<String> backendKeys(BenchmarkRun run) {
    String backend = RunBackends.nameOrNull(run);
    return backend == null ? List.of() : List.of(key(run.getMetadata().getNamespace(), backend));
  }

  /** Whether an object is of the run's present epoch. */
  private static boolean isOf(BenchmarkRun run, HasMetadata object) {
    return run.getMetadata().getUid().equals(label(object, Labels.RUN_UID))
        && Epochs.of(object) == Epochs.current(run);
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
