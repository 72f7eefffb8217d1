package dev.loadgen.datasets;

import java.io.Serial;
import java.nio.file.Path;

/**
 * A dataset cannot be used. The message is for the user: it names the file, where it applies the
 * row and the column (rows count from 0), and what to do about it.
 */
public final class DatasetException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  DatasetException(Path file, String problem) {
    super(file + ": " + problem);
  }

  DatasetException(Path file, String problem, Throwable cause) {
    super(file + ": " + problem, cause);
  }
}
