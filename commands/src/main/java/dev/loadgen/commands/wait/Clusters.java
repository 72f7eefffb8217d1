package dev.loadgen.commands.wait;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the cluster that a command line means. */
@FunctionalInterface
public interface Clusters {
  /**
   * Opens it; nothing is asked of it yet.
   *
   * @param namespace of the runs; null: that of the context or the service account
   * @param context of a kubeconfig; null: its current one
   * @param kubeconfig null: the usual one, or the service account of the pod
   * @throws NoClusterException naming what is missing or cannot be used
   */
  RunReader open(@Nullable String namespace, @Nullable String context, @Nullable Path kubeconfig)
      throws NoClusterException;
}
