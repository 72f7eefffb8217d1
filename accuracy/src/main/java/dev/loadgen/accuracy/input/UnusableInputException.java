package dev.loadgen.accuracy.input;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** An input that cannot be scored. The message names the file or column, and the cure. */
public final class UnusableInputException extends Exception {
  /** With a message for the user. */
  public UnusableInputException(String message) {
    this(message, null);
  }

  /** With a message for the user, and what made it so. */
  public UnusableInputException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** A file that is not the JSON that it should be. */
  public static UnusableInputException noJson(Path file, String what, JsonProcessingException e) {
    JsonLocation location = e.getLocation();
    return new UnusableInputException(
        "%s is not a valid %s: %s%s"
            .formatted(
                file,
                what,
                location == null ? "" : "line " + location.getLineNr() + ": ",
                words(e)),
        e);
  }

  private static String words(JsonProcessingException e) {
    return e instanceof JsonEOFException
        ? "it ends in the middle of a value"
        // the parser says where a bracket was opened by its own object, and which method set a
        // bound
        : String.valueOf(e.getOriginalMessage())
            .replaceAll(", from `[^`]*`", "")
            .replaceAll(" \\(for (\\w+) starting at \\[.*", "");
  }
}
