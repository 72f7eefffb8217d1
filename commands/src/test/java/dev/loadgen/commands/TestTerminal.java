package dev.loadgen.commands;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Where tests type {@code loadgen}: a home, an environment, and what was printed. */
public class TestTerminal {
  private final Path home;
  private final Map<String, String> environment = new HashMap<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** A terminal of a user who has nothing yet. */
  public TestTerminal(Path home) {
    this.home = home;
  }

  /** The program: its commands on files, unless a test has more of it. */
  protected int execute(Surroundings surroundings, String... arguments) {
    return LoadgenCommand.execute(surroundings, LoadgenCommand.ofFiles(surroundings), arguments);
  }

  /** Sets an environment variable of the commands that follow. */
  public final TestTerminal set(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Runs a command and returns its exit status. */
  public int loadgen(String... arguments) {
    return loadgenInto(out, arguments);
  }

  /** Runs a command whose output goes elsewhere. */
  public int loadgenInto(Writer output, String... arguments) {
    return execute(
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
  public String out() {
    return out.toString();
  }

  /** What was printed on standard error since then. */
  public String err() {
    return err.toString();
  }

  /** Forgets what was printed. */
  public void clear() {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
  }

  /** All that was printed, for messages of failing tests. */
  @Override
  public String toString() {
    return out + "\n" + err;
  }
}
