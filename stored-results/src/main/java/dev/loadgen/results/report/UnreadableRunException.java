package dev.loadgen.results.report;

/** A results folder cannot be used. The message names the file and says what to do. */
public final class UnreadableRunException extends Exception {
  private static final long serialVersionUID = 1L;

  UnreadableRunException(String message) {
    super(message);
  }

  UnreadableRunException(String message, Throwable cause) {
    super(message, cause);
  }
}
