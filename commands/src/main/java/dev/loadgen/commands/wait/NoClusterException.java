package dev.loadgen.commands.wait;

import java.io.Serial;

/** There is no cluster to ask. The message says why, and what to do. */
public final class NoClusterException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  /** With a message for the user. */
  public NoClusterException(String message) {
    super(message);
  }

  /** With a message for the user, and what it was made of. */
  public NoClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
