package dev.loadgen.desired;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.PropertyBindingException;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The pod template that a user gives in part: merged over ours, as far as it may be. */
public final class PodTemplates {
  private static final String FIELD = "spec.podTemplate";

  private static final ObjectMapper JSON = new JsonMapper();

  /** Knows what a pod template consists of, and refuses all else. */
  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .annotationIntrospector(new WithoutAnySetters())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_IGNORED_PROPERTIES)
          .build();

  /** The Kubernetes model keeps fields that it does not know; here they are mistakes. */
  private static final class WithoutAnySetters extends JacksonAnnotationIntrospector {
    @Override
    public @Nullable Boolean hasAnySetter(Annotated member) {
      return null;
    }
  }

  private PodTemplates() {}

  /** Finds what the operator relies on and a template has changed, by whatever way. */
  interface Check {
    /**
     * Adds what is wrong.
     *
     * @param ours as the operator makes it
     * @param theirs the same with a user's merged over it
     */
    void apply(Problems problems, PodTemplateSpec ours, PodTemplateSpec theirs);
  }

  /**
   * What is wrong with a backend's pod template; empty if nothing, or if there is none.
   *
   * @param backend without other problems
   */
  public static List<String> problems(InferenceBackend backend) {
    ObjectNode patch = backend.getSpec().podTemplate();
    return patch == null
        ? List.of()
        // What the defaults give is nothing that a template may not change.
        : problems(
            FIELD,
            ServerWorkloads.template(backend, PodDefaults.BUILT_IN),
            patch,
            PodTemplates::changed);
  }

  /**
   * What is wrong with a pod template; empty if nothing.
   *
   * @param field where it stands
   * @param ours what it is merged over
   */
  static List<String> problems(
      String field, PodTemplateSpec ours, ObjectNode patch, Check changes) {
    List<String> directives = StrategicMerge.problems(field, patch);
    if (!directives.isEmpty()) {
      return directives;
    }
    try {
      STRICT.treeToValue(StrategicMerge.withoutDirectives(patch), PodTemplateSpec.class);
      PodTemplateSpec theirs = parsed(ours, patch);
      if (theirs.getMetadata() == null || theirs.getSpec() == null) {
        return List.of(field + ": metadata and spec cannot be removed");
      }
      Problems problems = new Problems();
      // Ours as it is read again, so that what is equal compares as equal.
      changes.apply(problems, parsed(ours, JSON.createObjectNode()), theirs);
      return problems.all();
    } catch (PropertyBindingException e) {
      return List.of(field + path(e) + ": is not a field of a pod template");
    } catch (JsonProcessingException e) {
      String path = e instanceof JsonMappingException mapping ? path(mapping) : "";
      return List.of(field + path + ": has a value that a pod template cannot have there");
    }
  }

  /**
   * What a backend's pod template asks for that {@code level} does not allow; empty if nothing, or
   * if there is no template.
   *
   * @param backend without {@link #problems}
   */
  public static List<String> excesses(
      InferenceBackend backend, PodTemplateLevel level, PodDefaults defaults) {
    ObjectNode patch = backend.getSpec().podTemplate();
    return patch == null || level == PodTemplateLevel.Any
        ? List.of()
        : RestrictedPods.problems(
            FIELD, merged(ServerWorkloads.template(backend, defaults), patch));
  }

  /** Our template with a user's merged over it; {@code patch} has no problems. */
  static PodTemplateSpec merged(PodTemplateSpec ours, @Nullable ObjectNode patch) {
    if (patch == null) {
      return ours;
    }
    try {
      return parsed(ours, patch);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the pod template has problems", e);
    }
  }

  private static PodTemplateSpec parsed(PodTemplateSpec ours, ObjectNode patch)
      throws JsonProcessingException {
    ObjectNode tree = JSON.valueToTree(ours);
    return JSON.treeToValue(StrategicMerge.merged(tree, patch), PodTemplateSpec.class);
  }

  /** What the operator relies on must be there still. */
  private static void changed(Problems problems, PodTemplateSpec ours, PodTemplateSpec theirs) {
    metadata(problems, FIELD, "StatefulSet", ours, theirs);
    PodSpec pod = theirs.getSpec();
    problems.check(
        pod.getRestartPolicy() != null && !pod.getRestartPolicy().equals("Always"),
        FIELD + ".spec.restartPolicy: servers are always restarted; remove it");
    problems.check(
        pod.getActiveDeadlineSeconds() != null,
        FIELD + ".spec.activeDeadlineSeconds: servers run until they are deleted; remove it");
    problems.check(
        pod.getHostname() != null || pod.getSubdomain() != null,
        FIELD + ".spec: each server has its own host name; remove hostname and subdomain");
    ephemeralContainers(problems, FIELD, pod);
    Container server = container(theirs, ServerWorkloads.CONTAINER);
    if (server == null) {
      problems.check(
          true,
          FIELD + ".spec.containers: the container server cannot be removed; it runs the engine");
    } else {
      container(
          problems, Objects.requireNonNull(container(ours, ServerWorkloads.CONTAINER)), server);
    }
  }

  /**
   * Labels, annotations and names that are the operator's.
   *
   * @param maker the kind that names the pods
   */
  static void metadata(
      Problems problems, String field, String maker, PodTemplateSpec ours, PodTemplateSpec theirs) {
    for (Map.Entry<String, String> label : ours.getMetadata().getLabels().entrySet()) {
      problems.check(
          !Disruptions.LABELS.containsKey(label.getKey())
              && !label.getValue().equals(theirs.getMetadata().getLabels().get(label.getKey())),
          field
              + ".metadata.labels: "
              + label.getKey()
              + " is reserved: the operator finds its pods by it; remove it");
    }
    problems.check(
        theirs.getMetadata().getAnnotations().containsKey(Desired.STAMP),
        field + ".metadata.annotations: " + Desired.STAMP + " is the operator's; remove it");
    problems.check(
        theirs.getMetadata().getName() != null || theirs.getMetadata().getNamespace() != null,
        field + ".metadata: pods are named by their " + maker + "; remove name and namespace");
  }

  static void ephemeralContainers(Problems problems, String field, PodSpec pod) {
    problems.check(
        !pod.getEphemeralContainers().isEmpty(),
        field + ".spec.ephemeralContainers: are of running pods alone; remove them");
  }

  private static void container(Problems problems, Container ours, Container theirs) {
    String field = FIELD + ".spec.containers: server: ";
    problems.check(
        !Objects.equals(ours.getImage(), theirs.getImage()), field + "image is set by spec.image");
    problems.check(
        !Objects.equals(ours.getArgs(), theirs.getArgs()),
        field + "args are made of the spec; spec.args adds to them");
    problems.check(
        theirs.getPorts().stream()
            .noneMatch(
                port ->
                    "http".equals(port.getName())
                        && Objects.equals(
                            port.getContainerPort(),
                            ours.getPorts().getFirst().getContainerPort())),
        field + "the port http is set by spec.port");
  }

  /** A container of a template; null: it has none of that name. */
  static @Nullable Container container(PodTemplateSpec template, String name) {
    return template.getSpec().getContainers().stream()
        .filter(container -> name.equals(container.getName()))
        .findFirst()
        .orElse(null);
  }

  private static String path(JsonMappingException e) {
    return e.getPath().stream()
        .map(
            step ->
                step.getFieldName() == null
                    ? "[" + step.getIndex() + "]"
                    : "." + step.getFieldName())
        .collect(Collectors.joining());
  }
}
