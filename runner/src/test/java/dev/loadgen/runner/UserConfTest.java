package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.Scenario;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class UserConfTest {
  private static String conf(PlanBuilder plan) {
    return UserConf.of(plan.build().test(), 64, 100);
  }

  @Test
  void serverHasItsLimits() {
    assertThat(
            conf(
                new PlanBuilder()
                    .benchmark("llama3.1-8b", "llama3_1-8b")
                    .server(Scenario.Server, 512, 12.5)
                    .minDuration(Duration.ofSeconds(10))
                    .streaming(true)
                    .tokenLimits(2000.0, 100.0)))
        .isEqualTo(
            """
            llama3_1-8b.Server.target_qps = 12.500000
            llama3_1-8b.Server.min_duration = 10000
            llama3_1-8b.Server.min_query_count = 512
            llama3_1-8b.Server.performance_sample_count_override = 64
            llama3_1-8b.Server.accuracy_sample_count_override = 100
            llama3_1-8b.Server.use_token_latencies = 1
            llama3_1-8b.Server.ttft_latency = 2000
            llama3_1-8b.Server.tpot_latency = 100
            """);
  }

  @Test
  void interactiveIsServerOfAnotherKey() {
    assertThat(
            conf(
                new PlanBuilder()
                    .benchmark("llama3.1-8b", "llama3_1-8b-interactive")
                    .server(Scenario.Interactive, 512, 3)
                    .minDuration(null)
                    .test(t -> t.latencyLimitMs(1500.0))))
        .isEqualTo(
            """
            llama3_1-8b-interactive.Server.target_qps = 3.000000
            llama3_1-8b-interactive.Server.min_query_count = 512
            llama3_1-8b-interactive.Server.performance_sample_count_override = 64
            llama3_1-8b-interactive.Server.accuracy_sample_count_override = 100
            llama3_1-8b-interactive.Server.use_token_latencies = 0
            llama3_1-8b-interactive.Server.target_latency = 1500
            """);
  }

  @Test
  void offlineWithoutAModelKeyHasNoLatency() {
    assertThat(conf(new PlanBuilder().offline(20).test(t -> t.latencyLimitMs(1500.0))))
        .isEqualTo(
            """
            custom.Offline.target_qps = 100.000000
            custom.Offline.min_duration = 1
            custom.Offline.min_query_count = 20
            custom.Offline.performance_sample_count_override = 64
            custom.Offline.accuracy_sample_count_override = 100
            custom.Offline.use_token_latencies = 0
            """);
  }

  @Test
  void tokenLimitsAreServersWhateverTheScenario() {
    assertThat(
            conf(
                new PlanBuilder()
                    .offline(20)
                    .test(t -> t.tokenLatencies(true))
                    .tokenLimits(2000.0, null)))
        .contains("custom.Offline.use_token_latencies = 1\ncustom.Server.ttft_latency = 2000\n")
        .doesNotContain("tpot_latency");
  }

  @Test
  void usersLinesComeLast() {
    assertThat(
            conf(
                new PlanBuilder()
                    .test(t -> t.userConf("\n*.Offline.target_qps = 7\n*.*.mode = 2\n\n"))))
        .endsWith("use_token_latencies = 0\n*.Offline.target_qps = 7\n*.*.mode = 2\n");
  }

  @Test
  void aLoadGenWithoutASettingGetsNoLineForIt() {
    assertThat(UserConf.of(new PlanBuilder().build().test(), 64, null))
        .contains("performance_sample_count_override = 64")
        .doesNotContain(UserConf.ACCURACY_SAMPLE_COUNT);
  }

  @Test
  void theUsersOwnCountOfAccuracySamplesIsSeen() {
    assertThat(UserConf.setsAccuracySampleCount("a = 1\n*.*.accuracy_sample_count_override = 3"))
        .isTrue();
    assertThat(UserConf.setsAccuracySampleCount("# *.*.accuracy_sample_count_override = 3"))
        .isFalse();
    assertThat(UserConf.setsAccuracySampleCount(null)).isFalse();
  }
}
