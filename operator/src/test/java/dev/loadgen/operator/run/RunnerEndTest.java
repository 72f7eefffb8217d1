package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunnerEndTest {
  private static final RunSummary VALID =
      RunSummaryBuilder.builder()
          .version(1)
          .verdict(Verdict.Valid)
          .verdictReasons(List.of())
          .resultsPath("r/uid")
          .startedAt("a")
          .finishedAt("b")
          .build();

  @Test
  void aSummaryWithoutFailureCompletesTheRun() {
    assertThat(RunnerEnd.decide(end(0, null, ContractJson.write(VALID)), false))
        .isEqualTo(new RunDecision.Complete(VALID));
  }

  @Test
  void aFailureOfTheSummaryIsTheRuns() {
    assertThat(RunnerEnd.decide(end(10, "Error", failure("DatasetInvalid", "no column")), false))
        .isEqualTo(new RunDecision.Fail("DatasetInvalid", "no column", "r/uid"));
  }

  @Test
  void numbersThatAreNoneAreLeftOutAndTold() {
    String summary =
        """
        {"version":1,"verdict":"Valid","resultsPath":"r/uid","result":{"metric":"m","value":5,
         "tokensPerSecond":"Infinity","latency":{"mean":"NaN","p50":1.5,"p90":1e999},
         "accuracy":[{"name":"ROUGE1","value":"-Infinity"}]}}
        """;

    assertThat(RunnerEnd.decide(end(0, null, summary), false))
        .isInstanceOfSatisfying(
            RunDecision.Complete.class,
            complete -> {
              assertThat(complete.leftOut())
                  .containsExactly(
                      "result.tokensPerSecond",
                      "result.latency.mean",
                      "result.latency.p90",
                      "result.accuracy.0.value");
              assertThat(complete.summary().verdict()).isEqualTo(Verdict.Valid);
              assertThat(complete.summary().result().latency().mean()).isNull();
              assertThat(complete.summary().result().latency().p50()).isEqualTo(1.5);
            });
  }

  @Test
  void aFailureWithoutWordsIsAFailure() {
    assertThat(RunnerEnd.decide(end(10, "Error", "{\"version\":1,\"failure\":{}}"), false))
        .isEqualTo(
            new RunDecision.Fail(Reasons.INTERNAL_ERROR, "the runner gives no reason", null));
  }

  @Test
  void theDeadlineOfKubernetesExplainsAnInterruption() {
    RunDecision decision =
        RunnerEnd.decide(end(143, "Error", failure(Reasons.INTERRUPTED, "SIGTERM")), true);

    assertThat(decision).isInstanceOf(RunDecision.Fail.class);
    assertThat(((RunDecision.Fail) decision).reason()).isEqualTo(Reasons.DEADLINE_EXCEEDED);
    assertThat(((RunDecision.Fail) decision).resultsPath()).isEqualTo("r/uid");
  }

  @Test
  void aTestThatEndedJustBeforeTheDeadlineCounts() {
    assertThat(RunnerEnd.decide(end(0, null, ContractJson.write(VALID)), true))
        .isInstanceOf(RunDecision.Complete.class);
  }

  @Test
  void wantOfMemoryIsNamedWithItsCure() {
    assertThat(RunnerEnd.decide(end(137, "OOMKilled", null), false))
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.RUNNER_OUT_OF_MEMORY,
                "the runner ended without a summary, exit code 137, out of memory; raise spec.runner.resources.memory",
                null));
  }

  @Test
  void aFullHeapIsWantOfMemory() {
    RunDecision end =
        RunnerEnd.decide(
            end(3, "Error", "Terminating due to java.lang.OutOfMemoryError: Java heap space"),
            false);

    assertThat(end)
        .isInstanceOfSatisfying(
            RunDecision.Fail.class,
            fail -> {
              assertThat(fail.reason()).isEqualTo(Reasons.RUNNER_OUT_OF_MEMORY);
              assertThat(fail.message())
                  .contains("exit code 3", "Java heap space", "raise spec.runner.resources.memory");
            });
  }

  @Test
  void aCrashOfNativeCodeIsNamedAndItsLogQuoted() {
    assertThat(crash(end(139, "Error", "A fatal error has been detected")))
        .contains("SIGSEGV")
        .contains("its log ends: A fatal error has been detected");
  }

  @Test
  void anEndWithZeroButNoSummaryIsACrash() {
    assertThat(crash(end(0, null, "bye"))).contains("exit code 0");
    assertThat(crash(end(0, null, "{\"verdict\": truncated"))).contains("exit code 0");
  }

  @Test
  void aSummaryThatSaysWellWithAFailingExitCodeIsNotBelieved() {
    assertThat(crash(end(1, "Error", ContractJson.write(VALID))))
        .contains("wrote its results and then crashed", "exit code 1");
  }

  @Test
  void aRunnerOfAnotherContractIsNamed() {
    RunDecision decision =
        RunnerEnd.decide(
            end(0, null, ContractJson.write(VALID).replace("\"version\":1", "\"version\":2")),
            false);

    assertThat(decision)
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.INTERNAL_ERROR,
                "the runner uses version 2 of the run contract, and this operator uses version 1;"
                    + " set spec.runner.image to an image of the operator's version, or remove it",
                "r/uid"));
  }

  /** Whatever a newer version has made of its fields. */
  @Test
  void aRunnerOfANewerContractIsNamedThoughItsSummaryCannotBeRead() {
    RunDecision decision =
        RunnerEnd.decide(
            end(
                0,
                null,
                "{\"version\":3,\"verdict\":{\"of\":\"Valid\"},\"resultsPath\":\"r/uid\"}"),
            false);

    assertThat(decision)
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.INTERNAL_ERROR,
                "the runner uses version 3 of the run contract, and this operator uses version 1;"
                    + " set spec.runner.image to an image of the operator's version, or remove it",
                "r/uid"));
  }

  @Test
  void whatANewerRunnerAddsToItsSummaryIsLeftOut() {
    String more =
        ContractJson.write(VALID).replace("{\"version\":1", "{\"added\":[1],\"version\":1");

    assertThat(RunnerEnd.decide(end(0, null, more), false))
        .isEqualTo(new RunDecision.Complete(VALID));
    assertThat(crash(end(0, null, "{\"level\":\"INFO\",\"message\":\"bye\"}")))
        .contains("exit code 0");
  }

  @Test
  void aReasonThatNoConditionMayHaveIsReplaced() {
    RunDecision decision = RunnerEnd.decide(end(10, "Error", failure("not a reason!", "m")), false);

    assertThat(((RunDecision.Fail) decision).reason()).isEqualTo(Reasons.INTERNAL_ERROR);
  }

  private static String crash(ContainerStateTerminated end) {
    RunDecision decision = RunnerEnd.decide(end, false);
    assertThat(decision).isInstanceOf(RunDecision.Fail.class);
    assertThat(((RunDecision.Fail) decision).reason()).isEqualTo(Reasons.RUNNER_CRASHED);
    return ((RunDecision.Fail) decision).message();
  }

  private static String failure(String reason, String message) {
    return ContractJson.write(
        RunSummaryBuilder.builder()
            .version(1)
            .failure(new RunSummary.Failure(reason, message))
            .resultsPath("r/uid")
            .startedAt("a")
            .finishedAt("b")
            .build());
  }

  private static ContainerStateTerminated end(
      int code, @Nullable String reason, @Nullable String message) {
    return new ContainerStateTerminatedBuilder()
        .withExitCode(code)
        .withReason(reason)
        .withMessage(message)
        .build();
  }
}
