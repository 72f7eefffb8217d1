package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How {@code bin/loadgen} starts Java, by a JDK that only prints its arguments. */
class LauncherIT {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));

  @ParameterizedTest
  @CsvSource({
    "inspect, -XX:MaxRAMPercentage=70",
    "evaluate, -XX:MaxRAMPercentage=70",
    "run, -Xmx1g",
    "compare, -Xmx1g"
  })
  void commandsThatHoldADatasetMayTakeTheMachinesMemory(
      String command, String heap, @TempDir Path jdk) throws IOException, InterruptedException {
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    Path java = Files.createDirectory(jdk.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    ProcessBuilder start =
        new ProcessBuilder(ROOT.resolve("bin/loadgen").toString(), command, "a file");
    start.environment().put("LOADGEN_SKIP_BUILD", "1");
    start.environment().put("LOADGEN_JAVA_HOME", jdk.toString());
    Path printed = jdk.resolve("printed");

    Process process = start.redirectErrorStream(true).redirectOutput(printed.toFile()).start();

    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    List<String> arguments = Files.readAllLines(printed);
    assertThat(arguments).contains(heap).endsWith("dev.loadgen.local.Main", command, "a file");
    assertThat(arguments)
        .filteredOn(each -> each.startsWith("-Xmx") || each.contains("RAMPercentage"))
        .hasSize(1);
  }
}
