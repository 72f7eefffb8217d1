package dev.loadgen.runner.transport;

import org.jspecify.annotations.Nullable;

/**
 * An exchange that broke; the message says what happened in the words of a person who reads a
 * report.
 */
public final class TransportException extends Exception {
  /** Where an exchange broke. */
  public enum Kind {
    /** No connection: refused, unknown host, or timed out. */
    CONNECT,
    /** The connection broke before the response was complete. */
    BROKEN,
    /** Cancelled by us. */
    CANCELLED
  }

  private static final long serialVersionUID = 1;

  private final Kind kind;

  /** An exchange that broke as {@code kind} says. */
  public TransportException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Where it broke. */
  public Kind kind() {
    return kind;
  }
}
