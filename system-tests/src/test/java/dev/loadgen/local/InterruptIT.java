package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/loadgen} as a process that is told to end, or killed, in the middle of a run. */
@Timeout(120)
class InterruptIT {
  // Whatever it starts inherits this variable, and is found by it.
  private static final String TAG = "LOADGEN_TEST";

  private final String tag = UUID.randomUUID().toString();
  private Path folder;
  private Process process;

  @BeforeEach
  void start(@TempDir Path temporary) throws IOException {
    folder = temporary;
    Path root = Path.of(System.getProperty("repository.root"));
    ProcessBuilder builder =
        new ProcessBuilder(
            // Where tests run in the background, SIGINT is ignored, and what they start would
            // inherit that.
            "env",
            "--default-signal=INT",
            root.resolve("bin/loadgen").toString(),
            "run",
            "-f",
            root.resolve("manifests/samples/quickstart.yaml").toString(),
            "--results",
            folder.resolve("results").toString());
    builder.environment().put(TAG, tag);
    builder.environment().put("LOADGEN_SKIP_BUILD", "1");
    builder.environment().put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + folder);
    builder.environment().put("LOADGEN_JAVA_HOME", System.getProperty("java.home"));
    process =
        builder.redirectErrorStream(true).redirectOutput(folder.resolve("out").toFile()).start();
    await("issued samples").atMost(Duration.ofMinutes(1)).until(() -> output().contains("issued"));
    assertThat(tagged()).hasSizeGreaterThan(3); // the command, two servers, a runner
  }

  @AfterEach
  void endWhatATestLeft() {
    tagged().forEach(ProcessHandle::destroyForcibly);
  }

  @Test
  void ctrlCLeavesNoProcessAndNoHalfWrittenFolder() throws Exception {
    signal("INT");

    assertThat(process.waitFor(20, TimeUnit.SECONDS)).as(output()).isTrue();
    assertThat(process.exitValue()).isEqualTo(130);
    assertThat(output()).contains("interrupted");
    await().atMost(Duration.ofSeconds(3)).until(() -> tagged().isEmpty());
    assertThat(partials()).isEmpty();
  }

  @Test
  void nothingOutlivesACommandThatIsKilled() throws Exception {
    signal("KILL");

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    await().atMost(Duration.ofSeconds(20)).until(() -> tagged().isEmpty());
  }

  private void signal(String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  private String output() throws IOException {
    return Files.readString(folder.resolve("out"));
  }

  private List<ProcessHandle> tagged() {
    return ProcessHandle.allProcesses().filter(candidate -> isTagged(candidate.pid())).toList();
  }

  private boolean isTagged(long pid) {
    try {
      byte[] environment = Files.readAllBytes(Path.of("/proc/" + pid + "/environ"));
      return Arrays.asList(new String(environment, StandardCharsets.UTF_8).split("\0", -1))
          .contains(TAG + "=" + tag);
    } catch (IOException e) {
      return false; // ended meanwhile, or somebody else's
    }
  }

  private List<Path> partials() throws IOException {
    try (Stream<Path> all = Files.walk(folder.resolve("results"))) {
      return all.filter(path -> path.toString().endsWith(".partial")).toList();
    }
  }
}
