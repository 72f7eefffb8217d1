package dev.loadgen.rules.log;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A detail log that cannot be read at all; the message names the file and what is wrong. */
public final class UnreadableLogException extends IOException {
  /**
   * With what is wrong.
   *
   * @param cause null if nothing failed, and the file is wrong in itself
   */
  public UnreadableLogException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
