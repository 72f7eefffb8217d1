package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.LeaderWorkerSet;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.access.AccessReader;
import dev.loadgen.reconcile.access.ServerAccess;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.events.Warnings;
import dev.loadgen.reconcile.logs.PodLogs;
import dev.loadgen.reconcile.queue.KueueReader;
import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.HostIP;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks at everything that backends consist of. Servers are asked beside the passes: what is seen
 * of them is what they answered last.
 */
final class BackendObserver {
  private static final String BY_BACKEND = "backend";
  private static final String BY_NODE = "node";

  /** Pods that are missing for less have just not been made yet. */
  private static final Duration UNTIL_ASKED = Duration.ofSeconds(5);

  private final Clock clock;
  private final KubernetesClient client;
  private final AccessReader access;
  private final KueueReader kueue;
  private final Warnings warnings;
  private final IndexerResourceCache<InferenceBackend> backends;
  private final InformerEventSource<StatefulSet, InferenceBackend> statefulSets;
  private final InformerEventSource<Service, InferenceBackend> services;
  private final InformerEventSource<Pod, InferenceBackend> pods;
  private final InformerEventSource<Lease, InferenceBackend> leases;
  private final HealthChecks checks;
  private final SilentServers silent;

  BackendObserver(
      EventSourceContext<InferenceBackend> context,
      OperatorSettings settings,
      FairExecutor background) {
    this.clock = settings.clock();
    this.client = context.getClient();
    this.backends = context.getPrimaryCache();
    this.access = new AccessReader(client);
    this.kueue = new KueueReader(client);
    this.warnings = new Warnings(client, clock);
    statefulSets = informer(StatefulSet.class, "backend-statefulsets", context);
    services = informer(Service.class, "backend-services", context);
    pods = informer(Pod.class, "backend-pods", context);
    leases = informer(Lease.class, "backend-leases", context);
    pods.addIndexers(
        Map.of(BY_BACKEND, BackendObserver::backendKeys, BY_NODE, BackendObserver::nodeAddresses));
    checks =
        new HealthChecks(settings, background, this::isOfANode, client.getMasterUrl().getHost());
    silent = new SilentServers(new PodLogs(client), access, background, clock);
  }

  private boolean isOfANode(InetAddress address) {
    return !pods.byIndex(BY_NODE, address.getHostAddress()).isEmpty();
  }

  private static <R extends HasMetadata> InformerEventSource<R, InferenceBackend> informer(
      Class<R> type, String name, EventSourceContext<InferenceBackend> context) {
    return new InformerEventSource<>(
        InformerEventSourceConfiguration.from(type, InferenceBackend.class)
            .withName(name)
            .withLabelSelector(Labels.MANAGED)
            .withNamespacesInheritedFromController()
            .withSecondaryToPrimaryMapper(BackendObserver::backendOf)
            // The observer asks the caches itself, by name and index.
            .<InferenceBackend>withPrimaryToSecondaryMapper(backend -> Set.of())
            .build(),
        context);
  }

  /** The informers, for JOSDK to start. */
  List<EventSource<?, InferenceBackend>> eventSources() {
    return List.of(
        statefulSets, services, pods, leases, checks.eventSource(), silent.eventSource());
  }

  /** A fault of the operator beside the passes over a backend; empty: none. */
  Optional<Throwable> fault(InferenceBackend backend) {
    return checks.fault(backend).or(() -> silent.fault(backend));
  }

