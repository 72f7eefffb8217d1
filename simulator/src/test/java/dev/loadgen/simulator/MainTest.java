package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class MainTest {
  @Test
  void vllmCommandLineIsUnderstood() {
    SimulatorOptions options =
        SimulatorOptions.parse(
            "vllm",
            "serve",
            "org/model",
            "--served-model-name",
            "a",
            "b",
            "--host",
            "0.0.0.0",
            "--port",
            "9000",
            "--tensor-parallel-size",
            "8",
            "-tp",
            "4",
            "--max-model-len=2048",
            "--enforce-eager",
            "--max-num-seqs",
            "16",
            "--no-enable-prefix-caching",
            "--compilation-config",
            "{\"level\": 3}",
            "--ttft",
            "40ms",
            "--tpot",
            "1.5ms",
            "--output-tokens",
            "16..64",
            "--fail",
            "status=503,every=10",
            "--fail",
            "hang,at=3");

    assertThat(options.engine()).isEqualTo(SimulatedEngine.VLLM);
    assertThat(options.model()).isEqualTo("org/model");
    assertThat(options.servedModelNames()).containsExactly("a", "b");
    assertThat(options.host()).isEqualTo("0.0.0.0");
    assertThat(options.port()).isEqualTo(9000);
    assertThat(options.maxModelLen()).isEqualTo(2048);
    assertThat(options.maxNumSeqs()).isEqualTo(16);
    assertThat(options.prefixCaching()).isFalse();
    assertThat(options.metrics()).isTrue();
    assertThat(options.tpot()).isEqualTo(Duration.ofNanos(1_500_000));
    assertThat(options.outputTokens()).isEqualTo(new TokenRange(16, 64));
    assertThat(options.faults())
        .containsExactly(Fault.parse("status=503,every=10"), Fault.parse("hang,at=3"));
    assertThat(options.engineFlags())
        .containsEntry("tensor-parallel-size", "8")
        .containsEntry("tp", "4")
        .containsEntry("enforce-eager", "true")
        .containsEntry("compilation-config", "{\"level\": 3}")
        .hasSize(4);
  }

  @Test
  void sglangCommandLineIsUnderstood() {
    SimulatorOptions options =
        SimulatorOptions.parse(
            "python3",
            "-m",
            "sglang.launch_server",
            "--model-path",
            "org/model",
            "--context-length",
            "4096",
            "--max-running-requests",
            "3",
            "--disable-radix-cache",
            "--mem-fraction-static",
            "0.8");

    assertThat(options.engine()).isEqualTo(SimulatedEngine.SGLANG);
    assertThat(options.port()).isEqualTo(30000);
    assertThat(options.servedModelNames()).containsExactly("org/model");
    assertThat(options.maxModelLen()).isEqualTo(4096);
    assertThat(options.maxNumSeqs()).isEqualTo(3);
    assertThat(options.prefixCaching()).isFalse();
    assertThat(options.metrics()).isFalse();
    assertThat(options.engineFlags()).containsEntry("mem-fraction-static", "0.8");
  }

  @ParameterizedTest
  @CsvSource({
    "--engine vllm, VLLM, 8000",
    "--engine SGLang, SGLANG, 30000",
    "--engine openai, OPENAI, 8000",
    "sglang serve --model-path m, SGLANG, 30000",
    "/opt/venv/bin/python3.12 -m vllm.entrypoints.openai.api_server --model m, VLLM, 8000",
  })
  void otherWaysToStartChooseTheEngineAndItsPort(String line, SimulatedEngine engine, int port) {
    SimulatorOptions options = SimulatorOptions.parse(line.split(" ", -1));

    assertThat(options.engine()).isEqualTo(engine);
    assertThat(options.port()).isEqualTo(port);
  }

  @ParameterizedTest
  @CsvSource({
    "Qwen/Qwen3-VL-235B-A22B-Instruct, true",
    "tiny-qwen3-vl, true",
    "meta-llama/Llama-3.1-8B-Instruct, false",
    "mistralai/vlarge, false",
  })
  void visionModelIsKnownByItsName(String model, boolean vision) {
    assertThat(SimulatorOptions.parse("--model", model).multimodal()).isEqualTo(vision);
    assertThat(SimulatorOptions.parse("--model", model, "--no-multimodal").multimodal()).isFalse();
    assertThat(SimulatorOptions.parse("--model", model, "--multimodal").multimodal()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--fail explode            | --fail    | unknown fault 'explode'",
        "--ttft 40                 | --ttft    | for example 40ms",
        "--output-tokens 9..3      | --output-tokens | 1 <= first <= last",
        "--output-tokens many      | --output-tokens | 16..64",
        "--port x                  | --port    | 'x' is not an int",
        "--port 70000              | port      | 0 to 65535",
        "--engine triton           | --engine  | vllm, sglang or openai",
        "--jitter 2                | jitter    | 0 to 1",
        "vllm bench                | vllm bench | only 'serve'",
        "python3 -m http.server    | python    | sglang.launch_server",
      })
  void wrongArgumentIsNamed(String line, String name, String cure) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();

    assertThatThrownBy(() -> SimulatorOptions.parse(line.split(" ", -1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(cure)
        .satisfies(e -> assertThat(line + e.getMessage()).contains(name));
    assertThat(run(err, line.split(" ", -1))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("simulator: ").contains(cure);
  }

  private static int run(ByteArrayOutputStream err, String... arguments) {
    try {
      return Main.run(
          List.of(arguments),
          new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
          new PrintStream(err, true, StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void helpListsTheFlags() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    int status =
        Main.run(List.of("--help"), new PrintStream(out, true, StandardCharsets.UTF_8), System.err);

    assertThat(status).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("--fail", "--ttft", "--max-num-seqs");
  }

  @Test
  void runTellsItsAddressAndEndsWithStatusOneAfterACrash() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        HttpClient client = HttpClient.newHttpClient()) {
      Future<Integer> status =
          threads.submit(
              () ->
                  Main.run(
                      List.of(
                          "vllm",
                          "serve",
                          "m",
                          "--port",
                          "0",
                          "--fail",
                          "exit",
                          "--tensor-parallel-size",
                          "8"),
                      new PrintStream(out, true, StandardCharsets.UTF_8),
                      System.err));
      Eventually.until(() -> out.toString(StandardCharsets.UTF_8).contains("listening"));
      List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
      assertThat(lines).first().isEqualTo("without effect here: --tensor-parallel-size 8");
      assertThat(lines.get(1))
          .startsWith("non-default args: {'model_tag': 'm', ")
          .endsWith("'tensor_parallel_size': '8'}");
      URI url = URI.create(lines.get(2).substring("listening ".length()));

      HttpRequest request =
          HttpRequest.newBuilder(url.resolve("/v1/completions"))
              .POST(HttpRequest.BodyPublishers.ofString("{\"prompt\":[300]}"))
              .build();
      assertThatThrownBy(() -> client.send(request, HttpResponse.BodyHandlers.discarding()))
          .isInstanceOf(IOException.class);

      assertThat(status.get(20, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }
}
