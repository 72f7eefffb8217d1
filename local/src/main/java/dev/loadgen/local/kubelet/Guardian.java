package dev.loadgen.local.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A shell process that outlives this JVM if that is killed without warning, and then ends all
 * processes with the kubelet's tag. It notices by the end of its standard input.
 */
final class Guardian implements AutoCloseable {
  private static final String SCRIPT =
      """
      trap '' HUP INT TERM
      cat > /dev/null
      tagged() {
        for file in /proc/[0-9]*/environ; do
          if tr '\\0' '\\n' < "$file" 2> /dev/null | grep -qxF "$1"; then
            pid=${file#/proc/}
            echo "${pid%/environ}"
          fi
        done
      }
      pids=$(tagged "$1")
      [ -n "$pids" ] || exit 0
      kill -TERM $pids 2> /dev/null
      rounds=0
      while [ "$rounds" -lt 50 ]; do
        sleep 0.2
        pids=$(tagged "$1")
        [ -n "$pids" ] || exit 0
        rounds=$((rounds + 1))
      done
      kill -KILL $pids 2> /dev/null
      """;

  private final Process process;

  private Guardian(Process process) {
    this.process = process;
  }

  /** Starts a guardian of all processes whose environment has {@code name=value}. */
  static Guardian start(String name, String value) throws IOException {
    List<String> words = new ArrayList<>(ownSession());
    words.addAll(List.of("/bin/sh", "-c", SCRIPT, "loadgen-guardian", name + "=" + value));
    return new Guardian(
        new ProcessBuilder(words)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /** The words before a command that shall not get the terminal's Ctrl-C. */
  static List<String> ownSession() {
    return Files.isExecutable(Path.of("/usr/bin/setsid")) ? List.of("/usr/bin/setsid") : List.of();
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
