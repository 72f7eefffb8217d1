package dev.loadgen.local.kubelet;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.nio.file.Path;

/** Which folder of this machine a claim without a hostPath volume is. */
@FunctionalInterface
public interface ClaimFolders {
  /**
   * The folder of a volume with {@code persistentVolumeClaim}; created by the caller if need be.
   */
  Path folder(Pod pod, Volume volume);
}
