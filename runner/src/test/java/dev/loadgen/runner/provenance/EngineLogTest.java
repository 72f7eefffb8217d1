package dev.loadgen.runner.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On what vLLM 0.32.0 and SGLang 0.5.23 wrote when they were started with a tiny model. */
class EngineLogTest {
  private final Path folder;

  EngineLogTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    Files.createDirectories(folder.resolve("server"));
  }

  @Test
  void whatVllmSays() throws IOException {
    log("llama-0.server.log.gz", recorded("/vllm/startup.log"));

    assertThat(EngineLog.arguments(folder, "llama-0"))
        .isEqualTo(
            Map.ofEntries(
                Map.entry("model_tag", "tiny-llama"),
                Map.entry("host", "127.0.0.1"),
                Map.entry("port", "18765"),
                Map.entry("api_key", "[removed]"),
                Map.entry("model", "tiny-llama"),
                Map.entry("max_model_len", "2048"),
                Map.entry("enforce_eager", "True"),
                Map.entry("served_model_name", "['tiny', 'other-name']"),
                Map.entry("enable_prefix_caching", "False"),
                Map.entry("max_num_seqs", "64"),
                Map.entry(
                    "speculative_config",
                    "{'method': 'ngram', 'num_speculative_tokens': 3, 'prompt_lookup_max': 4}"),
                Map.entry(
                    "structured_outputs_config",
                    "StructuredOutputsConfig(backend='xgrammar', disable_any_whitespace=True,"
                        + " disable_additional_properties=False, reasoning_parser='',"
                        + " reasoning_parser_plugin='', enable_in_reasoning=False)")));
  }

  @Test
  void whatSglangSays() throws IOException {
    log("llama-0.server.log.gz", recorded("/sglang/startup.log"));

    assertThat(EngineLog.arguments(folder, "llama-0"))
        .containsEntry("model_path", "tiny-llama")
        .containsEntry("disable_radix_cache", "True")
        .containsEntry("max_total_tokens", "65536")
        .containsEntry("api_key", "[removed]")
        .doesNotContainKey("context_length") // None
        .doesNotContainValue("sesame")
        .hasSizeGreaterThan(200);
  }

  @Test
  void olderEnginesSayItAsACall() {
    assertThat(
            EngineLog.arguments(
                "INFO 03-02 23:59:21 api_server.py:241] args: Namespace(host='0.0.0.0', port=8000,"
                    + " allowed_origins=['*', 'a,b'], api_key=None, dtype='it\\'s', x=\"it's\")"))
        .hasValue(
            new TreeMap<>(
                Map.of(
                    "host", "0.0.0.0",
                    "port", "8000",
                    "allowed_origins", "['*', 'a,b']",
                    "dtype", "'it\\'s'",
                    "x", "it's")));
    assertThat(
            EngineLog.arguments("[2026-05-15 08:39:19] server_args=ServerArgs(tp_size=8, a=1.5)"))
        .hasValue(new TreeMap<>(Map.of("tp_size", "8", "a", "1.5")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "INFO: started",
        "non-default args: {'a': 'unfinished",
        "non-default args: {'a': [1, 2}",
        "server_args=ServerArgs("
      })
  void aLineThatSaysNothingIsNoError(String line) {
    assertThat(EngineLog.arguments(line)).isEmpty();
  }

  /** Of a server that has run for months, the log since the run has no such line. */
  @Test
  void theBeginningComesFirst() throws IOException {
    log("llama-0.server.log.gz", "non-default args: {'said': 'later'}\n");
    log("llama-0.server.beginning.log.gz", "hello\nnon-default args: {'said': 'first'}\n");
    log("llama-0.server.previous.log.gz", "non-default args: {'said': 'before the crash'}\n");
    log("llama-01.server.log.gz", "non-default args: {'said': 'by another'}\n");

    assertThat(EngineLog.arguments(folder, "llama-0")).isEqualTo(Map.of("said", "first"));
  }

  @Test
  void whatIsNotThereIsNotKnown() throws IOException {
    log("llama-0.server.log.gz", "nothing\n");
    Files.writeString(folder.resolve("server/llama-1.server.log.gz"), "not packed");

    assertThat(EngineLog.arguments(folder, "llama-0")).isEmpty();
    assertThat(EngineLog.arguments(folder, "llama-1")).isEmpty();
    assertThat(EngineLog.arguments(folder, "llama-2")).isEmpty();
    assertThat(EngineLog.arguments(folder.resolve("none"), "llama-0")).isEmpty();
  }

  private void log(String file, String text) throws IOException {
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(folder.resolve("server").resolve(file)))) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static String recorded(String resource) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(EngineLogTest.class.getResourceAsStream(resource))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
