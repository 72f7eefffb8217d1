package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The messages and outputs of native/build.sh; that it builds is proven by all other tests. */
@Timeout(60)
class NativeBuildTest {
  private static final Path SCRIPT =
      Path.of(System.getProperty("repository.root"), "mlperf-loadgen-jni", "native", "build.sh");

  private final Path folder;

  NativeBuildTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private String failingBuild(Map<String, String> environment) throws Exception {
    Map<String, String> all = new HashMap<>(environment);
    all.put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    assertThat(build(all)).isEqualTo(1);
    assertThat(folder.resolve("classes")).doesNotExist();
    return Files.readString(folder.resolve("output.txt"));
  }

  private int build(Map<String, String> environment, String... versions) throws Exception {
    Path output = folder.resolve("output.txt");
    List<String> command =
        new ArrayList<>(
            List.of("/bin/bash", SCRIPT.toString(), folder.resolve("classes").toString()));
    command.addAll(List.of(versions));
    var builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return process.exitValue();
  }

  /** What the module's build has left in the cache is all that this takes. */
  @Test
  void eachVersionHasALibraryAndAVersionThatIsGoneHasNone() throws Exception {
    Path libraries =
        folder
            .resolve("classes/native")
            .resolve(
                LoadGenLibrary.platform(
                    System.getProperty("os.name"), System.getProperty("os.arch")));
    Files.createDirectories(libraries);
    Files.createFile(libraries.resolve("libloadgen-jni-4.0.0.so"));

    assertThat(build(Map.of())).as(Files.readString(folder.resolve("output.txt"))).isZero();

    try (var files = Files.list(libraries)) {
      assertThat(files)
          .extracting(file -> file.getFileName().toString())
          .containsExactlyInAnyOrderElementsOf(
              LoadGenBuild.all().stream()
                  .map(build -> "libloadgen-jni-" + build.version() + ".so")
                  .toList());
    }
  }

  @ParameterizedTest
  @CsvSource({"newest, -1", "5.1.2, 0"})
  void oneVersionAloneIsBuiltIfThatIsWanted(String wanted, int index) throws Exception {
    List<LoadGenBuild> all = LoadGenBuild.all();
    String version = all.get(Math.floorMod(index, all.size())).version();

    assertThat(build(Map.of(), wanted)).as(output()).isZero();

    try (var files = Files.walk(folder.resolve("classes"))) {
      assertThat(files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()))
          .containsExactly("libloadgen-jni-" + version + ".so");
    }
  }

  @Test
  void aVersionThatThereIsNotIsNamedWithThoseThatThereAre() throws Exception {
    assertThat(build(Map.of(), "9.9.9")).isEqualTo(1);
    assertThat(output())
        .contains("there is no LoadGen 9.9.9; there is ", LoadGenBuild.newest().version());
  }

  private String output() throws Exception {
    return Files.readString(folder.resolve("output.txt"));
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
    String version = LoadGenBuild.all().getFirst().version();
    Files.write(
        folder.resolve("mlcommons_loadgen-" + version + ".tar.gz"),
        "wrong".getBytes(StandardCharsets.US_ASCII));

    assertThat(failingBuild(Map.of("LOADGEN_SDISTS", folder.toString())))
        .contains(".tar.gz is not LoadGen " + version + ": its sha256 is");
  }

  @Test
  void sourceDistributionThatCannotBeReadIsNamed() throws Exception {
    assertThat(failingBuild(Map.of("LOADGEN_SDISTS", folder.toString())))
        .contains(
            "LOADGEN_SDISTS: cannot read "
                + folder.resolve(
                    "mlcommons_loadgen-" + LoadGenBuild.all().getFirst().version() + ".tar.gz"));
  }
}
