package dev.loadgen.local;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A file that a command writes, and never into a results folder, which must stay as it is. */
record OutputFile(Path path) {
  /**
   * A file to be written.
   *
   * @throws IOException if it cannot be
   */
  static OutputFile of(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      throw new FileSystemException(path.toString(), null, "is a folder; name a file");
    }
    Path absolute = path.toAbsolutePath().normalize();
    Path parent = absolute.getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new FileSystemException(path.toString(), null, "there is no folder " + parent);
    }
    return new OutputFile(parent.toRealPath().resolve(absolute.getFileName()));
  }

  /**
   * A file to be written that does not lie in {@code folder}.
   *
   * @throws IOException if it cannot be, or lies there
   */
  static OutputFile outside(Path path, Path folder) throws IOException {
    OutputFile file = of(path);
    if (file.path().startsWith(folder.toRealPath())) {
      throw new FileSystemException(
          path.toString(), null, "lies in the results folder, which is never written to again");
    }
    return file;
  }

  /** The way from this file's folder to another, as a relative URL that ends with a slash. */
  String linkTo(Path folder) throws IOException {
    Path own = path.getParent();
    Path way = own == null ? folder.toRealPath() : own.relativize(folder.toRealPath());
    return StreamSupport.stream(way.spliterator(), false)
        .map(name -> URLEncoder.encode(name.toString(), StandardCharsets.UTF_8).replace("+", "%20"))
        .collect(Collectors.joining("/", "", "/"));
  }

  void write(String content) throws IOException {
    // Not writeString: it throws on halves of characters.
    Files.write(path, content.getBytes(StandardCharsets.UTF_8));
  }

  /** Why a file cannot be written. */
  static String reason(IOException e) {
    return e instanceof FileSystemException of && of.getReason() != null
        ? of.getReason()
        : String.valueOf(e);
  }
}
