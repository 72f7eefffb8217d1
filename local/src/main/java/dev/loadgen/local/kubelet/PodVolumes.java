package dev.loadgen.local.kubelet;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of a pod as folders of this machine: ConfigMaps and Secrets as files, alone or
 * projected into one folder, emptyDir below the pod's folder, claims as the folder of their
 * hostPath volume or of {@link ClaimFolders}.
 */
final class PodVolumes {
  private final KubernetesClient client;
  private final ClaimFolders claims;

  PodVolumes(KubernetesClient client, ClaimFolders claims) {
    this.client = client;
    this.claims = claims;
  }

  /**
   * Makes all volumes of a pod.
   *
   * @return folder by volume name
   * @throws ContainerConfigException if one cannot be made now
   */
  Map<String, Path> make(Pod pod, Path podFolder) throws ContainerConfigException {
    Map<String, Path> folders = new HashMap<>();
    for (Volume volume : pod.getSpec().getVolumes()) {
      try {
        folders.put(volume.getName(), folder(pod, volume, podFolder));
      } catch (IOException e) {
        throw new ContainerConfigException(
            "volume \"" + volume.getName() + "\" cannot be made: " + e, e);
      }
    }
    return folders;
  }

  /**
   * Where a container sees the volumes.
   *
   * @param variables of the container, which {@code subPathExpr} may name
   */
  static List<PathMap.Mount> mounts(
      Container container, Map<String, Path> folders, Map<String, String> variables)
      throws ContainerConfigException {
    List<PathMap.Mount> mounts = new ArrayList<>();
    for (VolumeMount mount : container.getVolumeMounts()) {
      Path folder = folders.get(mount.getName());
      if (folder == null) {
        throw new ContainerConfigException(
            "container \"%s\" mounts volume \"%s\", which the pod does not have"
                .formatted(container.getName(), mount.getName()));
      }
      mounts.add(new PathMap.Mount(mount.getMountPath(), part(folder, mount, variables)));
    }
    return mounts;
  }

  private static Path part(Path folder, VolumeMount mount, Map<String, String> variables)
      throws ContainerConfigException {
    if (mount.getSubPathExpr() == null) {
      return mount.getSubPath() == null ? folder : inside(folder, mount.getSubPath());
    }
    String name = Variables.expand(mount.getSubPathExpr(), variables);
    if (name.contains("$(")) {
      throw new ContainerConfigException(
          "subPathExpr \"" + name + "\" names a variable that the container does not have");
    }
    Path part = inside(folder, name);
    try {
      return Files.createDirectories(part);
    } catch (IOException e) {
      throw new ContainerConfigException("subPathExpr \"" + name + "\" cannot be made: " + e, e);
    }
  }

  private Path folder(Pod pod, Volume volume, Path podFolder)
      throws IOException, ContainerConfigException {
    Path own = podFolder.resolve("volumes").resolve(volume.getName());
    String namespace = pod.getMetadata().getNamespace();
    if (volume.getConfigMap() != null) {
      var source = volume.getConfigMap();
      Map<String, byte[]> files =
          configMap(namespace, source.getName(), Boolean.TRUE.equals(source.getOptional()));
      return write(own, files, source.getItems(), "ConfigMap \"" + source.getName() + "\"");
    }
    if (volume.getSecret() != null) {
      var source = volume.getSecret();
      Map<String, byte[]> files =
          secret(namespace, source.getSecretName(), Boolean.TRUE.equals(source.getOptional()));
      return write(own, files, source.getItems(), "Secret \"" + source.getSecretName() + "\"");
    }
    if (volume.getProjected() != null) {
      for (VolumeProjection source : volume.getProjected().getSources()) {
        project(namespace, volume.getName(), source, own);
      }
      return Files.createDirectories(own);
    }
    if (volume.getEmptyDir() != null) {
      return Files.createDirectories(own);
    }
    if (volume.getHostPath() != null) {
      return Path.of(volume.getHostPath().getPath());
    }
    if (volume.getPersistentVolumeClaim() != null) {
      return claim(pod, volume);
    }
    throw new ContainerConfigException(
        "volume \""
            + volume.getName()
            + "\" is of a type that is not supported here; supported are configMap, secret,"
            + " projected,"
            + " emptyDir, hostPath and persistentVolumeClaim");
  }

