package dev.loadgen.reconcile.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ReadinessTest {
  @ParameterizedTest
  @CsvSource({
    "Available, Ready",
    "Idle, Ready",
    "Starting, Reconciling",
    "Failed, Stalled",
  })
  void ofABackendOneHolds(BackendPhase phase, String holds) {
    List<Condition> conditions = Readiness.of(phase, "Because", "in words");

    assertThat(conditions)
        .extracting(Condition::getType)
        .containsExactly("Ready", "Reconciling", "Stalled");
    assertThat(conditions)
        .allSatisfy(
            condition -> {
              assertThat(condition.getStatus())
                  .isEqualTo(condition.getType().equals(holds) ? "True" : "False");
              assertThat(condition.getReason()).isEqualTo("Because");
              assertThat(condition.getMessage()).isEqualTo("in words");
            });
  }

  @ParameterizedTest
  @EnumSource
  void everyPhaseOfABackendIsJudged(BackendPhase phase) {
    assertThat(Readiness.of(phase, "Because", "in words").stream().filter(this::holds)).hasSize(1);
  }

  @Test
  void aVerdictNamesItsFirstReasonAndCountsTheOthers() {
    assertThat(finished("[{rule: A, message: a is 3 of 5, fix: f}]"))
        .isEqualTo("Invalid: ended; A: a is 3 of 5");
    assertThat(finished("[{rule: A, message: a is 3 of 5}, {rule: B}, {rule: C}]"))
        .isEqualTo("Invalid: ended; A: a is 3 of 5; and 2 more reasons");
    assertThat(finished("[]")).isEqualTo("Invalid: ended");
  }

  @Test
  void aRunThatWaitsForSeveralThingsTellsTheFirst() {
    assertThat(
            told(
                "{phase: Pending, conditions: ["
                    + "{type: BackendReady, status: 'False', reason: R, message: second},"
                    + "{type: ResolvedRefs, status: 'False', reason: R, message: first}]}"))
        .contains("Reconciling True R first", "Ready False R first", "Stalled False R first");
  }

  @Test
  void aRunThatIsCompleteWithoutAVerdictIsNotReady() {
    assertThat(
            told(
                "{phase: Completed, conditions: ["
                    + "{type: Complete, status: 'True', reason: TestEnded, message: ended}]}"))
        .contains("Ready False", "Stalled True Inconclusive", "Finished True Inconclusive");
  }

  @Test
  void aStatusThatSaysNothingIsNotJudged() {
    assertThat(Readiness.of(status("{observedGeneration: 1}"))).isEmpty();
    assertThat(told("{phase: Failed}")).contains("Stalled True", "Finished True Failed");
  }

  private boolean holds(Condition condition) {
    return condition.getStatus().equals("True");
  }

  private static String finished(String reasons) {
    Condition finished =
        Conditions.find(
                Readiness.of(
                    status(
                        "{phase: Completed, verdict: Invalid, verdictReasons: %s, conditions: [{type: Complete, status: 'True', reason: TestEnded, message: ended}]}"
                            .formatted(reasons))),
                "Finished")
            .orElseThrow();
    return finished.getReason() + ": " + finished.getMessage();
  }

  private static String told(String status) {
    return Readiness.of(status(status)).stream()
        .map(c -> c.getType() + " " + c.getStatus() + " " + c.getReason() + " " + c.getMessage())
        .collect(Collectors.joining("\n"));
  }

  private static BenchmarkRunStatus status(String status) {
    return Serialization.unmarshal("status: " + status, BenchmarkRun.class).getStatus();
  }
}
