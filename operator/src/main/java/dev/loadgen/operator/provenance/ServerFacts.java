package dev.loadgen.operator.provenance;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Endpoint;
import dev.loadgen.contract.Provenance.Gpus;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Provenance.Servers;
import dev.loadgen.contract.SecretNames;
import dev.loadgen.desired.Endpoints;
import dev.loadgen.desired.ServerCommand;
import dev.loadgen.desired.ServerWorkloads;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the pods of a backend's servers are, and what of it is not as the operator makes it. Pure.
 */
final class ServerFacts {
  /**
   * Variables that put other code into the place of a program's own, whichever it is. What changes
   * no code, such as {@code LD_LIBRARY_PATH} on nodes that mount their driver, is not among them.
   */
  private static final Set<String> OF_ANY_PROGRAM =
      Set.of(
          "LD_AUDIT",
          "LD_PRELOAD",
          "PATH",
          "PYTHONHOME",
          "PYTHONPATH",
          "PYTHONSTARTUP",
          "PYTHONUSERBASE");

  /** Names of pods that a message has; of a thousand it would say no more. */
  private static final int NAMED = 3;

  private final InferenceBackend backend;
  private final List<Pod> pods;

  private ServerFacts(InferenceBackend backend, List<Pod> pods) {
    this.backend = backend;
    this.pods =
        pods.stream()
            .filter(pod -> container(pod) != null)
            // So that llama-2 comes before llama-10.
            .sorted(
                Comparator.comparing((Pod pod) -> name(pod).length())
                    .thenComparing(ServerFacts::name))
            .toList();
  }

  /** Of the pods of a backend that is ours. */
  static ServerFacts of(InferenceBackend backend, List<Pod> pods) {
    return new ServerFacts(backend, pods);
  }

  /** The servers, those that are alike as one. */
  List<Servers> servers(Function<String, Map<String, String>> labels) {
    Map<Servers, List<ServerPod>> alike = new LinkedHashMap<>();
    for (Pod pod : pods) {
      Container container = Objects.requireNonNull(container(pod));
      Servers kind =
          new Servers(
              container.getImage(),
              imageId(pod),
              container.getCommand(),
              SecretNames.removed(container.getArgs()),
              gpus(pod, container, labels),
              List.of());
      alike.computeIfAbsent(kind, k -> new ArrayList<>()).add(new ServerPod(name(pod), node(pod)));
    }
    return alike.entrySet().stream()
        .map(
            entry -> {
              Servers kind = entry.getKey();
              return new Servers(
                  kind.image(),
                  kind.imageId(),
                  kind.command(),
                  kind.args(),
                  kind.gpus(),
                  List.copyOf(entry.getValue()));
            })
        .toList();
  }

  /** The arguments of the servers themselves; null: there are none, or they differ. */
  @Nullable List<String> arguments() {
    Set<List<String>> all =
        leaders().stream()
            .map(pod -> Objects.requireNonNull(container(pod)).getArgs())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    return all.size() == 1 ? all.iterator().next() : null;
  }

