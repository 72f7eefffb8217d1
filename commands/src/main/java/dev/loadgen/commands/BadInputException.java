package dev.loadgen.commands;

import java.io.IOException;
import java.io.Serial;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What the user gave cannot be used. The message names it and says why. */
public final class BadInputException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  /** Something that cannot be used, in words. */
  public BadInputException(String message) {
    super(message);
  }

  /** The same, by what it came from. */
  public BadInputException(String message, Throwable cause) {
    super(message, cause);
  }

  /** An option's file that cannot be read or written. */
  public BadInputException(String option, Path file, IOException cause) {
    super(option + " " + file + ": " + reason(cause), cause);
  }

  private static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException none -> "does not exist";
      case AccessDeniedException denied -> "access is denied; check the file's mode and owner";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      case CharacterCodingException other -> "is not UTF-8";
      default -> String.valueOf(e);
    };
  }
}
