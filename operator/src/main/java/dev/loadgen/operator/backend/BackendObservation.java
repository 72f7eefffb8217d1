package dev.loadgen.operator.backend;

import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of everything that a backend consists of, at one time.
 *
 * @param workload the backend's own StatefulSet or LeaderWorkerSet; null: there is none
 * @param service the backend's own Service; null: there is none
 * @param leftOver pods of servers that were there before, which are not gone yet
 * @param runners names of the runs whose runner is at work on the backend, or about to be
 * @param activeRun name of the run that has the backend; null: none
 * @param missing what servers that are not there yet lack: of {@code spec.access}, or the API that
 *     they are made by; null: nothing
 * @param checks health checks of external servers, in the order of the endpoints; null: not all of
 *     them have been asked yet
 * @param refusal why Kubernetes makes no pods of the workload; null: it does, or has not said
 * @param queue what Kueue says of the servers; null: it holds none of their pods back
 * @param line who wants the same GPUs as servers on demand that have too few, or have given way;
 *     null: they are neither
 * @param warnings why servers that have a node are not prepared there, by the names of their pods
 * @param logTails the newest lines of servers that run and do not answer, by the names of their
 *     pods; not of those whose log cannot be read
 * @param untilNextCheck how long until an external server is to be asked again
 */
@RecordBuilder
record BackendObservation(
    @Nullable HasMetadata workload,
    @Nullable Service service,
    List<PodReport> servers,
    List<PodReport> leftOver,
    List<String> runners,
    @Nullable String activeRun,
    @Nullable MissingPrerequisite missing,
    @Nullable List<HealthCheck> checks,
    @Nullable String refusal,
    @Nullable QueueState queue,
    @Nullable GpuLine line,
    Map<String, String> warnings,
    Map<String, String> logTails,
    Duration untilNextCheck)
    implements BackendObservationBuilder.With {
  /** The same with a run whose runner is about to be at work. */
  BackendObservation withRunner(String run) {
    return withRunners(
        Stream.concat(runners.stream(), Stream.of(run)).distinct().sorted().toList());
  }

  /**
   * One health check of an external server.
   *
   * @param problem why it is not healthy; null: it is
   * @param refused whether it was not asked, because the operator may not ask it
   */
  record HealthCheck(String url, @Nullable String problem, boolean refused) {
    static HealthCheck healthy(String url) {
      return new HealthCheck(url, null, false);
    }

    static HealthCheck failed(String url, String problem) {
      return new HealthCheck(url, problem, false);
    }

    static HealthCheck refused(String url, String problem) {
      return new HealthCheck(url, problem, true);
    }

    boolean healthy() {
      return problem == null;
    }
  }
}
