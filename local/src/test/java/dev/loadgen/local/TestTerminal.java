package dev.loadgen.local;

import dev.loadgen.local.kubelet.LocalImages;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Where tests type {@code loadgen}: a home, an environment, and what was printed. */
final class TestTerminal {
  private final Path home;
  private final Map<String, String> environment = new HashMap<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  TestTerminal(Path home) {
    this.home = home;
    // So that runs are as short as in other tests.
    set(LocalImages.JAVA_OPTIONS, System.getenv().getOrDefault(LocalImages.JAVA_OPTIONS, ""));
  }

  /** Sets an environment variable of the commands that follow. */
  TestTerminal set(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Runs a command and returns its exit status. */
  int loadgen(String... arguments) {
    return loadgenInto(out, arguments);
  }

  /** Runs a command whose output goes elsewhere. */
  int loadgenInto(Writer output, String... arguments) {
    return LoadgenCommand.execute(
        new Surroundings(
            new PrintWriter(output),
            new PrintWriter(err),
            Map.copyOf(environment),
            home,
            home,
            Path.of(System.getProperty("java.home")),
            System.getProperty("java.class.path"),
            false),
        arguments);
  }

  /** What was printed since the start or the last {@link #clear}. */
  String out() {
    return out.toString();
  }

  /** What was printed on standard error since then. */
  String err() {
    return err.toString();
  }

  /** Forgets what was printed. */
  void clear() {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
  }

  /** All that was printed, for messages of failing tests. */
  @Override
  public String toString() {
    return out + "\n" + err;
  }
}
