package dev.loadgen.desired;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunnerMemoryTest {
  private static String spec(String benchmark, String ruleset, String scenario) {
    return """
        benchmark: %s
        ruleset: %s
        scenario: %s
        backendRef: {name: llm}
        dataset: {claimName: datasets, path: samples.parquet}
        load: {targetQps: 10}
        """
        .formatted(benchmark, ruleset, scenario);
  }

  /** Of Qwen3-VL, 48289 images are 6.4 GB, and 8000 of Interactive one. */
  @ParameterizedTest
  @CsvSource({
    "qwen3-vl-235b-a22b, v6.1, Offline, 10Gi",
    "qwen3-vl-235b-a22b, v6.0, Server, 10Gi",
    "qwen3-vl-235b-a22b, v6.1, Interactive, 4Gi",
    "qwen3-vl-235b-a22b, none, Offline, 4Gi",
    "gpt-oss-120b, v6.1, Offline, 4Gi",
    "custom, none, Server, 4Gi"
  })
  void itFollowsTheDatasetOfTheRound(
      String benchmark, String ruleset, String scenario, String memory) {
    BenchmarkRunSpec spec = Fixtures.run("r", spec(benchmark, ruleset, scenario)).getSpec();

    assertThat(RunnerMemory.unlessNamed(spec)).isEqualTo(new Quantity(memory));
    assertThat(RunnerMemory.problem(spec)).isEmpty();
  }
}
