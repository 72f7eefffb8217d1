package dev.loadgen.commands;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A dataset that a command reads. The dataset's own messages speak of a run's fields, which a
 * command line does not have.
 *
 * @param words what the user wrote
 */
public record InputFile(String words, Path path) {
  /** An argument without a name. */
  public static InputFile argument(Path path) {
    return new InputFile(path.toString(), path);
  }

  /** The value of an option. */
  public static InputFile option(String option, Path path) {
    return new InputFile(option + " " + path, path);
  }

  /**
   * The path of a file that is there.
   *
   * @throws BadInputException if it is not, or is a folder
   */
  public Path existing() throws BadInputException {
    if (!Files.exists(path)) {
      throw new BadInputException(words + ": does not exist");
    }
    if (Files.isDirectory(path)) {
      throw new BadInputException(words + ": is a folder; name a file in it");
    }
    return path;
  }
}
