package dev.loadgen.client.transport;

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

  /**
   * Whether there was no connection since this process had no file descriptor ({@code EMFILE},
   * {@code ENFILE}) or no local port ({@code EADDRNOTAVAIL}) left, which is no fault of the server.
   * Java tells them by the C library's words alone.
   */
  public boolean exhausted() {
    for (Throwable cause = getCause(); cause != null; cause = cause.getCause()) {
      String words = cause.getMessage();
      if (words != null
          && (words.contains("Too many open files")
              || words.contains("Cannot assign requested address"))) {
        return true;
      }
    }
    return false;
  }
}
