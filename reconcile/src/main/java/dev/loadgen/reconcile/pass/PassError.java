package dev.loadgen.reconcile.pass;

import java.util.function.Supplier;

/**
 * An error in a pass, as the exception that the SDK knows how to repeat: after an {@link Error} it
 * would take the object for being looked at for ever.
 */
public final class PassError extends RuntimeException {
  private static final long serialVersionUID = 1;

  private PassError(Error cause) {
    super(cause);
  }

  /** What a pass returns, or throws, errors included as exceptions. */
  public static <T> T guarded(Supplier<T> pass) {
    try {
      return pass.get();
    } catch (Error e) {
      throw new PassError(e);
    }
  }
}
