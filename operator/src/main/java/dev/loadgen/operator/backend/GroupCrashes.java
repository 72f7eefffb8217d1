package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Crash;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Counts the crashes of servers that span nodes. LeaderWorkerSet deletes all pods of such a server
 * as soon as a container of one has ended, and with them what they tell of it, so that the status
 * keeps it. Pure.
 */
final class GroupCrashes {
  /** Pods that were there before a crash and end later than this have crashed by themselves. */
  private static final Duration FOLLOWING = Duration.ofSeconds(30);

  /** The first end of a container that the status does not know of. */
  private record Ended(PodReport pod, ContainerStateTerminated end, Instant time) {}

  private GroupCrashes() {}

  /**
   * The last crash of the servers as they are now; null: there was none.
   *
   * @param pods of the present template
   * @param described reason and message of a pod's crash
   */
  static @Nullable Crash last(
      InferenceBackend backend, List<PodReport> pods, Function<PodReport, Crash> described) {
    Crash known = known(backend);
    // Pods of one server follow each other into the same crash; it counts once. Other servers go
    // on.
    Instant counted = known == null ? Instant.EPOCH : Instant.parse(known.time());
    Optional<Ended> first =
        pods.stream()
            .flatMap(pod -> ended(pod).stream())
            .filter(
                ended ->
                    ended.pod().created().isAfter(counted)
                        || ended.time().isAfter(counted.plus(FOLLOWING)))
            .min(Comparator.comparing(Ended::time));
    if (first.isEmpty()) {
      return known;
    }
    int before = known == null || PodReport.stayedUp(first.get().end()) ? 0 : known.count();
    Crash crash = described.apply(first.get().pod());
    return new Crash(first.get().time().toString(), before + 1, crash.reason(), crash.message());
  }

  private static Optional<Ended> ended(PodReport pod) {
    return pod.crash()
        .filter(end -> end.getFinishedAt() != null)
        .map(end -> new Ended(pod, end, Instant.parse(end.getFinishedAt())));
  }

  /** Crashes of another spec say nothing of this one. */
  private static @Nullable Crash known(InferenceBackend backend) {
    InferenceBackendStatus status = backend.getStatus();
    return status != null
            && Objects.equals(status.observedGeneration(), backend.getMetadata().getGeneration())
        ? status.lastCrash()
        : null;
  }
}
