package dev.loadgen.reconcile.pass;

/**
 * Kubernetes refuses every status that an object could have, so the refusal cannot be reported
 * there.
 */
public final class StatusRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Refused with these words. */
  public StatusRefusedException(String words) {
    super("the status cannot be written: " + words);
  }
}
