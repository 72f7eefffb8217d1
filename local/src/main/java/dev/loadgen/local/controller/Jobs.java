package dev.loadgen.local.controller;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobConditionBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs one pod for each Job until one succeeds, more than {@code backoffLimit} have failed, or
 * {@code activeDeadlineSeconds} have passed. A pod that vanishes counts as failed. One completion a
 * Job; finished Jobs stay ({@code ttlSecondsAfterFinished} is not acted on).
 */
final class Jobs implements Controller.Reconciler<Job> {
  private final KubernetesClient client;
  private final Clock clock;

  Jobs(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  @Override
  public Optional<Duration> reconcile(Job job, List<Pod> owned) {
    if (isFinished(job)) {
      return Optional.empty();
    }
    List<Pod> alive = owned.stream().filter(pod -> !hasPhase(pod, "Failed", "Succeeded")).toList();
    if (Boolean.TRUE.equals(job.getSpec().getSuspend())) {
      alive.forEach(pod -> client.resource(pod).delete());
      return Optional.empty();
    }

    JobStatus before = Optional.ofNullable(job.getStatus()).orElseGet(JobStatus::new);
    Instant start = before.getStartTime() == null ? now() : Instant.parse(before.getStartTime());
    int failedPods = (int) owned.stream().filter(pod -> hasPhase(pod, "Failed")).count();
    boolean succeeded = owned.stream().anyMatch(pod -> hasPhase(pod, "Succeeded"));
    boolean vanished =
        orZero(before.getActive()) > 0
            && alive.isEmpty()
            && !succeeded
            && failedPods <= orZero(before.getFailed());
    int failed = Math.max(orZero(before.getFailed()), failedPods) + (vanished ? 1 : 0);
    int limit = Optional.ofNullable(job.getSpec().getBackoffLimit()).orElse(6);

    JobStatusBuilder status =
        new JobStatusBuilder().withStartTime(start.toString()).withFailed(failed);
    List<JobCondition> conditions = new ArrayList<>();
    Long deadline = job.getSpec().getActiveDeadlineSeconds();
    Duration left =
        deadline == null
            ? Duration.ofDays(1)
            : Duration.between(clock.instant(), start.plusSeconds(deadline));
    if (succeeded) {
      status.withSucceeded(1).withCompletionTime(now().toString());
      conditions.add(
          condition("Complete", "CompletionsReached", "Reached expected number of succeeded pods"));
    } else if (failed > limit) {
      conditions.add(
          condition(
              "Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"));
    } else if (left.isNegative() || left.isZero()) {
      conditions.add(
          condition("Failed", "DeadlineExceeded", "Job was active longer than specified deadline"));
      alive.forEach(pod -> client.resource(pod).delete());
    } else if (alive.isEmpty()) {
      client.resource(pod(job, failed)).create();
      status.withActive(1);
    } else {
      status.withActive(alive.size());
    }
    status.withConditions(conditions);
    updateStatus(job, status.build());
    return deadline != null && conditions.isEmpty()
        ? Optional.of(left.plusMillis(10))
        : Optional.empty();
  }

  private void updateStatus(Job job, JobStatus status) {
    if (!status.equals(job.getStatus())) {
      job.setStatus(status);
      client.resource(job).updateStatus();
    }
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }

  private JobCondition condition(String type, String reason, String message) {
    return new JobConditionBuilder()
        .withType(type)
        .withStatus("True")
        .withReason(reason)
        .withMessage(message)
        .withLastTransitionTime(now().toString())
        .withLastProbeTime(now().toString())
        .build();
  }

  private static boolean isFinished(Job job) {
    return job.getStatus() != null
        && job.getStatus().getConditions().stream()
            .anyMatch(
                condition ->
                    condition.getStatus().equals("True")
                        && (condition.getType().equals("Complete")
                            || condition.getType().equals("Failed")));
  }

  private static boolean hasPhase(Pod pod, String... phases) {
    return pod.getStatus() != null && List.of(phases).contains(pod.getStatus().getPhase());
  }

  private static int orZero(@Nullable Integer number) {
    return number == null ? 0 : number;
  }

  /** The pod of one attempt; its name is fixed, so that no attempt is made twice. */
  private static Pod pod(Job job, int attempt) {
    return Owners.pod(job, job.getMetadata().getName() + "-" + attempt, job.getSpec().getTemplate())
        .editMetadata()
        .addToLabels("batch.kubernetes.io/job-name", job.getMetadata().getName())
        .addToLabels("job-name", job.getMetadata().getName())
        .addToLabels("batch.kubernetes.io/controller-uid", job.getMetadata().getUid())
        .endMetadata()
        .build();
  }
}
