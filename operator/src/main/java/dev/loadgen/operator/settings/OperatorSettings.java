package dev.loadgen.operator.settings;

import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.PodTemplateLevel;
import dev.loadgen.reconcile.access.ExternalHosts;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the operator.
 *
 * @param namespaces the namespaces to look after; empty: all
 * @param runnerImage image of the runner, unless a run names one
 * @param progressInterval how often a running test is asked for its progress
 * @param progressWriteInterval how often its progress is written while it moves and nothing else
 *     has happened: neither a stage nor a failure nor another projection
 * @param waitInterval how often a run that waits looks again, besides the events that wake it
 * @param healthInterval how often external servers are asked for their health once they are well;
 *     while they are not, every {@code progressInterval}
 * @param healthTimeout how long one health check of an external server may take
 * @param imageGrace how long an image that cannot be pulled, or a container that cannot be made, is
 *     given to heal: registries have short outages, and the kubelet tries again after 10 s and 20 s
 * @param runnerStartTimeout how long a runner may take until its container runs, its node and
 *     volumes included
 * @param keepJobs how long ended Jobs are kept for their logs
 * @param externalHosts which servers of {@code spec.external} the operator asks for their health
 * @param podTemplates what the pod templates of users may ask for
 * @param pods what the pods of servers and runners are given
 * @param nodeAddress address of the node that the operator runs on, which is asked for nobody's
 *     health; null: not known
 */
@RecordBuilder
public record OperatorSettings(
    Set<String> namespaces,
    String runnerImage,
    Duration progressInterval,
    Duration progressWriteInterval,
    Duration waitInterval,
    Duration healthInterval,
    Duration healthTimeout,
    Duration imageGrace,
    Duration runnerStartTimeout,
    Duration keepJobs,
    ExternalHosts externalHosts,
    PodTemplateLevel podTemplates,
    PodDefaults pods,
    @Nullable String nodeAddress,
    Clock clock)
    implements OperatorSettingsBuilder.With {
  /** Image of the runner that belongs to this operator. */
  public static final String DEFAULT_RUNNER_IMAGE = "ghcr.io/loadgen-operator/loadgen-runner:0.1.0";

  /** Copies the set. */
  public OperatorSettings {
    namespaces = Set.copyOf(namespaces);
  }

  /** The settings of a cluster. */
  public static OperatorSettings defaults() {
    return OperatorSettingsBuilder.builder()
        .namespaces(Set.of())
        .runnerImage(DEFAULT_RUNNER_IMAGE)
        .progressInterval(Duration.ofSeconds(2))
        .progressWriteInterval(Duration.ofSeconds(15))
        .waitInterval(Duration.ofSeconds(5))
        .healthInterval(Duration.ofSeconds(15))
        .healthTimeout(Duration.ofSeconds(2))
        .imageGrace(Duration.ofSeconds(30))
        .runnerStartTimeout(Duration.ofMinutes(10))
        .keepJobs(Duration.ofDays(1))
        .externalHosts(ExternalHosts.DEFAULT)
        .podTemplates(PodTemplateLevel.Restricted)
        .pods(PodDefaults.BUILT_IN)
        .clock(Clock.systemUTC())
        .build();
  }

  /**
   * These settings with other intervals of waiting and of progress, which is written as often as it
   * is asked for.
   */
  public OperatorSettings withIntervals(Duration progress, Duration wait) {
    return with()
        .progressInterval(progress)
        .progressWriteInterval(progress)
        .waitInterval(wait)
        .build();
  }
}
