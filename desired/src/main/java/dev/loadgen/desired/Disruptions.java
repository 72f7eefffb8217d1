package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.util.Map;
import java.util.TreeMap;

/** What keeps others from ending pods, or from changing how they answer, while they measure. */
public final class Disruptions {
  /**
   * Labels by which Istio leaves a pod alone, with sidecars and in ambient mode: a proxy between
   * runner and server adds to every latency, and its sidecar outlives the runner.
   */
  static final Map<String, String> LABELS =
      Map.of("sidecar.istio.io/inject", "false", "istio.io/dataplane-mode", "none");

  /** Annotations by which Linkerd, Karpenter and the cluster autoscaler leave a pod alone. */
  static final Map<String, String> ANNOTATIONS =
      Map.of(
          "linkerd.io/inject",
          "disabled",
          "karpenter.sh/do-not-disrupt",
          "true",
          "cluster-autoscaler.kubernetes.io/safe-to-evict",
          "false");

  private Disruptions() {}

  /** Adds to what a pod has. */
  static void leaveAlone(ObjectMeta pod) {
    pod.setLabels(with(pod.getLabels(), LABELS));
    pod.setAnnotations(with(pod.getAnnotations(), ANNOTATIONS));
  }

  private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new TreeMap<>(more);
    if (some != null) {
      all.putAll(some);
    }
    return all;
  }

  /**
   * The budget by which nothing of a test is evicted: no server of the backend and no runner. It is
   * the Lease's, so that it goes with that, and named after it.
   */
  public static PodDisruptionBudget budget(
      BenchmarkRun run, InferenceBackend backend, Lease lease) {
    InferenceBackendSpec spec = backend.getSpec();
    String name = RunBackends.name(run);
    int servers = spec.external() == null ? spec.replicasOrDefault() * spec.nodesOfOne() : 0;
    return new PodDisruptionBudgetBuilder()
        .withNewMetadata()
        .withName("loadgen-" + lease.getMetadata().getUid())
        .withNamespace(run.getMetadata().getNamespace())
        .withLabels(Labels.ofRun(run.getMetadata().getName(), run.getMetadata().getUid(), name))
        .withOwnerReferences(Ownership.controlledBy(lease))
        .endMetadata()
        .withNewSpec()
        // maxUnavailable is for pods of a controller that can be scaled, which a Job cannot.
        .withMinAvailable(new IntOrString(servers + 1))
        .withNewSelector()
        .addToMatchLabels(Labels.MANAGED_BY, Labels.OPERATOR)
        .addToMatchLabels(Labels.BACKEND, name)
        .endSelector()
        .endSpec()
        .build();
  }
}
