package dev.loadgen.desired;

/** What the pod templates of users may ask for. */
public enum PodTemplateLevel {
  /**
   * What Pod Security {@code restricted} admits, and no rights of others: {@link RestrictedPods}.
   */
  Restricted,
  /** Everything that the namespace's own Pod Security admits. */
  Any
}
