package dev.loadgen.local.kubelet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Finds processes by a variable in their environment. Children inherit it, also those that have
 * left their parent, process group and session, so that nothing of a container is overlooked.
 */
final class TaggedProcesses {
  private static final Path PROC = Path.of("/proc");

  private TaggedProcesses() {}

  /** Living processes, other than this one, started with {@code name=value}. */
  static List<ProcessHandle> with(String name, String value) {
    long self = ProcessHandle.current().pid();
    return ProcessHandle.allProcesses()
        .filter(process -> process.pid() != self && has(process.pid(), name + "=" + value))
        .toList();
  }

  private static boolean has(long pid, String variable) {
    byte[] environment;
    try {
      environment = Files.readAllBytes(PROC.resolve(pid + "/environ"));
    } catch (IOException e) {
      return false; // ended meanwhile, or somebody else's
    }
    return Arrays.asList(new String(environment, StandardCharsets.UTF_8).split("\0", -1))
        .contains(variable);
  }

  /**
   * Ends all of them: SIGTERM, and SIGKILL to what is left after {@code patience}.
   *
   * @return whether none is left
   */
  static boolean end(String name, String value, Duration patience) throws InterruptedException {
    List<ProcessHandle> left = with(name, value);
    left.forEach(ProcessHandle::destroy);
    long deadline = System.nanoTime() + patience.toNanos();
    for (ProcessHandle process : left) {
      awaitExit(process, deadline - System.nanoTime());
    }
    // Again and again, for what forks while it is being killed.
    for (int attempt = 0; attempt < 20; attempt++) {
      left = with(name, value);
      if (left.isEmpty()) {
        return true;
      }
      left.forEach(ProcessHandle::destroyForcibly);
      for (ProcessHandle process : left) {
        awaitExit(process, TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
    return with(name, value).isEmpty();
  }

  private static void awaitExit(ProcessHandle process, long nanos) throws InterruptedException {
    try {
      process.onExit().get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      // Still there: the caller looks again.
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
