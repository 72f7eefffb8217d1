package dev.loadgen.desired;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * Groups of pods, of which the first leads: an API of {@code kubernetes-sigs/lws}, which a cluster
 * may have or not. Here are the fields that the operator sets.
 */
@Group("leaderworkerset.x-k8s.io")
@Version("v1")
public final class LeaderWorkerSet extends CustomResource<LeaderWorkerSet.Spec, Void>
    implements Namespaced {
  /**
   * What shall be.
   *
   * @param replicas number of groups
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Spec(Integer replicas, Groups leaderWorkerTemplate, Rollout rolloutStrategy) {}

  /**
   * What a group consists of.
   *
   * @param size number of pods, the leader's among them
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Groups(
      Integer size,
      String restartPolicy,
      PodTemplateSpec leaderTemplate,
      PodTemplateSpec workerTemplate) {}

  /** How groups are replaced by those of a new template. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Rollout(String type, RollingUpdate rollingUpdateConfiguration) {}

  /**
   * How many groups at once.
   *
   * @param maxUnavailable a number, or a share of all such as {@code 100%}
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record RollingUpdate(IntOrString maxUnavailable) {}
}
