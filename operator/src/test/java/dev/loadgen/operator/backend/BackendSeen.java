package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodYaml;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was seen of a backend, for tests: nothing but what they name. */
final class BackendSeen {
  private @Nullable HasMetadata workload;
  private @Nullable Service service;
  private List<PodReport> servers = List.of();
  private List<PodReport> leftOver = List.of();
  private Map<String, String> warnings = Map.of();
  private List<String> runners = List.of();
  private @Nullable String activeRun;
  private @Nullable MissingPrerequisite missing;
  private @Nullable List<HealthCheck> checks = List.of();
  private @Nullable String refusal;
  private @Nullable QueueState queue;
  private @Nullable GpuLine line;
  private Map<String, String> logTails = Map.of();

  /** The workload and the Service that a backend asks for are there. */
  static BackendSeen madeFor(InferenceBackend backend) {
    return new BackendSeen()
        .workload(Desired.of(backend, PodDefaults.BUILT_IN).workload(), backend);
  }

  /** A pod of a backend's servers, as its spec is now. */
  static PodReport pod(InferenceBackend backend, String name, String status) {
    PodReport report = PodYaml.pod(name, "server", status);
    report
        .pod()
        .getMetadata()
        .setAnnotations(
            Map.of(Desired.STAMP, Desired.of(backend, PodDefaults.BUILT_IN).template()));
    return report;
  }

  /** A workload, and if there is one the Service beside it. */
  BackendSeen workload(@Nullable HasMetadata value, InferenceBackend backend) {
    workload = value;
    service = value == null ? null : Desired.of(backend, PodDefaults.BUILT_IN).service();
    return this;
  }

  BackendSeen servers(PodReport... values) {
    servers = List.of(values);
    return this;
  }

  BackendSeen leftOver(PodReport... values) {
    leftOver = List.of(values);
    return this;
  }

  BackendSeen warning(String pod, String words) {
    warnings = Map.of(pod, words);
    return this;
  }

  /** The run has the backend, and its runner is alive. */
  BackendSeen measuring(String run) {
    runners = List.of(run);
    activeRun = run;
    return this;
  }

  BackendSeen runners(String... runs) {
    runners = List.of(runs);
    return this;
  }

  BackendSeen activeRun(@Nullable String run) {
    activeRun = run;
    return this;
  }

  BackendSeen lacking(MissingPrerequisite problem) {
    missing = problem;
    return this;
  }

  BackendSeen checks(HealthCheck... values) {
    checks = List.of(values);
    return this;
  }

  /** Servers of somebody else that have not been asked yet. */
  BackendSeen unasked() {
    checks = null;
    return this;
  }

  BackendSeen refusal(@Nullable String value) {
    refusal = value;
    return this;
  }

  BackendSeen queue(@Nullable QueueState value) {
    queue = value;
    return this;
  }

  BackendSeen line(@Nullable GpuLine value) {
    line = value;
    return this;
  }

  BackendSeen logTail(String pod, String text) {
    logTails = Map.of(pod, text);
    return this;
  }

  BackendObservation observation() {
    return BackendObservationBuilder.builder()
        .workload(workload)
        .service(service)
        .servers(servers)
        .leftOver(leftOver)
        .runners(runners)
        .activeRun(activeRun)
        .missing(missing)
        .checks(checks)
        .refusal(refusal)
        .queue(queue)
        .line(line)
        .warnings(warnings)
        .logTails(logTails)
        .untilNextCheck(Duration.ofSeconds(15))
        .build();
  }
}
