package dev.loadgen.operator.run;

import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a Job tells about itself.
 *
 * @param job as the API server has it
 */
record JobReport(Job job) {
  private static final String FAILED = "Failed";
  private static final String FAILURE_TARGET = "FailureTarget";

  /** Whether somebody other than the run holds the Job back, as Kueue does. */
  boolean suspended() {
    return Boolean.TRUE.equals(job.getSpec().getSuspend());
  }

  Instant created() {
    return Instant.parse(job.getMetadata().getCreationTimestamp());
  }

  /** When the Job began: one that was queued does when it is admitted. */
  Instant started() {
    return job.getStatus() == null || job.getStatus().getStartTime() == null
        ? created()
        : Instant.parse(job.getStatus().getStartTime());
  }

  /**
   * The end of the Job, or that it is decided: Kubernetes says {@code Failed} and {@code Complete}
   * only when the last pod has ended, which on a node that is lost is never.
   */
  Optional<JobCondition> end() {
    return Stream.of(FAILED, "Complete", FAILURE_TARGET, "SuccessCriteriaMet")
        .flatMap(type -> condition(type).stream())
        .findFirst();
  }

  /** Whether the Job has failed, with the last of its pods. */
  boolean failed() {
    return condition(FAILED).isPresent();
  }

  /** Whether Kubernetes ends the Job for its deadline. */
  boolean deadlineExceeded() {
    return condition(FAILED)
        .or(() -> condition(FAILURE_TARGET))
        .filter(c -> "DeadlineExceeded".equals(c.getReason()))
        .isPresent();
  }

  private Optional<JobCondition> condition(String type) {
    return job.getStatus() == null || job.getStatus().getConditions() == null
        ? Optional.empty()
        : job.getStatus().getConditions().stream()
            .filter(c -> type.equals(c.getType()) && "True".equals(c.getStatus()))
            .findFirst();
  }
}
