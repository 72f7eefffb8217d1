package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class ProfilerTest {
  private static final String COMPLETION = "{\"model\":\"m\",\"prompt\":[300],\"max_tokens\":3}";

  private final Path folder;

  ProfilerTest(@TempDir Path folder) {
    this.folder = folder.resolve("made when needed");
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void aTraceHasTheRequestsOfItsWindow(SimulatedEngine engine) throws Exception {
    try (Simulator server =
            Simulator.start(
                SimulatorOptions.builder(engine)
                    .servedModelNames(List.of("m"))
                    .profiler(true)
                    .profilerFolder(folder)
                    .build());
        Client client = new Client(server)) {
      client.post("/v1/completions", COMPLETION);
      assertThat(client.post("/start_profile", "{\"profile_prefix\":\"run-1\"}").status())
          .isEqualTo(200);
      client.post("/v1/completions", COMPLETION);
      client.post("/v1/completions", COMPLETION);
      assertThat(client.post("/stop_profile", "{}").status()).isEqualTo(200);
      client.post("/v1/completions", COMPLETION);

      assertThat(files())
          .singleElement()
          .satisfies(
              file -> {
                assertThat(String.valueOf(file.getFileName()))
                    .startsWith("run-1")
                    .endsWith(".trace.json.gz");
                assertThat(trace(file).path("traceEvents")).hasSize(2);
              });
    }
  }

  /** SGLang answers 500, since its scheduler has raised an error. */
  @Test
  void sglangRefusesToStopWhatDoesNotRecord() throws Exception {
    try (Simulator server =
            Simulator.start(SimulatorOptions.builder(SimulatedEngine.SGLANG).build());
        Client client = new Client(server)) {
      assertThat(client.post("/stop_profile", "{}").status()).isEqualTo(500);
      assertThat(client.post("/start_profile", "{}").status()).isEqualTo(200);
      assertThat(client.post("/start_profile", "{}").status()).isEqualTo(500);
    }
  }

  @Test
  void vllmHasNoRoutesForAProfilerUnlessItHasOne() throws Exception {
    try (Simulator server =
            Simulator.start(SimulatorOptions.builder(SimulatedEngine.VLLM).build());
        Client client = new Client(server)) {
      assertThat(client.post("/start_profile", "{}").status()).isEqualTo(404);
    }
    SimulatorOptions torch =
        SimulatorOptions.parse(
            "vllm",
            "serve",
            "m",
            "--profiler-config.profiler",
            "torch",
            "--profiler-config.torch_profiler_dir",
            "/traces");
    assertThat(torch.profiler()).isTrue();
    assertThat(torch.profilerFolder()).isEqualTo(Path.of("/traces"));
    assertThatThrownBy(() -> SimulatorOptions.parse("--profiler-config.profiler=torch"))
        .hasMessageContaining("torch_profiler_dir");
    assertThatThrownBy(() -> SimulatorOptions.parse("--profiler-config.profiler=x"))
        .hasMessageContaining("'x' is not torch or cuda");
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  private static JsonNode trace(Path file) {
    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return JsonText.read(in.readAllBytes());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
