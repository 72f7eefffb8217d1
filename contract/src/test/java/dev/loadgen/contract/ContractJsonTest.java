package dev.loadgen.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContractJsonTest {
  private static final RunPlan PLAN =
      RunPlanBuilder.builder()
          .version(RunPlan.VERSION)
          .run(new RunPlan.Run("default", "r", "u", null))
          .test(
              RunPlanTestBuilder.builder()
                  .benchmark("custom")
                  .ruleset("none")
                  .scenario(Scenario.Server)
                  .mode(TestMode.Performance)
                  .targetQps(5.0)
                  .minDurationMs(1000L)
                  .minQueryCount(10L)
                  .tokenLatencies(true)
                  .ttftLimitMs(2000.0)
                  .tpotLimitMs(100.0)
                  .completionData(RunPlan.CompletionData.TOKEN_IDS)
                  .compliance("TEST06")
                  .failFast(true)
                  .build())
          .server(
              RunPlanServerBuilder.builder()
                  .engine(Engine.vllm)
                  .endpointType(EndpointType.completions)
                  .model("m")
                  .replicas(List.of(new RunPlan.Replica("b-0", "http://b-0:8000")))
                  .logs(true)
                  .profiling(
                      new RunPlan.Profiling(ProfilingTool.Torch, "traces", "b", 30_000L, 10_000L))
                  .draft(new RunPlan.Draft("head", null, 3, 1, List.of("quantization")))
                  .build())
          .dataset(new RunPlan.Dataset("d.json", null, DatasetFormat.Auto, null, null))
          .client(new RunPlan.Client(1, null, true, LoadBalancing.RoundRobin, 600_000, 4, 0))
          .sampling(RunPlanSamplingBuilder.builder().temperature(0.0).maxNewTokens(64).build())
          .metrics(new RunPlan.Metrics(5_000, List.of()))
          .timeouts(new RunPlan.Timeouts(60_000, 600_000))
          .build();

  @Test
  void whatIsWrittenIsReadAgain() throws JsonProcessingException {
    assertThat(ContractJson.read(ContractJson.write(PLAN), RunPlan.class)).isEqualTo(PLAN);
  }

  @Test
  void aFieldThatThisVersionDoesNotKnowIsRefusedByName() {
    String newer =
        ContractJson.write(PLAN)
            .replace("\"coalesceQueries\"", "\"speculate\":1,\"coalesceQueries\"");

    assertThatThrownBy(() -> ContractJson.read(newer, RunPlan.class))
        .hasMessageContaining("speculate");
  }

  @Test
  void aSummaryIsReadWithoutNumbersThatAreNone() throws JsonProcessingException {
    List<String> leftOut = new ArrayList<>();

    RunSummary read =
        ContractJson.readSummary(
            "{\"version\":1,\"newer\":1,\"result\":{\"value\":\"NaN\",\"durationSeconds\":2.5}}",
            leftOut);

    assertThat(read.result().value()).isNull();
    assertThat(read.result().durationSeconds()).isEqualTo(2.5);
    assertThat(leftOut).containsExactly("result.value");
  }

  @Test
  void exitCodesAreDistinctAndNoneIsACrash() {
    assertThat(Arrays.stream(RunnerExit.values()).map(RunnerExit::code))
        .doesNotHaveDuplicates()
        .doesNotContain(1, 137, 139);
    assertThat(RunnerExit.OUT_OF_MEMORY.code()).isEqualTo(3);
  }

  @Test
  void exitsAreFoundByTheirReasons() {
    assertThat(RunnerExit.values())
        .allSatisfy(exit -> assertThat(RunnerExit.ofReason(exit.reason())).contains(exit));
    assertThat(RunnerExit.ofReason("Crashed")).isEmpty();
  }
}
