package dev.loadgen.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalImagesTest {
  private static final List<String> VLLM = List.of("vllm", "serve");
  private static final List<String> SGLANG = List.of("python3", "-m", "sglang.launch_server");
  private static final List<String> ARGS = List.of("--port", "8000");

  @Test
  void runsOurRunnerAsAJvmWithThisClassPath(@TempDir Path folder) {
    ImageCatalog.Launch launch =
        launch(
            catalog(folder, Map.of()), "ghcr.io/loadgen-operator/loadgen-runner:0.1.0", List.of());

    assertThat(launch.launcher().getFirst()).isEqualTo("/jdk/bin/java");
    assertThat(launch.launcher())
        .containsSequence("-Xa", "-Xb", "-cp", "the.jar", "dev.loadgen.runner.Main")
        .contains("--enable-native-access=ALL-UNNAMED");
    assertThat(launch.containerWords()).isEqualTo(ARGS);
  }

  @Test
  void givesTheSimulatorTheEnginesCommandLine(@TempDir Path folder) {
    ImageCatalog.Launch launch =
        launch(catalog(folder, Map.of()), "localhost:5000/loadgen-simulator@sha256:0", VLLM);

    assertThat(launch.launcher()).endsWith("dev.loadgen.simulator.Main");
    assertThat(launch.containerWords()).containsExactly("vllm", "serve", "--port", "8000");
  }

  @Test
  void anOptionOfTheJvmMayNameTheProgram() {
    LocalImages catalog =
        new LocalImages(
            Map.of(), List.of(), Path.of("/jdk"), "the.jar", "-Xlog:gc:file=/tmp/{program}.log");

    assertThat(launch(catalog, "loadgen-runner", List.of()).launcher())
        .contains("-Xlog:gc:file=/tmp/runner.log");
    assertThat(launch(catalog, "loadgen-simulator", VLLM).launcher())
        .contains("-Xlog:gc:file=/tmp/simulator.log");
  }

  @Test
  void runsVllmWhenItIsOnThePath(@TempDir Path folder) throws IOException {
    Path vllm = program(folder, "vllm", "");

    ImageCatalog.Launch launch = launch(catalog(folder, Map.of()), "vllm/vllm-openai:v1", VLLM);

    assertThat(launch.launcher()).containsExactly(vllm.toString());
    assertThat(launch.containerWords()).containsExactly("serve", "--port", "8000");
  }

  @Test
  void aProfilerStartsTheProgram(@TempDir Path folder) throws IOException {
    Path vllm = program(folder, "vllm", "");
    List<String> nsys = List.of("nsys", "profile", "--output=/profiles/x");

    ImageCatalog.Launch launch =
        launch(
            catalog(folder, Map.of()),
            "vllm/vllm-openai:v1",
            List.of("nsys", "profile", "--output=/profiles/x", "vllm", "serve"));

    assertThat(launch.wrapper()).isEqualTo(nsys);
    assertThat(launch.launcher()).containsExactly(vllm.toString());
    assertThat(launch.containerWords()).containsExactly("serve", "--port", "8000");
  }

  @Test
  void addsServeWhenTheImagesOwnEntryPointIsMeant(@TempDir Path folder) throws IOException {
    program(folder, "vllm", "");

    assertThat(launch(catalog(folder, Map.of()), "vllm/vllm-openai:v1", List.of()).containerWords())
        .containsExactly("serve", "--port", "8000");
  }

  @Test
  void runsSglangByTheLauncherThatTakesTheServersArguments(@TempDir Path folder)
      throws IOException {
    Path sglang = program(folder, "sglang", "exec python -m sglang.launch_server \"$@\"");

    ImageCatalog.Launch launch = launch(catalog(folder, Map.of()), "lmsysorg/sglang:v1", SGLANG);

    assertThat(launch.launcher()).containsExactly(sglang.toString());
    assertThat(launch.containerWords()).isEqualTo(ARGS);
  }

  @Test
  void runsSglangByPythonWhereTheModuleIsInstalled(@TempDir Path folder) throws IOException {
    Path python = program(folder, "python3", "exit 0");

    ImageCatalog.Launch launch = launch(catalog(folder, Map.of()), "lmsysorg/sglang:v1", SGLANG);

    assertThat(launch.launcher()).containsExactly(python.toString(), "-m", "sglang.launch_server");
    assertThat(launch.containerWords()).isEqualTo(ARGS);
  }

  @Test
  void saysWhatToInstallOrMapWhenAnEngineIsMissing(@TempDir Path folder) throws IOException {
    program(folder, "python3", "exit 1");

    assertThat(catalog(folder, Map.of()).resolve("vllm/vllm-openai:v1", VLLM, ARGS))
        .isInstanceOfSatisfying(
            ImageCatalog.Unavailable.class,
            missing ->
                assertThat(missing.message())
                    .contains("\"vllm/vllm-openai:v1\"")
                    .contains("install vLLM")
                    .contains("--image vllm/vllm-openai=COMMAND"));
    assertThat(catalog(folder, Map.of()).resolve("lmsysorg/sglang:v1", SGLANG, ARGS))
        .isInstanceOf(ImageCatalog.Unavailable.class);
    assertThat(catalog(folder, Map.of()).resolve("nginx", List.of(), List.of()))
        .isInstanceOf(ImageCatalog.Unavailable.class);
  }

  @Test
  void theUsersMappingComesFirstWithOrWithoutTag(@TempDir Path folder) throws IOException {
    program(folder, "vllm", "");
    LocalImages catalog =
        catalog(folder, Map.of("vllm/vllm-openai", List.of("/opt/v/bin/vllm", "-x")));

    ImageCatalog.Launch launch = launch(catalog, "vllm/vllm-openai:v1", VLLM);

    assertThat(launch.launcher()).containsExactly("/opt/v/bin/vllm", "-x");
    assertThat(launch.containerWords()).containsExactly("serve", "--port", "8000");
  }

  @Test
  void aMappingToTheSimulatorKeepsTheEnginesCommandLine(@TempDir Path folder) {
    LocalImages catalog = catalog(folder, Map.of("lmsysorg/sglang", List.of("simulator")));

    ImageCatalog.Launch launch = launch(catalog, "lmsysorg/sglang:v1", SGLANG);

    assertThat(launch.launcher()).endsWith("dev.loadgen.simulator.Main");
    assertThat(launch.containerWords()).startsWith("python3", "-m", "sglang.launch_server");
  }

  @Test
  void dropsTagAndDigestButNotAPort() {
    assertThat(LocalImages.repository("host:5000/a/b:1@sha256:0")).isEqualTo("host:5000/a/b");
    assertThat(LocalImages.repository("host:5000/a/b")).isEqualTo("host:5000/a/b");
  }

  private static ImageCatalog.Launch launch(
      LocalImages catalog, String image, List<String> command) {
    return (ImageCatalog.Launch) catalog.resolve(image, command, ARGS);
  }

  private static LocalImages catalog(Path folder, Map<String, List<String>> mapped) {
    return new LocalImages(mapped, List.of(folder), Path.of("/jdk"), "the.jar", " -Xa  -Xb ");
  }

  private static Path program(Path folder, String name, String script) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
