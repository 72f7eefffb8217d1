package dev.loadgen.runner;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.Simulator;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Classes of the runner as Java keeps them after a run, so that the hundreds of runners which tests
 * start take a third less processor time. A first run makes it; runners that start before it is
 * ready do without.
 */
final class StartCache {
  private static final String CLASS_PATH = jars();

  private static final CompletableFuture<Path> CACHE =
      CLASS_PATH.equals(System.getProperty("java.class.path"))
          ? new CompletableFuture<>() // Classes in folders, as in an IDE: Java caches jars alone.
          : CompletableFuture.supplyAsync(StartCache::make, Thread.ofPlatform().daemon()::start);

  private StartCache() {}

  /** That of this JVM, without what only tests need where the runner itself is in a jar. */
  static String classPath() {
    return CLASS_PATH;
  }

  /** Options for a JVM with {@link #classPath()}. */
  static List<String> options() {
    return CACHE.isDone() && !CACHE.isCompletedExceptionally()
        ? List.of("-XX:AOTCache=" + CACHE.join(), "-Xlog:aot=off", "-Xlog:cds=off")
        : List.of();
  }

  private static String jars() {
    String all = System.getProperty("java.class.path");
    if (!Main.class
        .getProtectionDomain()
        .getCodeSource()
        .getLocation()
        .getPath()
        .endsWith(".jar")) {
      return all;
    }
    return Stream.of(all.split(File.pathSeparator, -1))
        .filter(entry -> entry.endsWith(".jar"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Path make() {
    Path cache = Path.of(System.getProperty("repository.root"), "runner/target/runner.aot");
    try (Simulator server = Servers.vllm()) {
      Files.deleteIfExists(cache);
      Path folder = Files.createTempDirectory("start-cache");
      ForkedRunner.prompts(folder, 40);
      Ended run =
          ForkedRunner.run(
              folder,
              new PlanBuilder().offline(64).replica(server.url()),
              List.of("-XX:AOTCacheOutput=" + cache, "-Xlog:aot=off", "-Xlog:cds=off"));
      run.completed();
      try (Stream<Path> made = Files.walk(folder)) {
        for (Path file : made.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
      if (!Files.exists(cache)) {
        throw new IllegalStateException("Java has made no cache: " + run.output());
      }
      return cache;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
