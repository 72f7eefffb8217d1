package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.desired.Fixtures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory that a run names for its runner, beside what its dataset needs. */
class NamedMemoryTest {
  private static String spec(String benchmark, String ruleset, String scenario, String more) {
    return """
        benchmark: %s
        ruleset: %s
        scenario: %s
        backendRef: {name: llm}
        dataset: {claimName: datasets, path: samples.parquet}
        load: {targetQps: 10}
        %s
        """
        .formatted(benchmark, ruleset, scenario, more);
  }

  @Test
  void tooLittleIsRefusedBeforeServersStart() {
    assertThat(
            RunSpecProblems.of(
                Fixtures.run(
                    "r",
                    spec(
                        "qwen3-vl-235b-a22b",
                        "v6.1",
                        "Offline",
                        "runner: {resources: {memory: 8Gi}}"))))
        .containsExactly(
            "spec.runner.resources.memory: 8Gi does not hold the dataset of qwen3-vl-235b-a22b in"
                + " v6.1; give 10Gi or more, or remove it; a smaller dataset can be tried with"
                + " ruleset none");
  }

  @ParameterizedTest
  @CsvSource({"v6.1, 10Gi", "v6.1, 12884901888", "none, 100Mi"})
  void enoughIsEnough(String ruleset, String memory) {
    assertThat(
            RunSpecProblems.of(
                Fixtures.run(
                    "r",
                    spec(
                        "qwen3-vl-235b-a22b",
                        ruleset,
                        "Offline",
                        "runner: {resources: {memory: \"%s\"}}".formatted(memory)))))
        .isEmpty();
  }
}
