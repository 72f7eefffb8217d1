package dev.loadgen.desired;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.EnginePreset;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.RunPlan;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ServerCommandTest {
  @ParameterizedTest
  @CsvSource({
    "vllm, Throughput, --max-num-seqs 128 --gpu-memory-utilization 0.95",
    "vllm, Latency, --max-num-seqs 32 --enable-chunked-prefill --enforce-eager",
    "sglang, Throughput, --max-running-requests 128",
    "sglang, Latency, --max-running-requests 32 --disable-cuda-graph"
  })
  void aPresetAddsItsArguments(Engine engine, EnginePreset preset, String words) {
    List<String> without = arguments(engine, "{}");

    List<String> with = arguments(engine, "{preset: %s}".formatted(preset));

    assertThat(with).filteredOn(word -> !without.contains(word)).containsExactly(words.split(" "));
    assertThat(with).containsAll(without);
  }

  @ParameterizedTest
  @EnumSource(value = Engine.class, mode = EnumSource.Mode.EXCLUDE, names = "openai")
  void whatIsSetGoesBeforeThePreset(Engine engine) {
    String own =
        "maxNumSeqs: 7, gpuMemoryUtilization: 0.5, chunkedPrefill: false, enforceEager: false";

    for (EnginePreset preset : EnginePreset.values()) {
      assertThat(arguments(engine, "{%s, preset: %s}".formatted(own, preset)))
          .isEqualTo(arguments(engine, "{" + own + "}"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "generate, , --incremental-streaming-output",
    "generate, docker.io/lmsysorg/sglang:v0.5.10, --incremental-streaming-output",
    "generate, docker.io/lmsysorg/sglang:v0.5.9-cu129, --stream-output",
    "generate, team/llm:1, --incremental-streaming-output",
    "completions, , ",
    "chat_completions, , ",
  })
  void sglangStreamsWhatIsNewOfAnAnswer(
      String route, @Nullable String image, @Nullable String flag) {
    InferenceBackendSpec spec =
        Fixtures.backend(
                "engine: sglang\nmodel: {name: m}\nendpointType: %s\n%s"
                    .formatted(route, image == null ? "" : "image: " + image))
            .getSpec();

    assertThat(ServerCommand.of(Engine.sglang).arguments(spec))
        .filteredOn(word -> word.contains("stream"))
        .isEqualTo(flag == null ? List.of() : List.of(flag));
  }

  @Test
  void noPresetTurnsPrefixCachingOn() {
    for (EnginePreset preset : EnginePreset.values()) {
      assertThat(arguments(Engine.vllm, "{preset: %s}".formatted(preset)))
          .contains("--no-enable-prefix-caching");
      assertThat(arguments(Engine.sglang, "{preset: %s}".formatted(preset)))
          .contains("--disable-radix-cache");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "vllm, false, '', false",
    "vllm, true, '', true",
    "vllm, true, --no-enable-prefix-caching, false",
    "vllm, false, --enable_prefix_caching, true",
    "vllm, false, --enable-prefix-caching --no-enable-prefix-caching, false",
    "sglang, false, '', false",
    "sglang, true, '', true",
    "sglang, true, --disable-radix-cache, false"
  })
  void whetherPromptsAreKeptFollowsTheLastWord(
      Engine engine, boolean set, String args, boolean kept) {
    InferenceBackendSpec spec =
        Fixtures.backend(
                "engine: %s\nmodel: {name: m}\nengineConfig: {prefixCaching: %s}\nargs: [%s]"
                    .formatted(engine, set, args.replace(" ", ", ")))
            .getSpec();

    assertThat(ServerCommand.of(engine).cachesPrefixes(spec)).isEqualTo(kept);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vllm   |      |                                                      | -1",
        "vllm   | 4096 |                                                      | 4095",
        "vllm   | 4096 | --max-model-len 8192                                 | 8191",
        "vllm   |      | --max_model_len=16k                                  | 15999",
        "vllm   |      | --max-model-len 16K                                  | 16383",
        "vllm   |      | --max-model-len auto                                 | -1",
        "vllm   | 4096 | --override-generation-config {\"max_new_tokens\":64}   | 64",
        "vllm   |      | --override_generation_config={\"temperature\":1}       | -1",
        "vllm   |      | --override-generation-config.max_new_tokens 32       | 32",
        "vllm   |      | --override-generation-config {broken                 | -1",
        "vllm   |      | --max-model-len                                      | -1",
        "sglang |      |                                                      | -1",
        "sglang | 4096 |                                                      | 4095",
        "sglang |      | --context-length 2048                                | 2047",
      })
  void whatBoundsAnswersIsToldByTheArguments(
      Engine engine, @Nullable Integer context, @Nullable String args, int most) {
    InferenceBackendSpec spec =
        Fixtures.backend(
                "engine: %s\nmodel: {name: m}\n".formatted(engine)
                    + (context == null ? "" : "engineConfig: {maxModelLen: " + context + "}\n")
                    + (args == null
                        ? ""
                        : "args: ["
                            + Arrays.stream(args.split(" ", -1))
                                .map(arg -> "'" + arg + "'")
                                .collect(Collectors.joining(", "))
                            + "]\n"))
            .getSpec();

    assertThat(ServerCommand.of(engine).mostNewTokens(spec).orElse(-1)).isEqualTo(most);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vllm   | --max-num-batched-tokens 8192                                  | ",
        "vllm   | --speculative-config {\"method\":\"eagle3\",\"model\":\"h\",\"num_speculative_tokens\":3} | h eagle3 3 1 []",
        "vllm   | -sc {\"model\":\"h\",\"num-speculative-tokens\":3,\"max_model_len\":9} | h null 3 1 []",
        "vllm   | --speculative-config.model h --speculative_config.num_speculative_tokens=3 | h null 3 1 []",
        "vllm   | --spec-method eagle3 --spec-model=h --spec-tokens 3            | h eagle3 3 1 []",
        "vllm   | --speculative-config {\"model\":\"h\",\"quantization\":\"fp8\"} | h null null 1 [quantization]",
        "vllm   | --speculative-config.rejection_sample_method synthetic         | null null null 1 [rejection_sample_method]",
        "vllm   | --speculative-config {broken                                   | null null null 1 []",
        "vllm   | --speculative-config                                           | null null null 1 []",
        "sglang | --tp-size 8                                                    | ",
        "sglang | --speculative-algorithm EAGLE3 --speculative-draft-model-path h --speculative-num-steps 3"
            + " --speculative-eagle-topk 1 --speculative-num-draft-tokens 4     | h EAGLE3 3 1 []",
        "sglang | --speculative-algo=EAGLE3 --speculative-draft-model=h          | h EAGLE3 null null []",
        "sglang | --speculative-num-steps 3 --speculative-num-draft-tokens 8     | null null 3 null [speculative-num-draft-tokens]",
        "sglang | --speculative-num-steps many --speculative-adaptive            | null null null null [speculative-adaptive]",
      })
  void whatIsSaidOfADraftModelIsUnderstood(Engine engine, String words, @Nullable String draft) {
    RunPlan.Draft found = ServerCommand.of(engine).draft(List.of(words.split(" ")));

    assertThat(
            found == null
                ? null
                : String.join(
                    " ",
                    found.model(),
                    found.algorithm(),
                    String.valueOf(found.steps()),
                    String.valueOf(found.topK()),
                    found.others().toString()))
        .isEqualTo(draft);
  }

  private static List<String> arguments(Engine engine, String engineConfig) {
    InferenceBackendSpec spec =
        Fixtures.backend(
                "engine: %s\nmodel: {name: m}\nengineConfig: %s".formatted(engine, engineConfig))
            .getSpec();
    return ServerCommand.of(engine).arguments(spec);
  }
}
