package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec.Gpus;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who among servers on demand that want the same GPUs keeps what it has got, as one backend sees
 * it. Each server takes its GPUs by itself, so that two backends can each hold a part of what both
 * need. The order of the Leases decides between them. Pure.
 *
 * @param own the backend that asks
 * @param others all other backends on demand that the operator looks after
 */
record GpuLine(Contender own, List<Contender> others) {
  /**
   * How long servers lack GPUs before a backend gives way. The servers of a run that has just ended
   * have 30 s to end, unless their pods say otherwise, and hold their GPUs as long.
   */
  static final Duration SETTLED = Duration.ofSeconds(30);

  /** How many backends a message names. */
  private static final int NAMED = 3;

  /**
   * What the servers of a backend wait for.
   *
   * @param reason {@code GpusInUse}: they keep what they have; {@code GaveWay}: there are none
   */
  record Waiting(String reason, String message) {}

  /**
   * What servers wait for, which is no part of their start; empty: nothing, so that they start, and
   * go on starting, as ever.
   */
  Optional<Waiting> waiting(Instant now) {
    if (!own.inLine()) {
      return Optional.empty();
    }
    Optional<Contender> first = own.gaveWay() ? lastUnplacedBefore() : firstToBeHelped(now);
    if (first.isPresent()) {
      return Optional.of(
          new Waiting(
              Reasons.GAVE_WAY,
              ("backend %s, which wants %s too, comes first: these servers start when all of its"
                      + " own have theirs, or when it has given up")
                  .formatted(first.get().name(), own.resource())));
    }
    return own.lackingSince() != null && helped(own)
        ? Optional.of(
            new Waiting(
                Reasons.GPUS_IN_USE,
                "other servers on demand have the "
                    + own.resource()
                    + " that these lack: "
                    + names(competitors(own).filter(other -> other.holding() > 0).toList())))
        : Optional.empty();
  }

  /**
   * Whoever has given way waits for all that come before, so that those who gave way to one backend
   * do not all start at once when it has its GPUs.
   */
  private Optional<Contender> lastUnplacedBefore() {
    return competitors(own)
        .filter(other -> other.isBefore(own) && other.unplaced())
        .max(Contender.ORDER);
  }

  /**
   * The first of the backends before this one that have a part of their GPUs, and can get the rest
   * of what others have.
   */
  private Optional<Contender> firstToBeHelped(Instant now) {
    return !own.lacksForLong(now)
        ? Optional.empty()
        : competitors(own)
            .filter(other -> other.isBefore(own) && other.placed() > 0)
            .filter(other -> other.inLine() && other.lacksForLong(now) && helped(other))
            .min(Contender.ORDER);
  }

  /**
   * Whether a backend had enough if all others gave it what they have. To wait for a backend, or to
   * give way to one, that wants more than that would be in vain.
   */
  private boolean helped(Contender one) {
    int lacked = (one.wanted() - one.placed()) * one.each();
    return lacked <= competitors(one).mapToInt(other -> other.holding() * other.each()).sum();
  }

  private Stream<Contender> competitors(Contender one) {
    return Stream.concat(Stream.of(own), others.stream())
        .filter(other -> !other.name().equals(one.name()) && other.competesWith(one));
  }

  private static String names(List<Contender> backends) {
    List<String> named =
        backends.stream()
            .map(Contender::name)
            .sorted()
            .limit(NAMED)
            .map("backend "::concat)
            .toList();
    int more = backends.size() - named.size();
    return String.join(", ", named) + (more == 0 ? "" : ", and " + more + " more");
  }

