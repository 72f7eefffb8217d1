package dev.loadgen.runner.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.api.v1alpha1.Engine;
import org.junit.jupiter.api.Test;

class GeneratedTokensTest {
  @Test
  void readsVllmsCounterAndNotItsTimeOfCreation() {
    String metrics =
        """
        # HELP vllm:generation_tokens_total Number of generation tokens processed.
        # TYPE vllm:generation_tokens_total counter
        vllm:generation_tokens_total{engine="0",model_name="tiny-llama"} 426.0
        # TYPE vllm:generation_tokens_created gauge
        vllm:generation_tokens_created{engine="0",model_name="tiny-llama"} 1.7952287542368853e+09
        vllm:request_generation_tokens_bucket{engine="0",le="1.0",model_name="tiny-llama"} 2.0
        """;

    assertThat(GeneratedTokens.read(metrics, Engine.vllm)).hasValue(426);
    assertThat(GeneratedTokens.read(metrics, Engine.sglang)).isEmpty();
  }

  @Test
  void addsUpTheLabelsOfSglang() {
    String metrics =
        """
        sglang:generation_tokens_histogram_sum{model_name="tiny-llama"} 7722.0
        sglang:generation_tokens_total{is_streaming="false",model_name="tiny-llama"} 4479.0
        sglang:generation_tokens_total{is_streaming="true",model_name="tiny-llama"} 3243.0
        """;

    assertThat(GeneratedTokens.read(metrics, Engine.sglang)).hasValue(7722);
  }

  @Test
  void readsAllOfTheTextFormat() {
    String metrics =
        """
        vllm:generation_tokens_total 1.5e+06
        vllm:generation_tokens_total{name="a } \\" b"} 2 1795228754236
        vllm:generation_tokens_total_extra 100
        """;

    assertThat(GeneratedTokens.read(metrics, Engine.vllm)).hasValue(1_500_002);
  }

  @Test
  void namesALineThatItCannotRead() {
    assertThatThrownBy(() -> GeneratedTokens.read("vllm:generation_tokens_total x", Engine.vllm))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("vllm:generation_tokens_total x");
  }
}
