package dev.loadgen.local.kubelet;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A container at work: a process in a session of its own, and all that it starts. When the process
 * ends, so does the rest, as in a container.
 */
final class ContainerProcess {
  private static final String TAG = "LOADGEN_CONTAINER";
  private static final Duration REST_PATIENCE = Duration.ofSeconds(2);

  private final Process process;
  private final String tag;
  private final CompletableFuture<Integer> exit;

  private ContainerProcess(Process process, String tag) {
    this.process = process;
    this.tag = tag;
    this.exit = new CompletableFuture<>();
    Thread.ofVirtual().name("container-exit").start(this::awaitExit);
  }

  /**
   * Starts a process.
   *
   * @param environment besides that of this JVM; an empty value removes nothing
   * @param log receives standard output and error, appended
   */
  static ContainerProcess start(
      List<String> words, Map<String, String> environment, Path folder, Path log)
      throws IOException {
    List<String> all = new ArrayList<>(Guardian.ownSession());
    all.addAll(words);
    String tag = UUID.randomUUID().toString();
    ProcessBuilder builder =
        new ProcessBuilder(all)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    builder.environment().put(TAG, tag);
    return new ContainerProcess(builder.start(), tag);
  }

  private void awaitExit() {
    try {
      int code = process.waitFor();
      TaggedProcesses.end(TAG, tag, REST_PATIENCE);
      exit.complete(code);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      exit.completeExceptionally(e);
    } catch (RuntimeException e) {
      exit.completeExceptionally(e);
    }
  }

  /**
   * Completes with the exit status when the process and all it started have ended; a signal n is
   * 128 + n.
   */
  CompletableFuture<Integer> exit() {
    return exit;
  }

  /** SIGTERM to the process, and SIGKILL to all when it has not ended within {@code grace}. */
  void stop(Duration grace) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
      TaggedProcesses.end(TAG, tag, Duration.ZERO);
    }
  }
}
