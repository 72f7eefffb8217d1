package dev.loadgen.local.kubelet;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The environment variables of a container, all references resolved. */
final class PodEnvironment {
  private static final Pattern KEYED_FIELD =
      Pattern.compile("metadata\\.(labels|annotations)\\['([^']+)'\\]");

  private final PodVolumes sources;

  PodEnvironment(PodVolumes sources) {
    this.sources = sources;
  }

  /** The variables in the order of the spec; later ones may refer to earlier ones. */
  Map<String, String> of(Pod pod, Container container, String podAddress)
      throws ContainerConfigException {
    Map<String, String> variables = new LinkedHashMap<>();
    for (EnvFromSource source : container.getEnvFrom()) {
      addAll(pod, source, variables);
    }
    for (EnvVar variable : container.getEnv()) {
      Optional<String> value =
          variable.getValueFrom() == null
              ? Optional.of(Optional.ofNullable(variable.getValue()).orElse(""))
              : referred(pod, variable.getName(), variable.getValueFrom(), podAddress);
      if (value.isPresent()) {
        variables.put(variable.getName(), Variables.expand(value.get(), variables));
      }
    }
    return variables;
  }

  private void addAll(Pod pod, EnvFromSource source, Map<String, String> variables)
      throws ContainerConfigException {
    String namespace = pod.getMetadata().getNamespace();
    Map<String, byte[]> values = Map.of();
    if (source.getConfigMapRef() != null) {
      values =
          sources.configMap(
              namespace,
              source.getConfigMapRef().getName(),
              Boolean.TRUE.equals(source.getConfigMapRef().getOptional()));
    } else if (source.getSecretRef() != null) {
      values =
          sources.secret(
              namespace,
              source.getSecretRef().getName(),
              Boolean.TRUE.equals(source.getSecretRef().getOptional()));
    }
    String prefix = Optional.ofNullable(source.getPrefix()).orElse("");
    values.forEach((key, value) -> variables.put(prefix + key, text(value)));
  }

  private Optional<String> referred(
      Pod pod, String variable, EnvVarSource source, String podAddress)
      throws ContainerConfigException {
    String namespace = pod.getMetadata().getNamespace();
    if (source.getFieldRef() != null) {
      return Optional.of(field(pod, variable, source.getFieldRef().getFieldPath(), podAddress));
    }
    if (source.getSecretKeyRef() != null) {
      var reference = source.getSecretKeyRef();
      boolean optional = Boolean.TRUE.equals(reference.getOptional());
      return key(
          sources.secret(namespace, reference.getName(), optional),
          "secret \"" + reference.getName() + "\"",
          reference.getKey(),
          optional);
    }
    if (source.getConfigMapKeyRef() != null) {
      var reference = source.getConfigMapKeyRef();
      boolean optional = Boolean.TRUE.equals(reference.getOptional());
      return key(
          sources.configMap(namespace, reference.getName(), optional),
          "configmap \"" + reference.getName() + "\"",
          reference.getKey(),
          optional);
    }
    throw new ContainerConfigException(
        "env " + variable + ": this kind of valueFrom is not supported here");
  }

  private static Optional<String> key(
      Map<String, byte[]> values, String source, String key, boolean optional)
      throws ContainerConfigException {
    byte[] value = values.get(key);
    if (value == null && !optional) {
      throw new ContainerConfigException("couldn't find key " + key + " in " + source);
    }
    return Optional.ofNullable(value).map(PodEnvironment::text);
  }

  private static String field(Pod pod, String variable, String path, String podAddress)
      throws ContainerConfigException {
    Matcher keyed = KEYED_FIELD.matcher(path);
    if (keyed.matches()) {
      Map<String, String> map =
          keyed.group(1).equals("labels")
              ? pod.getMetadata().getLabels()
              : pod.getMetadata().getAnnotations();
      return Optional.ofNullable(map).map(found -> found.get(keyed.group(2))).orElse("");
    }
    return switch (path) {
      case "metadata.name" -> pod.getMetadata().getName();
      case "metadata.namespace" -> pod.getMetadata().getNamespace();
      case "metadata.uid" -> pod.getMetadata().getUid();
      case "spec.nodeName" -> pod.getSpec().getNodeName();
      case "spec.serviceAccountName" ->
          Optional.ofNullable(pod.getSpec().getServiceAccountName()).orElse("default");
      case "status.podIP", "status.podIPs" -> podAddress;
      case "status.hostIP", "status.hostIPs" -> "127.0.0.1";
      default ->
          throw new ContainerConfigException(
              "env " + variable + ": field " + path + " cannot be referred to");
    };
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
