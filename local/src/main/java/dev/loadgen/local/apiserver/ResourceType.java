package dev.loadgen.local.apiserver;

import java.util.List;

/**
 * A kind that the API server stores.
 *
 * @param group API group; empty for the core group
 * @param shortNames as in {@code kubectl get SHORT}
 */
record ResourceType(
    String group,
    String version,
    String plural,
    String kind,
    boolean namespaced,
    boolean statusSubresource,
    List<String> shortNames) {
  static final ResourceType PODS = builtIn("", "v1", "pods", "Pod", true, "po");

  /** Never stored: creating one puts a pod on a node. */
  static final ResourceType BINDINGS = builtIn("", "v1", "bindings", "Binding", true);

  static final ResourceType EVENTS = builtIn("", "v1", "events", "Event", true, "ev");

  static final ResourceType CUSTOM_RESOURCE_DEFINITIONS =
      builtIn(
          "apiextensions.k8s.io",
          "v1",
          "customresourcedefinitions",
          "CustomResourceDefinition",
          false,
          "crd");

  /** The built-in kinds that operator, controllers and users of {@code loadgen run} need. */
  static final List<ResourceType> BUILT_IN =
      List.of(
          PODS,
          BINDINGS,
          EVENTS,
          CUSTOM_RESOURCE_DEFINITIONS,
          builtIn("", "v1", "namespaces", "Namespace", false, "ns"),
          builtIn("", "v1", "nodes", "Node", false, "no"),
          builtIn("", "v1", "services", "Service", true, "svc"),
          builtIn("", "v1", "configmaps", "ConfigMap", true, "cm"),
          builtIn("", "v1", "secrets", "Secret", true),
          builtIn("", "v1", "serviceaccounts", "ServiceAccount", true, "sa"),
          builtIn("", "v1", "persistentvolumes", "PersistentVolume", false, "pv"),
          builtIn("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true, "pvc"),
          builtIn("apps", "v1", "statefulsets", "StatefulSet", true, "sts"),
          builtIn("batch", "v1", "jobs", "Job", true),
          builtIn("coordination.k8s.io", "v1", "leases", "Lease", true),
          builtIn("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true, "pdb"),
          builtIn("events.k8s.io", "v1", "events", "Event", true, "ev"));

  private static ResourceType builtIn(
      String group,
      String version,
      String plural,
      String kind,
      boolean namespaced,
      String... shortNames) {
    return new ResourceType(
        group, version, plural, kind, namespaced, hasStatus(kind), List.of(shortNames));
  }

  private static boolean hasStatus(String kind) {
    return switch (kind) {
      case "ConfigMap", "Secret", "ServiceAccount", "Event", "Lease" -> false;
      default -> true;
    };
  }

  String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }

  /** As messages of Kubernetes name it: {@code jobs.batch}. */
  String qualifiedPlural() {
    return group.isEmpty() ? plural : plural + "." + group;
  }
}
