package dev.loadgen.rules;

import java.io.IOException;

/** A detail log that cannot be read at all; the message names the file and what is wrong. */
public final class UnreadableLogException extends IOException {
  UnreadableLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
