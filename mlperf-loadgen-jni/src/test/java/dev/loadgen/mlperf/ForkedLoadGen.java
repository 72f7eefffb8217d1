package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One of {@link Scenarios}, run by a JVM of its own to its end.
 *
 * @param folder working directory and LoadGen's log folder
 * @param exitCode 128 and the signal's number when it died of a signal
 * @param output standard output and error
 */
record ForkedLoadGen(Path folder, int exitCode, String output) {
  /** Far above what any scenario needs; a scenario that hangs fails by it. */
  private static final long DEADLINE_SECONDS = 60;

  static ForkedLoadGen run(Path folder, String scenario, String... arguments) {
    return await(folder, start(folder, scenario, arguments));
  }

  static Process start(Path folder, String scenario, String... arguments) {
    return start(folder, List.of(), Map.of(), scenario, arguments);
  }

  /** Runs it with further options of the JVM. */
  static ForkedLoadGen run(
      Path folder, List<String> options, String scenario, String... arguments) {
    return await(folder, start(folder, options, Map.of(), scenario, arguments));
  }

  /** Runs it with further options of the JVM, and further environment variables. */
  static ForkedLoadGen run(
      Path folder,
      List<String> options,
      Map<String, String> environment,
      String scenario,
      String... arguments) {
    return await(folder, start(folder, options, environment, scenario, arguments));
  }

  private static Process start(
      Path folder,
      List<String> options,
      Map<String, String> environment,
      String scenario,
      String... arguments) {
    List<String> command =
        Stream.of(
                Stream.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "--enable-native-access=ALL-UNNAMED",
                    "-Xcheck:jni",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:-CreateCoredumpOnCrash",
                    "-Xmx256m"),
                options.stream(),
                Stream.of(Scenarios.class.getName(), scenario),
                Stream.of(arguments))
            .flatMap(part -> part)
            .toList();
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("output.txt").toFile());
      builder.environment().putAll(environment);
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ForkedLoadGen await(Path folder, Process process) {
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      String output = Files.readString(folder.resolve("output.txt"));
      assertThat(ended).as("the scenario ends in time; its output:%n%s", output).isTrue();
      return new ForkedLoadGen(folder, process.exitValue(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * Fails unless the JVM ended by itself, with nothing that {@code -Xcheck:jni} complains about.
   */
  ForkedLoadGen succeeded() {
    assertThat(exitCode).as(output).isZero();
    assertThat(output).doesNotContain("FATAL ERROR in native method", "WARNING in native method");
    return this;
  }

  /** What the scenario printed as {@code name=value}. */
  String value(String name) {
    Matcher line =
        Pattern.compile("^" + Pattern.quote(name) + "=(.*)$", Pattern.MULTILINE).matcher(output);
    assertThat(line.find()).as("the output has %s:%n%s", name, output).isTrue();
    return line.group(1);
  }

  /** All values of a key in LoadGen's detail log. */
  List<String> detail(String key) {
    return Pattern.compile("\"key\": \"" + Pattern.quote(key) + "\", \"value\": (.*?), \"time_ms\"")
        .matcher(log("detail.txt"))
        .results()
        .map(result -> result.group(1).replaceAll("^\"|\"$", ""))
        .toList();
  }

  /** The entries of LoadGen's accuracy log, one a line. */
  List<String> accuracyEntries() {
    return log("accuracy.json").lines().filter(line -> line.contains("seq_id")).toList();
  }

  String log(String name) {
    try {
      return Files.readString(folder.resolve("mlperf_log_" + name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
