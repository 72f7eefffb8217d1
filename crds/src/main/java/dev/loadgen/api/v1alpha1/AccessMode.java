package dev.loadgen.api.v1alpha1;

/** How a volume can be mounted, as Kubernetes calls it; results have to be written. */
public enum AccessMode {
  /** By pods of one node at a time. */
  ReadWriteOnce,
  /** By pods of many nodes. */
  ReadWriteMany,
  /** By one pod at a time. */
  ReadWriteOncePod
}