  /** What there is, as far as it is known. */
  BackendObservation observe(BackendState state) {
    InferenceBackend backend = state.backend();
    String namespace = backend.getMetadata().getNamespace();
    String name = backend.getMetadata().getName();
    ResourceID id = new ResourceID(name, namespace);
    boolean valid = state.valid();
    boolean cached = !valid || cachesSuffice(state);
    HasMetadata servers =
        Optional.<HasMetadata>ofNullable(
                backend.getSpec().multiNode() != null
                    ? leaderWorkerSet(id)
                    : cached ? statefulSets.get(id).orElse(null) : statefulSet(id))
            .filter(s -> Ownership.owns(backend, s))
            .orElse(null);
    // After the servers themselves, so that no pod of theirs is of a time before them.
    List<Pod> all =
        cached ? pods.byIndex(BY_BACKEND, namespace + "/" + name) : podsOf(backend, namespace);
    List<PodReport> serverPods =
        reports(
            all.stream().filter(pod -> servers != null && isOf(servers, pod)).toList(),
            Labels.SERVER,
            ServerWorkloads.CONTAINER);
    List<PodReport> leftOver =
        reports(all, Labels.SERVER, ServerWorkloads.CONTAINER).stream()
            .filter(pod -> serverPods.stream().noneMatch(ours -> ours.name().equals(pod.name())))
            .toList();
    Instant now = clock.instant();
    String activeRun = activeRun(state, servers);
    // Servers of ours that have started have their secrets.
    AccessReader.Result asked =
        servers == null && valid
            ? access.read(backend)
            : new AccessReader.Result.Found(ServerAccess.NONE);
    return BackendObservationBuilder.builder()
        .workload(servers)
        .service(services.get(id).filter(s -> Ownership.owns(backend, s)).orElse(null))
        .servers(serverPods)
        .leftOver(leftOver)
        .runners(
            Stream.concat(
                    reports(all, Labels.RUNNER, RunnerObjects.CONTAINER).stream()
                        .filter(runner -> runner.atWork(now))
                        .map(report -> report.pod().getMetadata().getLabels().get(Labels.RUN))
                        .filter(Objects::nonNull),
                    begun(state, servers, activeRun).stream())
                .distinct()
                .sorted()
                .toList())
        .activeRun(activeRun)
        .missing(
            asked instanceof AccessReader.Result.Lacking(MissingPrerequisite problem)
                ? problem
                : valid && servers == null ? missingApi(backend) : null)
        .checks(
            asked instanceof AccessReader.Result.Found(ServerAccess found)
                ? checks.latest(state, found)
                : List.of())
        .refusal(servers == null || !valid ? null : refusal(backend, servers, serverPods))
        .queue(servers == null || !valid ? null : queue(backend, servers, serverPods))
        .line(valid ? line(backend, serverPods, activeRun) : null)
        .warnings(notPrepared(serverPods, now))
        .logTails(valid ? silent.logTails(backend, serverPods) : Map.of())
        .untilNextCheck(checks.untilNext(state))
        .build();
  }

  /**
   * Whether caches may say what there is. Of servers on demand they may still show, whole and
   * ready, what this controller has just deleted; a run would be started on it. So the API server
   * itself is asked until it has shown servers that are available.
   */
  private static boolean cachesSuffice(BackendState state) {
    return !state.backend().getSpec().onDemand() || state.lastPhase() == BackendPhase.Available;
  }

  private @Nullable StatefulSet statefulSet(ResourceID id) {
    return client
        .apps()
        .statefulSets()
        .inNamespace(id.getNamespace().orElseThrow())
        .withName(id.getName())
        .get();
  }

  private List<Pod> podsOf(InferenceBackend backend, String namespace) {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabel(Labels.MANAGED_BY, Labels.OPERATOR)
        .withLabel(Labels.BACKEND, backend.getMetadata().getName())
        .list()
        .getItems();
  }

  /** Pods of a LeaderWorkerSet are owned by StatefulSets that nothing here looks at. */
  private static boolean isOf(HasMetadata servers, Pod pod) {
    return servers instanceof StatefulSet
        ? Ownership.owns(servers, pod)
        : Instant.parse(pod.getMetadata().getCreationTimestamp())
                .compareTo(Instant.parse(servers.getMetadata().getCreationTimestamp()))
            >= 0;
  }

  /** Asked for only while a server is being prepared for longer than usual. */
  private Map<String, String> notPrepared(List<PodReport> servers, Instant now) {
    Map<String, String> words = new HashMap<>();
    servers.stream()
        .filter(PodReport::preparing)
        .filter(server -> server.created().isBefore(now.minus(UNTIL_ASKED)))
        .forEach(
            server ->
                warnings
                    .latest(server.pod(), Warnings.OF_PREPARING_A_POD)
                    .ifPresent(said -> words.put(server.name(), said)));
    return words;
  }

