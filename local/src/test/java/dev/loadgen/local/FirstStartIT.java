package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first {@code bin/loadgen} in a fresh clone: it builds what it needs, and no tests. */
@Order(1)
class FirstStartIT {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final Set<String> NOT_IN_A_CLONE = Set.of(".git", "target", "results");

  @Test
  void buildsAndStarts(@TempDir Path clone, @TempDir Path elsewhere)
      throws IOException, InterruptedException {
    copySources(clone);
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
    assertThat(process.exitValue()).as(text).isZero();
    assertThat(text).contains("building (the first time takes a few minutes", "Usage: loadgen");
    assertThat(clone.resolve("local/target/test-classes")).doesNotExist();
  }

  private static void copySources(Path clone) throws IOException {
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            if (NOT_IN_A_CLONE.contains(String.valueOf(folder.getFileName()))) {
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