  private void project(String namespace, String volume, VolumeProjection source, Path folder)
      throws IOException, ContainerConfigException {
    if (source.getConfigMap() != null) {
      var from = source.getConfigMap();
      Map<String, byte[]> files =
          configMap(namespace, from.getName(), Boolean.TRUE.equals(from.getOptional()));
      write(folder, files, from.getItems(), "ConfigMap \"" + from.getName() + "\"");
    } else if (source.getSecret() != null) {
      var from = source.getSecret();
      Map<String, byte[]> files =
          secret(namespace, from.getName(), Boolean.TRUE.equals(from.getOptional()));
      write(folder, files, from.getItems(), "Secret \"" + from.getName() + "\"");
    } else {
      throw new ContainerConfigException(
          "volume \""
              + volume
              + "\" projects a source that is not supported here; supported are configMap and"
              + " secret");
    }
  }

  private Path claim(Pod pod, Volume volume) throws IOException, ContainerConfigException {
    String name = volume.getPersistentVolumeClaim().getClaimName();
    PersistentVolumeClaim claim =
        client
            .persistentVolumeClaims()
            .inNamespace(pod.getMetadata().getNamespace())
            .withName(name)
            .get();
    if (claim == null) {
      throw new ContainerConfigException("persistentvolumeclaim \"" + name + "\" not found");
    }
    if (claim.getStatus() == null || !"Bound".equals(claim.getStatus().getPhase())) {
      throw new ContainerConfigException(
          "persistentvolumeclaim \"" + name + "\" is not bound to a volume yet");
    }
    String volumeName = claim.getSpec().getVolumeName();
    if (volumeName == null) {
      return Files.createDirectories(claims.folder(pod, volume));
    }
    PersistentVolume bound = client.persistentVolumes().withName(volumeName).get();
    if (bound == null || bound.getSpec().getHostPath() == null) {
      throw new ContainerConfigException(
          "persistentvolumeclaim \"%s\" is bound to volume \"%s\", which has no hostPath; on this machine a volume is a folder"
              .formatted(name, volumeName));
    }
    Path folder = Path.of(bound.getSpec().getHostPath().getPath());
    if (!Files.isDirectory(folder)) {
      throw new ContainerConfigException(
          "hostPath of persistentvolume \"" + volumeName + "\" is not a folder: " + folder);
    }
    return folder;
  }

  Map<String, byte[]> configMap(String namespace, String name, boolean optional)
      throws ContainerConfigException {
    ConfigMap map = client.configMaps().inNamespace(namespace).withName(name).get();
    if (map == null && !optional) {
      throw new ContainerConfigException("configmap \"" + name + "\" not found");
    }
    Map<String, byte[]> files = new HashMap<>();
    if (map != null) {
      orEmpty(map.getData())
          .forEach((key, text) -> files.put(key, text.getBytes(StandardCharsets.UTF_8)));
      orEmpty(map.getBinaryData())
          .forEach((key, text) -> files.put(key, Base64.getMimeDecoder().decode(text)));
    }
    return files;
  }

  Map<String, byte[]> secret(String namespace, String name, boolean optional)
      throws ContainerConfigException {
    Secret secret = client.secrets().inNamespace(namespace).withName(name).get();
    if (secret == null && !optional) {
      throw new ContainerConfigException("secret \"" + name + "\" not found");
    }
    Map<String, byte[]> files = new HashMap<>();
    if (secret != null) {
      orEmpty(secret.getData())
          .forEach((key, text) -> files.put(key, Base64.getMimeDecoder().decode(text)));
      // stringData is write-only on a real API server; the embedded one keeps it as written.
      orEmpty(secret.getStringData())
          .forEach((key, text) -> files.put(key, text.getBytes(StandardCharsets.UTF_8)));
    }
    return files;
  }

  private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
    return map == null ? Map.of() : map;
  }

  private static Path write(
      Path folder, Map<String, byte[]> files, List<KeyToPath> items, String source)
      throws IOException, ContainerConfigException {
    Files.createDirectories(folder);
    Map<String, byte[]> chosen = files;
    if (!items.isEmpty()) {
      chosen = new HashMap<>();
      for (KeyToPath item : items) {
        byte[] content = files.get(item.getKey());
        if (content == null) {
          throw new ContainerConfigException(source + " has no key \"" + item.getKey() + "\"");
        }
        chosen.put(item.getPath(), content);
      }
    }
    for (Map.Entry<String, byte[]> file : chosen.entrySet()) {
      Path path = inside(folder, file.getKey());
      if (path.getParent() != null) {
        Files.createDirectories(path.getParent());
      }
      Files.write(path, file.getValue());
    }
    return folder;
  }

  private static Path inside(Path folder, String relative) throws ContainerConfigException {
    Path path = folder.resolve(relative).normalize();
    if (!path.startsWith(folder)) {
      throw new ContainerConfigException("path \"" + relative + "\" leads out of its volume");
    }
    return path;
  }
}
