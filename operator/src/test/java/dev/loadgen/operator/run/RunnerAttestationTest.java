package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunnerAttestationTest {
  private static final List<String> FOREIGN = List.of("the runner's image is mine");

  @Test
  void theOperatorsOwnRunnerIsBelieved() {
    RunSummary valid = summary(Verdict.Valid);

    assertThat(RunnerAttestation.held(valid, List.of())).isSameAs(valid);
  }

  @Test
  void aForeignRunnersWordIsNoEvidence() {
    RunSummary held = RunnerAttestation.held(summary(Verdict.Valid), FOREIGN);

    assertThat(held.verdict()).isEqualTo(Verdict.Inconclusive);
    assertThat(held.verdictReasons())
        .singleElement()
        .satisfies(
            reason -> {
              assertThat(reason.rule()).isEqualTo("NotAttested");
              assertThat(reason.message()).isEqualTo("the runner's image is mine.");
            });
  }

  /** It may have said Valid beside its own reason. */
  @Test
  void noVerdictOfAForeignRunnerIsValid() {
    RunSummary told =
        summary(Verdict.Valid, new VerdictReason("NotAttested", "of the servers", "do"));

    assertThat(RunnerAttestation.held(told, FOREIGN).verdict()).isEqualTo(Verdict.Inconclusive);
  }

  @Test
  void whatIsInvalidStaysSo() {
    RunSummary held =
        RunnerAttestation.held(
            summary(Verdict.Invalid, new VerdictReason("Ttft", "late", "hurry")), FOREIGN);

    assertThat(held.verdict()).isEqualTo(Verdict.Invalid);
    assertThat(held.verdictReasons())
        .extracting(VerdictReason::rule)
        .containsExactly("Ttft", "NotAttested");
  }

  @Test
  void whatTheRunnerSaysItselfIsNotSaidTwice() {
    RunSummary told =
        summary(Verdict.Inconclusive, new VerdictReason("NotAttested", "its image", "do"));

    assertThat(RunnerAttestation.held(told, FOREIGN)).isSameAs(told);
  }

  private static RunSummary summary(Verdict verdict, VerdictReason... reasons) {
    return RunSummaryBuilder.builder()
        .version(1)
        .verdict(verdict)
        .verdictReasons(List.of(reasons))
        .resultsPath("r/uid")
        .startedAt("a")
        .finishedAt("b")
        .build();
  }
}
