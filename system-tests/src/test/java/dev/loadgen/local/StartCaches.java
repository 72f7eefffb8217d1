package dev.loadgen.local;

import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.local.kubelet.LocalImages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Java's caches of a start of the runner and of the simulator, which halve its processor time.
 * Tests start hundreds of both: by the options that the build gives them they use the caches where
 * they are, and do without until then.
 */
final class StartCaches {
  private static final Path FOLDER =
      Path.of(System.getProperty("repository.root"), "local", "target");
  private static final List<String> PROGRAMS = List.of("runner", "simulator");

  private static boolean begun;

  private StartCaches() {}

  /** Makes them beside the tests, once, unless they are there. */
  static synchronized void begin() {
    if (!begun) {
      begun = true;
      if (!current()) {
        Thread.ofPlatform().daemon().start(StartCaches::make);
      }
    }
  }

  private static boolean current() {
    try (Stream<Path> own = Files.list(FOLDER);
        Stream<Path> others = Files.list(FOLDER.resolve("lib"))) {
      long newest =
          Stream.concat(own, others)
              .filter(file -> file.toString().endsWith(".jar"))
              .mapToLong(jar -> jar.toFile().lastModified())
              .max()
              .orElse(Long.MAX_VALUE);
      return PROGRAMS.stream()
          .allMatch(program -> cache(FOLDER, program).toFile().lastModified() > newest);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path cache(Path folder, String program) {
    return folder.resolve(program + ".aot");
  }

  private static void make() {
    try {
      Path folder = Files.createTempDirectory("start-caches");
      LocalImages learning =
          LocalImages.own(
              System.getenv(LocalImages.JAVA_OPTIONS)
                  .replaceAll(
                      "-XX:AOTCache=\\S+", "-XX:AOTCacheOutput=" + folder + "/{program}.aot"));
      try (TestSystem system = TestSystem.start(folder, learning)) {
        system.backend("llm");
        system.run("r", "llm", "");
        if (system.awaitEnd("r").getStatus().phase() != Phase.Completed) {
          throw new IllegalStateException("the run has not ended well: " + system.get("r"));
        }
        // A cache is written when its program ends.
        system.stopPods(Duration.ofMinutes(2));
      }
      for (String program : PROGRAMS) {
        Path made = cache(FOLDER, program);
        Path beside = made.resolveSibling(made.getFileName() + ".part");
        Files.copy(cache(folder, program), beside, StandardCopyOption.REPLACE_EXISTING);
        Files.move(beside, made, StandardCopyOption.ATOMIC_MOVE);
      }
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
