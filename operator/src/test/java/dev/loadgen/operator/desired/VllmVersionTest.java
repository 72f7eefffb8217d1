package dev.loadgen.operator.desired;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VllmVersionTest {
  @ParameterizedTest
  @CsvSource({
    "docker.io/vllm/vllm-openai:v0.11.2, 0, 11",
    "vllm-openai:0.9, 0, 9",
    "registry.example:5000/mirror/vllm-openai-rocm:v0.16.0-x@sha256:12.3, 0, 16",
  })
  void theTagOfTheProjectsImageIsTheVersion(String image, int major, int minor) {
    assertThat(VllmVersion.of(image)).isEqualTo(Optional.of(new VllmVersion(major, minor)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vllm/vllm-openai",
        "vllm/vllm-openai:latest",
        "vllm/vllm-openai:nightly-0.9.1",
        "vllm/vllm-openai@sha256:0123",
        "registry.example:0.5/team/llm:1.0",
        "team/vllm:0.1",
      })
  void anyOtherTagIsNone(String image) {
    assertThat(VllmVersion.of(image)).isEmpty();
  }
}
