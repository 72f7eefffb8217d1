package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The messages of native/build.sh; that it builds is proven by all other tests. */
@Timeout(60)
class NativeBuildTest {

  private static final Path SCRIPT =
      Path.of(System.getProperty("repository.root"), "mlperf-loadgen-jni", "native", "build.sh");

  private final Path folder;

  NativeBuildTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private String failingBuild(Map<String, String> environment) throws Exception {
    Path output = folder.resolve("output.txt");
    var builder =
        new ProcessBuilder("/bin/bash", SCRIPT.toString(), folder.resolve("classes").toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).isEqualTo(1);
    assertThat(folder.resolve("classes")).doesNotExist();
    return Files.readString(output);
  }

  @Test
  void missingToolIsNamedWithItsPackage() throws Exception {
    Path tools = Files.createDirectory(folder.resolve("bin"));
    for (String tool : List.of("uname", "dirname")) {
      Files.copy(
          Path.of("/usr/bin", tool), tools.resolve(tool), StandardCopyOption.COPY_ATTRIBUTES);
    }

    assertThat(failingBuild(Map.of("PATH", tools.toString())))
        .contains("'cmake' is needed to build LoadGen", "apt-get install cmake");
  }

  @Test
  void sourceDistributionOfAnotherContentIsRefused() throws Exception {
    Path wrong =
        Files.write(folder.resolve("wrong.tar.gz"), "wrong".getBytes(StandardCharsets.US_ASCII));

    assertThat(failingBuild(Map.of("LOADGEN_SDIST", wrong.toString())))
        .contains("wrong.tar.gz is not LoadGen 6.0.17: its sha256 is");
  }

  @Test
  void sourceDistributionThatCannotBeReadIsNamed() throws Exception {
    assertThat(failingBuild(Map.of("LOADGEN_SDIST", folder.resolve("none").toString())))
        .contains("LOADGEN_SDIST: cannot read");
  }
}
