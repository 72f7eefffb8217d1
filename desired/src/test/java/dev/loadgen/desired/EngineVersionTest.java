package dev.loadgen.desired;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Engine;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineVersionTest {
  @ParameterizedTest
  @CsvSource({
    "vllm, docker.io/vllm/vllm-openai:v0.11.2, 0, 11, 2",
    "vllm, vllm-openai:0.9, 0, 9, 0",
    "vllm, registry.example:5000/mirror/vllm-openai-rocm:v0.16.0-x@sha256:12.3, 0, 16, 0",
    "sglang, docker.io/lmsysorg/sglang:v0.5.23, 0, 5, 23",
    "sglang, mirror.example/lmsysorg/sglang:v0.5.9-cu129, 0, 5, 9",
    "sglang, sglang:v0.5.10.post1, 0, 5, 10",
  })
  void theTagOfTheProjectsImageIsTheVersion(
      Engine engine, String image, int major, int minor, int patch) {
    assertThat(EngineVersion.of(ServerCommand.of(engine), image))
        .isEqualTo(Optional.of(new EngineVersion(major, minor, patch)));
  }

  @ParameterizedTest
  @CsvSource({
    "vllm, vllm/vllm-openai",
    "vllm, vllm/vllm-openai:latest",
    "vllm, vllm/vllm-openai:nightly-0.9.1",
    "vllm, vllm/vllm-openai@sha256:0123",
    "vllm, registry.example:0.5/team/llm:1.0",
    "vllm, team/vllm:0.1",
    "vllm, docker.io/lmsysorg/sglang:v0.5.23",
    "sglang, lmsysorg/sglang:latest",
    "sglang, team/sglang-fast:0.1.2",
    "sglang, docker.io/vllm/vllm-openai:v0.11.2",
  })
  void anyOtherTagIsNone(Engine engine, String image) {
    assertThat(EngineVersion.of(ServerCommand.of(engine), image)).isEmpty();
  }
}