  /**
   * Asked for by name, and for such backends alone: a cluster need not have the API, and an
   * informer of a kind that does not exist would keep the operator from starting. What happens to
   * its pods calls for the next look.
   */
  private @Nullable LeaderWorkerSet leaderWorkerSet(ResourceID id) {
    return client
        .resources(LeaderWorkerSet.class)
        .inNamespace(id.getNamespace().orElseThrow())
        .withName(id.getName())
        .get();
  }

  private @Nullable QueueState queue(
      InferenceBackend backend, HasMetadata servers, List<PodReport> pods) {
    String queue = backend.getSpec().queueName();
    return queue != null && pods.stream().anyMatch(PodReport::heldByKueue)
        ? kueue.read(queue, servers)
        : null;
  }

  private @Nullable MissingPrerequisite missingApi(InferenceBackend backend) {
    return backend.getSpec().multiNode() == null || client.supports(LeaderWorkerSet.class)
        ? null
        : new MissingPrerequisite(
            Reasons.LEADER_WORKER_SET_UNAVAILABLE,
            "spec.multiNode: the cluster has no LeaderWorkerSet, "
                + new LeaderWorkerSet().getApiVersion()
                + "; install it from kubernetes-sigs/lws");
  }

  /**
   * The controller of StatefulSets tells by Events alone why it cannot make a pod: Pod Security, a
   * quota, a priority class that is not there. It is asked for them only while pods are missing.
   */
  private @Nullable String refusal(
      InferenceBackend backend, HasMetadata servers, List<PodReport> pods) {
    int wanted = backend.getSpec().replicasOrDefault() * backend.getSpec().nodesOfOne();
    Instant made = Instant.parse(servers.getMetadata().getCreationTimestamp());
    if (pods.size() >= wanted || clock.instant().isBefore(made.plus(UNTIL_ASKED))) {
      return null;
    }
    return client
        .v1()
        .events()
        .inNamespace(servers.getMetadata().getNamespace())
        .withField("involvedObject.kind", "StatefulSet")
        .withField("reason", "FailedCreate")
        .list()
        .getItems()
        .stream()
        .filter(event -> isOf(servers, event))
        .max(
            Comparator.comparing(event -> Objects.requireNonNullElse(event.getLastTimestamp(), "")))
        .map(Event::getMessage)
        .orElse(null);
  }

  /**
   * A LeaderWorkerSet has a StatefulSet of its name for the leaders, and one of a leader's name for
   * the rest of its server. They are not looked up: what is older than the servers is not theirs.
   */
  private static boolean isOf(HasMetadata servers, Event event) {
    ObjectReference about = event.getInvolvedObject();
    String name = servers.getMetadata().getName();
    return servers instanceof StatefulSet
        ? servers.getMetadata().getUid().equals(about.getUid())
        : about.getName() != null
            && about.getName().matches(Pattern.quote(name) + "(-[0-9]+)?")
            // Both are of one form, so that they compare as texts.
            && Objects.requireNonNullElse(event.getLastTimestamp(), "")
                    .compareTo(servers.getMetadata().getCreationTimestamp())
                >= 0;
  }

  /**
   * The run that has the backend and a Job for its runner, whether or not there is a pod yet: a
   * queue or a quota may hold that back for hours. The API server itself is asked.
   */
  Optional<String> planned(InferenceBackend backend) {
    String namespace = backend.getMetadata().getNamespace();
    Lease lease =
        client
            .leases()
            .inNamespace(namespace)
            .withName(Names.lease(backend.getMetadata().getName()))
            .get();
    Map<String, String> labels =
        lease == null || lease.getMetadata().getLabels() == null
            ? Map.of()
            : lease.getMetadata().getLabels();
    String run = labels.get(Labels.RUN);
    if (run == null) {
      return Optional.empty();
    }
    Job job =
        client.batch().v1().jobs().inNamespace(namespace).withName(Names.runnerJob(run)).get();
    return job != null && isTestOf(labels.get(Labels.RUN_UID), job)
        ? Optional.of(run)
        : Optional.empty();
  }

  /** Whether a Job is of a run, and has not finished. */
  static boolean isTestOf(@Nullable String runUid, Job job) {
    return !RunnerObjects.hasEnded(job)
        && runUid != null
        && job.getMetadata().getLabels() != null
        && runUid.equals(job.getMetadata().getLabels().get(Labels.RUN_UID));
  }