  /**
   * A backend on demand with GPUs.
   *
   * @param name namespace and name
   * @param acquired when a run got it; null: no run has it
   * @param queued whether Kueue decides when its servers start
   * @param resource of its GPUs, as the scheduler names it
   * @param each GPUs of one pod
   * @param nodes labels of the nodes that its pods may run on
   * @param wanted how many pods there shall be
   * @param placed how many of them have a node
   * @param holding pods that have a node and its GPUs, those that are ending included
   * @param lackingSince since when the scheduler finds too few GPUs for a pod; null: it does not
   * @param reason that its status gives; null: it has none
   * @param failed whether it is given up
   */
  @RecordBuilder
  record Contender(
      String name,
      @Nullable Instant acquired,
      boolean queued,
      String resource,
      int each,
      Map<String, String> nodes,
      int wanted,
      int placed,
      int holding,
      @Nullable Instant lackingSince,
      @Nullable String reason,
      boolean failed) {
    /** By the Leases, of those that have one. */
    static final Comparator<Contender> ORDER =
        Comparator.comparing(Contender::acquiredOrNever).thenComparing(Contender::name);

    /** How the scheduler words it that no node has enough devices left for a pod's claims. */
    private static final String CLAIMS = "cannot allocate all claims";

    /**
     * A backend as it is.
     *
     * @param backend of ours and without problems, with {@code spec.gpus}
     * @param lease null: no run has it
     */
    static Contender of(InferenceBackend backend, @Nullable Lease lease, List<PodReport> servers) {
      InferenceBackendSpec spec = backend.getSpec();
      InferenceBackendStatus status = backend.getStatus();
      Pattern shortage = shortage(spec.gpus());
      List<PodReport> staying = servers.stream().filter(pod -> !pod.beingDeleted()).toList();
      return GpuLineContenderBuilder.builder()
          .name(backend.getMetadata().getNamespace() + "/" + backend.getMetadata().getName())
          .acquired(lease == null || !BackendLeases.isOfARun(lease) ? null : acquired(lease))
          .queued(spec.queueName() != null)
          .resource(resource(spec.gpus()))
          .each(spec.gpus().count())
          .nodes(nodes(spec))
          .wanted(spec.replicasOrDefault() * spec.nodesOfOne())
          .placed(Math.toIntExact(staying.stream().filter(PodReport::placed).count()))
          .holding(Math.toIntExact(servers.stream().filter(PodReport::placed).count()))
          .lackingSince(
              staying.stream()
                  .flatMap(pod -> pod.unschedulableSince(shortage).stream())
                  .min(Comparator.naturalOrder())
                  .orElse(null))
          .reason(
              status == null
                  ? null
                  : Conditions.find(status.conditions(), ConditionTypes.AVAILABLE)
                      .map(Condition::getReason)
                      .orElse(null))
          .failed(status != null && status.phase() == BackendPhase.Failed)
          .build();
    }

    private static @Nullable Instant acquired(Lease lease) {
      return lease.getSpec() == null || lease.getSpec().getAcquireTime() == null
          ? null
          : lease.getSpec().getAcquireTime().toInstant();
    }

    /** What is claimed is all of one kind: templates of other names may give the same devices. */
    private static String resource(Gpus gpus) {
      return isClaimed(gpus) ? "resource claims" : ServerWorkloads.gpuResource(gpus);
    }

    private static boolean isClaimed(Gpus gpus) {
      return gpus.resourceClaims() != null && !gpus.resourceClaims().isEmpty();
    }

    /** The words of kube-scheduler 1.35: plugins NodeResourcesFit and DynamicResources. */
    private static Pattern shortage(Gpus gpus) {
      String words = isClaimed(gpus) ? CLAIMS : "Insufficient " + ServerWorkloads.gpuResource(gpus);
      return Pattern.compile("\\b" + Pattern.quote(words) + "(?=[,.]?(\\s|$))");
    }

    private static Map<String, String> nodes(InferenceBackendSpec spec) {
      Map<String, String> labels = new HashMap<>();
      String label = ServerWorkloads.productLabel(ServerWorkloads.gpuResource(spec.gpus()));
      if (label != null && spec.gpus().product() != null) {
        labels.put(label, spec.gpus().product());
      }
      if (spec.scheduling() != null && spec.scheduling().nodeSelector() != null) {
        labels.putAll(spec.scheduling().nodeSelector());
      }
      return Map.copyOf(labels);
    }

    /** Whether it takes part: a run has it, and neither Kueue nor its own failure decides. */
    boolean inLine() {
      return acquired != null && !queued && !failed;
    }

    boolean isBefore(Contender other) {
      return ORDER.compare(this, other) < 0;
    }

    /** Whether one may have what the other lacks; false only where no node can be of both. */
    boolean competesWith(Contender other) {
      return resource.equals(other.resource)
          && nodes.entrySet().stream()
              .allMatch(
                  label ->
                      other
                          .nodes
                          .getOrDefault(label.getKey(), label.getValue())
                          .equals(label.getValue()));
    }

    /** Whether its status has told that it has given way. */
    boolean gaveWay() {
      return Reasons.GAVE_WAY.equals(reason);
    }

    boolean lacksForLong(Instant now) {
      return lackingSince != null && !now.isBefore(lackingSince.plus(SETTLED));
    }

    /** Whether it is in line and has not all that it wants, or waits for its turn to try. */
    boolean unplaced() {
      boolean starting = Reasons.REPLICAS_NOT_READY.equals(reason) && placed < wanted;
      return inLine() && (gaveWay() || starting || (lackingSince != null && placed > 0));
    }

    private Instant acquiredOrNever() {
      return acquired == null ? Instant.MAX : acquired;
    }
  }
}
