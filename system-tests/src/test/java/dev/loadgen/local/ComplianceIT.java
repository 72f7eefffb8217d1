package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.RunResult.ComplianceCheck;
import dev.loadgen.contract.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A compliance test, from apply to what the status says of it. */
class ComplianceIT {
  private TestSystem system;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    system = TestSystem.start(folder);
  }

  @AfterEach
  void stop() {
    system.close();
  }

  @Test
  void theStatusSaysWhatAComplianceTestCameTo() throws IOException {
    system.backend("tiny");
    system.apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: audit}
        spec:
          benchmark: llama3.1-8b
          scenario: Server
          compliance: TEST06
          backendRef: {name: tiny}
          dataset: {configMapName: prompts, path: quickstart.json}
          load: {targetQps: 60}
        """);
    system.apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: other-test}
        spec:
          benchmark: llama3.1-8b
          scenario: Offline
          compliance: TEST09
          backendRef: {name: tiny}
          dataset: {configMapName: prompts, path: quickstart.json}
        """);

    BenchmarkRun ended = system.awaitEnd("audit");

    assertThat(ended.getStatus().phase()).as("%s", ended.getStatus()).isEqualTo(Phase.Completed);
    assertThat(ended.getStatus().verdict())
        .as("%s", ended.getStatus().verdictReasons())
        .isEqualTo(Verdict.Valid);
    assertThat(ended.getStatus().result().compliance().test()).isEqualTo("TEST06");
    assertThat(ended.getStatus().result().compliance().passed()).isTrue();
    assertThat(ended.getStatus().result().compliance().checks())
        .extracting(ComplianceCheck::outcome)
        .containsExactly("Passed", "Passed", "Passed", "Passed");
    Path results = system.completeFolder(ended);
    assertThat(Files.readString(results.resolve("verify_accuracy.txt")))
        .endsWith("TEST06 verification complete\n");
    assertThat(Files.readString(results.resolve("audit.config")))
        .contains("*.*.accuracy_log_sampling_target = 100\n");

    BenchmarkRun refused = system.await("other-test", run -> run.getStatus().conditions() != null);
    assertThat(TestSystem.condition(refused, ConditionTypes.RESOLVED_REFS).getMessage())
        .contains("spec.compliance: TEST09 is not a compliance test of llama3.1-8b in none");
  }
}