  /** Before servers are deleted, the API server itself is asked whether a run has come. */
  private @Nullable String activeRun(BackendState state, @Nullable HasMetadata servers) {
    InferenceBackend backend = state.backend();
    String namespace = backend.getMetadata().getNamespace();
    String name = Names.lease(backend.getMetadata().getName());
    boolean toBeDeleted =
        servers != null
            && (state.lastPhase() == BackendPhase.Idle
                || state.lastPhase() == BackendPhase.Failed
                || state.gaveWay());
    Optional<Lease> lease =
        toBeDeleted
            ? Optional.ofNullable(client.leases().inNamespace(namespace).withName(name).get())
            : leases.get(new ResourceID(name, namespace));
    return lease.map(held -> held.getMetadata().getLabels().get(Labels.RUN)).orElse(null);
  }

  /**
   * The run that has the backend, if its runner was begun: before servers give way, the API server
   * itself is asked, and a Job that has no pod counts as well.
   */
  private Optional<String> begun(
      BackendState state, @Nullable HasMetadata servers, @Nullable String activeRun) {
    return servers == null || activeRun == null || !state.gaveWay()
        ? Optional.empty()
        : Optional.ofNullable(
                client
                    .batch()
                    .v1()
                    .jobs()
                    .inNamespace(state.backend().getMetadata().getNamespace())
                    .withName(Names.runnerJob(activeRun))
                    .get())
            .filter(job -> !RunnerObjects.hasEnded(job))
            .map(job -> activeRun);
  }

  /** Others are looked at only while these servers lack GPUs, or have given way. */
  private @Nullable GpuLine line(
      InferenceBackend backend, List<PodReport> servers, @Nullable String activeRun) {
    if (!backend.getSpec().onDemand() || backend.getSpec().gpus() == null || activeRun == null) {
      return null;
    }
    GpuLine.Contender own = contender(backend, servers);
    return own.lackingSince() == null && !own.gaveWay()
        ? null
        : new GpuLine(
            own,
            backends
                .list(other -> other.getSpec() != null && other.getSpec().onDemand())
                .filter(other -> other.getSpec().gpus() != null)
                .filter(
                    other ->
                        !ResourceID.fromResource(other).equals(ResourceID.fromResource(backend)))
                .filter(other -> BackendSpecProblems.of(other).isEmpty())
                .map(other -> contender(other, cachedServers(other)))
                .toList());
  }

  private GpuLine.Contender contender(InferenceBackend backend, List<PodReport> servers) {
    ResourceID lease =
        new ResourceID(
            Names.lease(backend.getMetadata().getName()), backend.getMetadata().getNamespace());
    return GpuLine.Contender.of(backend, leases.get(lease).orElse(null), servers);
  }

  private List<PodReport> cachedServers(InferenceBackend backend) {
    return reports(
        pods.byIndex(
            BY_BACKEND,
            backend.getMetadata().getNamespace() + "/" + backend.getMetadata().getName()),
        Labels.SERVER,
        ServerWorkloads.CONTAINER);
  }

  /** Ends what is not an event source. */
  void close() {
    checks.close();
  }

  private static List<PodReport> reports(List<Pod> pods, String component, String container) {
    return pods.stream()
        .filter(pod -> component.equals(pod.getMetadata().getLabels().get(Labels.COMPONENT)))
        .map(pod -> new PodReport(pod, container))
        .toList();
  }

  private static List<String> nodeAddresses(Pod pod) {
    return pod.getStatus() == null || pod.getStatus().getHostIPs() == null
        ? List.of()
        : pod.getStatus().getHostIPs().stream()
            .map(HostIP::getIp)
            .filter(Objects::nonNull)
            .toList();
  }

  private static List<String> backendKeys(HasMetadata object) {
    String backend = backendName(object);
    return backend == null
        ? List.of()
        : List.of(object.getMetadata().getNamespace() + "/" + backend);
  }

  private static Set<ResourceID> backendOf(HasMetadata object) {
    String backend = backendName(object);
    return backend == null
        ? Set.of()
        : Set.of(new ResourceID(backend, object.getMetadata().getNamespace()));
  }

  private static @Nullable String backendName(HasMetadata object) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels == null ? null : labels.get(Labels.BACKEND);
  }
}
