package dev.loadgen.operator.desired;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.Engine;
import dev.loadgen.api.v1alpha1.EnginePreset;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.operator.Fixtures;
import java.util.List;
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
  @EnumSource(Engine.class)
  void whatIsSetGoesBeforeThePreset(Engine engine) {
    String own =
        "maxNumSeqs: 7, gpuMemoryUtilization: 0.5, chunkedPrefill: false, enforceEager: false";

    for (EnginePreset preset : EnginePreset.values()) {
      assertThat(arguments(engine, "{%s, preset: %s}".formatted(own, preset)))
          .isEqualTo(arguments(engine, "{" + own + "}"));
    }
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

  private static List<String> arguments(Engine engine, String engineConfig) {
    InferenceBackendSpec spec =
        Fixtures.backend(
                "engine: %s\nmodel: {name: m}\nengineConfig: %s".formatted(engine, engineConfig))
            .getSpec();
    return ServerCommand.of(engine).arguments(spec);
  }
}
