package dev.loadgen.mlperf;

/** The LoadGen that was asked for is not here. The message says what is, and what to do. */
public final class LoadGenUnavailableException extends Exception {
  private static final long serialVersionUID = 1;

  LoadGenUnavailableException(String message) {
    super(message);
  }

  LoadGenUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
