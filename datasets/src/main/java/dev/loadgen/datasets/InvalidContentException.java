package dev.loadgen.datasets;

import java.io.Serial;

/**
 * The content of a dataset file is not what its format or our needs ask for; {@link Dataset#read}
 * adds the file's name. Unchecked, so that it passes through the callbacks of parsers.
 */
final class InvalidContentException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  InvalidContentException(String problem) {
    super(problem);
  }

  InvalidContentException(String problem, Throwable cause) {
    super(problem, cause);
  }
}
