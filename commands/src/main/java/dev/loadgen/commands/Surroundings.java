package dev.loadgen.commands;

import java.io.Console;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What a command knows of the world outside its arguments.
 *
 * @param environment environment variables
 * @param home the user's folder
 * @param temporary where folders for the time of a command are made
 * @param terminal whether {@code out} is a terminal on which lines can be redrawn
 * @param classPath of this JVM, for the JVMs that it starts
 */
public record Surroundings(
    PrintWriter out,
    PrintWriter err,
    Map<String, String> environment,
    Path home,
    Path temporary,
    Path javaHome,
    String classPath,
    boolean terminal) {
  /** Those of this process. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 gives null again where there is no terminal
  public static Surroundings ofProcess() {
    Console console = System.console();
    boolean terminal =
        console != null
            && console.isTerminal()
            && !"dumb".equals(System.getenv().getOrDefault("TERM", "dumb"));
    Charset charset = System.out.charset();
    return new Surroundings(
        new PrintWriter(System.out, true, charset),
        new PrintWriter(System.err, true, charset),
        System.getenv(),
        Path.of(System.getProperty("user.home")),
        Path.of(System.getProperty("java.io.tmpdir")),
        Path.of(System.getProperty("java.home")),
        System.getProperty("java.class.path"),
        terminal);
  }

  /** Where things are kept that can be made again: {@code ~/.cache/loadgen-operator}. */
  public Path cache() {
    return Optional.ofNullable(environment.get("XDG_CACHE_HOME"))
        .filter(folder -> !folder.isEmpty())
        .map(Path::of)
        .orElseGet(() -> home.resolve(".cache"))
        .resolve("loadgen-operator");
  }
}
