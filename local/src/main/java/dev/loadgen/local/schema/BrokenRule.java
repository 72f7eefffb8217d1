package dev.loadgen.local.schema;

/**
 * A rule of a schema in CEL that an object breaks.
 *
 * @param path the field that has the rule, such as {@code spec.dataset}; empty: the whole object
 */
public record BrokenRule(String path, String message) {
  /** The problem as Kubernetes' API server says it. */
  @Override
  public String toString() {
    return (path.isEmpty() ? "<nil>" : path) + ": Invalid value: " + message;
  }
}
