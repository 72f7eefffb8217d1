package dev.loadgen.operator.run;

import dev.loadgen.contract.ServerLogs.Part;
import dev.loadgen.contract.ServerLogs.Source;
import dev.loadgen.desired.ServerWorkloads;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which logs a server's pod has of a time. Pure. */
final class ServerPodLogs {
  private ServerPodLogs() {}

  /**
   * A log of the pod.
   *
   * @param problem why there is none; null: there is
   */
  record Wanted(Source source, @Nullable String problem) {}

  /**
   * The logs of each container, and of the one before its last restart, unless it had ended before
   * {@code since}. Of a server that had started before, also the beginning of its log.
   */
  static List<Wanted> of(Pod pod, Instant since) {
    List<Wanted> wanted = new ArrayList<>();
    if (pod.getStatus() == null) {
      return wanted;
    }
    for (ContainerStatus status : orEmpty(pod.getStatus().getInitContainerStatuses())) {
      add(wanted, pod, status, since);
    }
    for (ContainerStatus status : orEmpty(pod.getStatus().getContainerStatuses())) {
      add(wanted, pod, status, since);
    }
    return wanted;
  }

  private static void add(List<Wanted> wanted, Pod pod, ContainerStatus status, Instant since) {
    String name = pod.getMetadata().getName();
    Source current = new Source(name, status.getName(), false);
    ContainerState state = status.getState();
    ContainerStateTerminated before =
        status.getLastState() == null ? null : status.getLastState().getTerminated();
    ContainerStateWaiting waiting = state == null ? null : state.getWaiting();
    if (state == null || waiting != null) {
      // Between two starts, the kubelet takes the last one's log for the present one.
      if (before == null) {
        String reason = waiting == null ? null : waiting.getReason();
        wanted.add(
            new Wanted(
                current, "it has not started" + (reason == null ? "" : " (" + reason + ")")));
      } else if (!endedBefore(before, since)) {
        wanted.add(new Wanted(current, null));
      }
      return;
    }
    if (ServerWorkloads.CONTAINER.equals(status.getName())
        && state.getRunning() != null
        && state.getRunning().getStartedAt() != null
        // A status has whole seconds.
        && !Instant.parse(state.getRunning().getStartedAt()).plusSeconds(1).isAfter(since)) {
      wanted.add(new Wanted(new Source(name, status.getName(), Part.BEGINNING), null));
    }
    if (state.getTerminated() == null || !endedBefore(state.getTerminated(), since)) {
      wanted.add(new Wanted(current, null));
    }
    if (before != null && !endedBefore(before, since)) {
      wanted.add(new Wanted(new Source(name, status.getName(), true), null));
    }
  }

  private static boolean endedBefore(ContainerStateTerminated end, Instant since) {
    return end.getFinishedAt() != null && Instant.parse(end.getFinishedAt()).isBefore(since);
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }
}