  /** What is not as the operator makes it, each with what to do about it. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (pods.isEmpty()) {
      return problems; // servers that are not ours have no command of ours
    }
    commands(problems);
    variables(problems);
    differences(problems);
    return problems;
  }

  private void commands(List<String> problems) {
    List<String> ours = ServerWorkloads.command(backend.getSpec());
    Map<List<String>, List<String>> others = new LinkedHashMap<>();
    for (Pod pod : pods) {
      List<String> command = Objects.requireNonNull(container(pod)).getCommand();
      if (!command.equals(ours)) {
        others.computeIfAbsent(command, c -> new ArrayList<>()).add(name(pod));
      }
    }
    others.forEach(
        (command, names) ->
            problems.add(
                named(names)
                    + (command.isEmpty()
                        ? " has no command, so that its image decides what runs,"
                        : " runs " + String.join(" ", command))
                    + " in place of "
                    + String.join(" ", ours)
                    + ", so that its arguments may not be those of the engine; remove command from"
                    + " spec.podTemplate, and whatever else changes pods"));
  }

  private void variables(List<String> problems) {
    ServerCommand engine = ServerCommand.of(backend.getSpec().engine());
    Map<String, List<String>> found = new TreeMap<>();
    List<String> unseen = new ArrayList<>();
    for (Pod pod : pods) {
      Container container = Objects.requireNonNull(container(pod));
      for (EnvVar variable : container.getEnv()) {
        if (OF_ANY_PROGRAM.contains(variable.getName()) || engine.belies(variable.getName())) {
          found.computeIfAbsent(variable.getName(), v -> new ArrayList<>()).add(name(pod));
        }
      }
      if (!container.getEnvFrom().isEmpty()) {
        unseen.add(name(pod));
      }
    }
    found.forEach(
        (variable, names) ->
            problems.add(
                ("%s has the variable %s, by which the engine may run other than its image and its"
                        + " arguments say; remove it, or make it part of an image of your own")
                    .formatted(named(names), variable)));
    if (!unseen.isEmpty()) {
      problems.add(
          named(unseen)
              + " takes variables by envFrom, whose values are not visible; list each in"
              + " spec.env");
    }
  }

  /** Servers that differ are not one thing that was measured. */
  private void differences(List<String> problems) {
    differ(problems, "images", ServerFacts::imageId);
    differ(
        problems,
        "arguments",
        pod -> String.join(" ", Objects.requireNonNull(container(pod)).getArgs()));
  }

  private void differ(
      List<String> problems, String what, Function<Pod, @Nullable String> property) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (Pod pod : leaders()) {
      String value = property.apply(pod);
      if (value != null) {
        values.computeIfAbsent(value, v -> new ArrayList<>()).add(name(pod));
      }
    }
    if (values.size() > 1) {
      problems.add(
          "the servers have different "
              + what
              + ": "
              + values.values().stream().map(ServerFacts::named).collect(Collectors.joining("; "))
              + "; delete their StatefulSet or LeaderWorkerSet, so that all pods are created again,"
              + " and name"
              + " the image by its digest");
    }
  }

  /** The pods that answer requests. */
  private List<Pod> leaders() {
    Set<String> names =
        Endpoints.of(backend).stream().map(Endpoint::name).collect(Collectors.toSet());
    return pods.stream().filter(pod -> names.contains(name(pod))).toList();
  }

  private @Nullable Gpus gpus(
      Pod pod, Container container, Function<String, Map<String, String>> labels) {
    InferenceBackendSpec.Gpus asked = backend.getSpec().gpus();
    if (asked == null) {
      return null;
    }
    String resource = ServerWorkloads.gpuResource(asked);
    Map<String, Quantity> limits =
        container.getResources() == null || container.getResources().getLimits() == null
            ? Map.of()
            : container.getResources().getLimits();
    Quantity taken = limits.get(resource);
    String node = node(pod);
    GpuLabels found = node == null ? GpuLabels.UNKNOWN : GpuLabels.of(resource, labels.apply(node));
    return new Gpus(
        taken == null ? asked.count() : Integer.valueOf(taken.getNumericalAmount().intValue()),
        // Devices that are claimed are of no resource.
        taken == null ? null : resource,
        found.product() == null ? askedProduct(pod, resource) : found.product(),
        found.memory(),
        found.driver());
  }

  /** A node without that label would not have taken the pod. */
  private static @Nullable String askedProduct(Pod pod, String resource) {
    String label = ServerWorkloads.productLabel(resource);
    Map<String, String> selector = pod.getSpec().getNodeSelector();
    return label == null || selector == null ? null : selector.get(label);
  }

  private static @Nullable String imageId(Pod pod) {
    return PodFacts.imageId(pod, ServerWorkloads.CONTAINER);
  }

  private static @Nullable Container container(Pod pod) {
    return PodFacts.container(pod, ServerWorkloads.CONTAINER);
  }

  private static @Nullable String node(Pod pod) {
    return pod.getSpec().getNodeName();
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }

  private static String named(List<String> pods) {
    String some = String.join(", ", pods.subList(0, Math.min(NAMED, pods.size())));
    return (pods.size() == 1 ? "pod " : "each of the pods ")
        + some
        + (pods.size() > NAMED ? " and " + (pods.size() - NAMED) + " more" : "");
  }
}
