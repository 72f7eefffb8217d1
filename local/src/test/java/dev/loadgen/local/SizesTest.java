package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Modules and classes stay small enough to be known as a whole. */
class SizesTest {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));

  private static final int MODULE = 13_000;
  private static final int CLASS = 600;

  /** One thing, and long by what Kubernetes has. */
  private static final String LONG_FOR_A_REASON = "ApiServer.java";

  /** The folders of the modules' main sources. */
  private static List<Path> modules() throws IOException {
    try (Stream<Path> folders = Files.list(ROOT)) {
      return folders
          .map(folder -> folder.resolve("src/main/java"))
          .filter(Files::isDirectory)
          .toList();
    }
  }

  /** Lines of each source below a folder, by the name of its file. */
  private static Map<Path, Integer> lines(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      Map<Path, Integer> lines = new TreeMap<>();
      files
          .filter(file -> file.toString().endsWith(".java"))
          .forEach(file -> lines.put(file, count(file)));
      return lines;
    }
  }

  private static int count(Path file) {
    try {
      return Files.readAllLines(file).size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void noModuleIsTooLarge() throws IOException {
    assertThat(modules()).isNotEmpty();
    for (Path module : modules()) {
      assertThat(lines(module).values().stream().mapToInt(Integer::intValue).sum())
          .as("lines of %s", ROOT.relativize(module))
          .isPositive()
          .isLessThanOrEqualTo(MODULE);
    }
  }

  @Test
  void noClassIsTooLong() throws IOException {
    Map<String, Integer> tooLong = new TreeMap<>();
    for (Path module : modules()) {
      lines(module)
          .forEach(
              (file, lines) -> {
                String name = String.valueOf(file.getFileName());
                if (lines > CLASS && !name.equals(LONG_FOR_A_REASON)) {
                  tooLong.put(name, lines);
                }
              });
    }

    assertThat(tooLong).as("split them").isEmpty();
  }
}
