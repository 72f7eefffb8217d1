package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanSamplingBuilder;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.Fault;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that answer in full, and otherwise than they were asked. */
@Timeout(300)
class AskedAnswersIT {
  private static final int MOST = 16;

  private final Path folder;

  AskedAnswersIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  /** Answers have all the tokens that they may have. */
  private static PlanBuilder plan(SimulatedEngine engine, boolean streaming) {
    PlanBuilder plan =
        new PlanBuilder().offline(60).streams(streaming).sampling(sampling(null, true));
    return engine == SimulatedEngine.SGLANG
        ? plan.server(dev.loadgen.contract.Engine.sglang, EndpointType.generate)
        : plan;
  }

  private static RunPlan.Sampling sampling(@Nullable List<String> stop, boolean ignoreEos) {
    return RunPlanSamplingBuilder.builder()
        .temperature(0.0)
        .stop(stop)
        .maxNewTokens(MOST)
        .ignoreEos(ignoreEos)
        .build();
  }

  @ParameterizedTest(name = "{0} {1} streaming {2}: {3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "VLLM   | overlong     | false | AnswersTooLong | more tokens than the 16 that were asked for at most, such as one of 32 tokens",
        "SGLANG | overlong     | true  | AnswersTooLong | such as one of 32 tokens",
        "VLLM   | capped       | true  | AnswersCut     | with fewer tokens than the 16 that were asked for, such as one of 8 tokens",
        "SGLANG | capped       | false | AnswersCut     | such as one of 8 tokens",
        "VLLM   | foreign-stop | true  | StopReasons    | ended for what was not asked for: stop_string",
        "SGLANG | foreign-stop | false | StopReasons    | ended for what was not asked for: stop_string",
        "VLLM   | short        | false | StopReasons    | ended for what was not asked for: stop",
      })
  void anAnswerThatWasNotAskedForIsNoSuccess(
      SimulatedEngine engine, String fault, boolean streaming, String rule, String message) {
    try (Simulator server =
        Servers.start(
            Servers.options(engine).faults(List.of(Fault.parse(fault + ",after=1,every=2"))))) {
      Ended run =
          ForkedRunner.run(folder, plan(engine, streaming).replica(server.url())).completed();

      assertThat(run.summary().result().failed()).isZero();
      run.tokensAgree();
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
      assertThat(run.summary().verdictReasons()).extracting(VerdictReason::rule).contains(rule);
      assertThat(run.summary().verdictReasons())
          .filteredOn(reason -> reason.rule().equals(rule))
          .singleElement()
          .satisfies(
              reason ->
                  assertThat(reason.message()).startsWith("30 of 60 answers").contains(message));
    }
  }

  @Test
  void whatWasAskedForIsValid() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(60)
                      .sampling(sampling(List.of("a", "e"), false))
                      .replica(server.url()))
              .accepted();

      assertThat(run.requests().stream().map(row -> row[Ended.FINISH_REASON]).distinct())
          .contains("stop_string")
          .isSubsetOf("stop", "stop_string", "length");
    }
  }

  @Test
  void aTestThatItLosesEndsAtOnceIfAsked() {
    try (Simulator server = Servers.vllm("capped,at=9")) {
      ForkedRunner.run(
              folder,
              plan(SimulatedEngine.VLLM, false)
                  .offline(100_000)
                  .test(t -> t.failFast(true))
                  .replica(server.url()))
          .failed(
              RunnerExit.CANNOT_BE_VALID,
              "answers are not as they were asked for, 0 may: one of 8 tokens ended by length (cut by"
                  + " the server)");
    }
  }
}
