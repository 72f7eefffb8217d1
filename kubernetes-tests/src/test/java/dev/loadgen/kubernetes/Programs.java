package dev.loadgen.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Programs that the tests build from Go modules. */
final class Programs {
  static final Path REPOSITORY = Path.of(System.getProperty("repository.root"));

  /** Whether this build has made no bill of materials, so that images are made without. */
  static final boolean WITHOUT_SBOM = Boolean.getBoolean("cyclonedx.skip");

  private Programs() {}

  /**
   * Builds programs, unless they are in the user's cache. Where Go is not installed the test is
   * skipped, but in CI it fails.
   *
   * @param script below the repository's root
   * @return their folder
   */
  static Path of(String script) throws IOException, InterruptedException {
    boolean go =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "go")));
    if (!go) {
      skip(script + " needs Go; install golang");
    }
    ProcessBuilder builder =
        new ProcessBuilder(REPOSITORY.resolve(script).toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    // The JDK of the tests, which may be newer than the one that Maven runs on.
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    if (WITHOUT_SBOM) {
      builder.environment().put("LOADGEN_SBOM", "none");
    }
    Process build = builder.start();
    String folder = new String(build.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(build.waitFor()).as(script).isZero();
    return Path.of(folder);
  }

  /** Ends a test that this machine cannot run: it is skipped, but in CI it fails. */
  static void skip(String reason) {
    if (System.getenv("CI") != null) {
      throw new AssertionError("in CI no test may be skipped: " + reason);
    }
    System.out.println("SKIPPED: " + reason);
    Assumptions.abort(reason);
  }

  /** Runs a program to its end, which must come within minutes. */
  static Answer run(List<String> command, Map<String, String> variables, String input)
      throws IOException, InterruptedException {
    Path printed = Files.createTempFile("printed", ".txt");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(printed.toFile());
      builder.environment().putAll(variables);
      Process process = builder.start();
      try (var toProcess = process.outputWriter()) {
        toProcess.write(input);
      }
      boolean ended = process.waitFor(3, TimeUnit.MINUTES);
      process.destroyForcibly();
      String text = Files.readString(printed);
      assertThat(ended).as("%s has ended; it printed: %s", command, text).isTrue();
      return new Answer(process.exitValue(), text);
    } finally {
      Files.delete(printed);
    }
  }

  /** The memory of a process as the kernel counts it. */
  static long residentMebibytes(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
        .sum();
  }

  /** Exit code and output, with errors, of a command. */
  record Answer(int exitCode, String text) {}
}
