package dev.loadgen.commands;

import dev.loadgen.results.ResultsFolder;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * A file that a command writes, and never into a results folder, which must stay as it is.
 *
 * @param option names the file on the command line
 * @param given as the user gave it
 * @param path the same without links and relative parts
 */
record OutputFile(String option, Path given, Path path) {
  /**
   * A file to be written.
   *
   * @throws BadInputException if it cannot be
   */
  static OutputFile of(String option, Path given) throws BadInputException {
    if (Files.isDirectory(given)) {
      throw new BadInputException(option + " " + given + ": is a folder; name a file");
    }
    Path absolute = given.toAbsolutePath().normalize();
    Path parent = absolute.getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new BadInputException(option + " " + given + ": there is no folder " + parent);
    }
    try {
      return new OutputFile(option, given, parent.toRealPath().resolve(absolute.getFileName()));
    } catch (IOException e) {
      throw new BadInputException(option, given, e);
    }
  }

  /** This file, if it does not lie in {@code folder}, or that is no results folder. */
  OutputFile outside(Path folder) throws BadInputException {
    try {
      if (Files.exists(folder.resolve(ResultsFolder.MANIFEST))
          && path.startsWith(folder.toRealPath())) {
        throw new BadInputException(
            option + " " + given + ": lies in the results folder, which is never written to again");
      }
      return this;
    } catch (IOException e) {
      throw new BadInputException(option, given, e);
    }
  }

  /** The way from this file's folder to another, as a relative URL that ends with a slash. */
  String linkTo(Path folder) throws IOException {
    Path own = path.getParent();
    Path way = own == null ? folder.toRealPath() : own.relativize(folder.toRealPath());
    return StreamSupport.stream(way.spliterator(), false)
        .map(name -> URLEncoder.encode(name.toString(), StandardCharsets.UTF_8).replace("+", "%20"))
        .collect(Collectors.joining("/", "", "/"));
  }

  void write(String content) throws BadInputException {
    try {
      // Not writeString: it throws on halves of characters.
      Files.write(path, content.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new BadInputException(option, given, e);
    }
  }
}
