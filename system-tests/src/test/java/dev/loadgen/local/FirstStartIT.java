package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first {@code bin/loadgen} in a fresh clone builds what it needs without tests. Sources are
 * not compiled, which other builds do: that all modules find each other is what differs here.
 */
@Order(1)
class FirstStartIT {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final Set<String> NOT_IN_A_CLONE = Set.of(".git", "target");

  @Test
  void buildsWithoutTests(@TempDir Path clone, @TempDir Path elsewhere)
      throws IOException, InterruptedException {
    copySources(clone);
    Path arguments = clone.resolve(".mvn/maven.config");
    Files.writeString(
        arguments,
        "\n-Dmaven.main.skip=true\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    Path printed = elsewhere.resolve("printed");

    Process process =
        new ProcessBuilder(clone.resolve("bin/loadgen").toString(), "--help")
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    boolean ended = process.waitFor(10, TimeUnit.MINUTES);
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();

    String text = Files.readString(printed);
    assertThat(ended).as(text).isTrue();
    assertThat(text).contains("building (the first time takes a few minutes", "loadgen: built in");
    assertThat(clone.resolve("local/target/test-classes")).doesNotExist();
  }

  private static void copySources(Path clone) throws IOException {
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            if (NOT_IN_A_CLONE.contains(String.valueOf(folder.getFileName()))
                || folder.equals(ROOT.resolve("results"))) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(clone.resolve(ROOT.relativize(folder).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(file, clone.resolve(ROOT.relativize(file).toString()));
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
