package dev.loadgen.mlflow;

import org.jspecify.annotations.Nullable;

/** Why a run is not, or not wholly, in MLflow; the message names the thing and the cure. */
public final class ExportException extends Exception {
  private static final long serialVersionUID = 1;

  private final @Nullable String url;

  ExportException(String message) {
    this(message, null, null);
  }

  ExportException(String message, @Nullable Throwable cause) {
    this(message, cause, null);
  }

  private ExportException(String message, @Nullable Throwable cause, @Nullable String url) {
    super(message, cause);
    this.url = url;
  }

  /** This problem of an export that had come to a run. */
  ExportException of(String runUrl) {
    return new ExportException(String.valueOf(getMessage()), this, runUrl);
  }

  /** Page of the run as far as it was exported; null if there is none. */
  public @Nullable String url() {
    return url;
  }
}
