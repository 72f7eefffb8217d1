package dev.loadgen.runner;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.LoadBalancing;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanServerBuilder;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.ReplicaResult;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.results.report.StoredRun;
import dev.loadgen.results.report.StoredVerdict;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that die in the middle of a test, second tries, and caches that rules forbid. */
@Timeout(300)
class LostServersIT {
  private final Path folder;

  LostServersIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  @ParameterizedTest
  @EnumSource
  void theOthersGoOnWhenAServerDies(LoadBalancing strategy) {
    try (Simulator good = Servers.vllm();
        Simulator dying = Servers.vllm("exit,at=20")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(400)
                      .client(c -> c.loadBalancing(strategy))
                      .replica(good.url())
                      .replica(dying.url()))
              .completed();

      RunResult result = run.summary().result();
      assertThat(result.completed() + result.failed()).isEqualTo(400);
      assertThat(result.failed()).as("few are lost with it").isBetween(5L, 30L);
      assertThat(result.replicas().get(0).takenOut()).isNull();
      assertThat(result.replicas().get(0).failed()).isZero();
      assertThat(result.replicas().get(1).takenOut()).contains("5 requests in a row");
      assertThat(result.replicas().get(1).errors().keySet()).isSubsetOf("BROKEN", "CONNECT");
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
      assertThat(run.summary().verdictReasons())
          .filteredOn(reason -> reason.rule().equals("ServerLost"))
          .singleElement()
          .satisfies(reason -> assertThat(reason.message()).startsWith("server-1 was taken out"));
    }
  }

  @Test
  void theRestFailsAtOnceWhenTheLastServerDies() {
    try (Simulator dying = Servers.vllm("exit,at=20")) {
      Ended run =
          ForkedRunner.run(folder, new PlanBuilder().offline(5000).replica(dying.url()))
              .completed();

      RunResult result = run.summary().result();
      assertThat(result.completed()).isBetween(1L, 18L);
      assertThat(result.failed()).isEqualTo(5000 - result.completed());
      assertThat(run.summary().verdictReasons())
          .extracting(VerdictReason::rule)
          .contains("ServerLost", "FailedSamples");
    }
  }

  /**
   * Its listen queue is full meanwhile, and the kernel drops what asks for a connection. A few that
   * it answered and forgot it resets when it gets their request.
   */
  @Test
  void aServerThatAcceptsNobodyForAWhileIsNotLost() throws Exception {
    try (Simulator server = Servers.vllm();
        StallingRelay relay = new StallingRelay(server.url(), Duration.ofSeconds(12))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(120)
                      .client(c -> c.maxConcurrency(60))
                      .requestTimeout(Duration.ofSeconds(80))
                      .replica(relay.url()))
              .completed();

      assertThat(relay.stalled()).isTrue();
      assertThat(run.summary().result().durationSeconds()).isGreaterThan(11);
      ReplicaResult replica = run.summary().result().replicas().getFirst();
      assertThat(replica.takenOut()).as(run.output()).isNull();
      assertThat(replica.errors().keySet()).as(run.output()).isSubsetOf("BROKEN");
      assertThat(replica.completed()).as(run.output()).isGreaterThanOrEqualTo(100);
    }
  }

  @Test
  void retriesAreCountedAndSaveTheSample() {
    try (Simulator server = Servers.vllm("status=503,after=1,every=10")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder().offline(60).client(c -> c.retries(2)).replica(server.url()))
              .completed();

      assertThat(run.summary().result().failed()).isZero();
      assertThat(run.summary().result().completed()).isEqualTo(60);
      assertThat(run.summary().result().retries()).isEqualTo(server.counters().struck());
      assertThat(server.counters().requests()).isEqualTo(61 + run.summary().result().retries());
      run.tokensAgree();
    }
  }

  @Test
  void aPrefixCacheThatTheRulesForbidIsSeen() {
    // A block of the cache has 16 tokens.
    String ids = IntStream.range(300, 364).mapToObj(String::valueOf).collect(joining(","));
    String prompts =
        IntStream.range(0, 40)
            .mapToObj(i -> "{\"tok_input\": [" + ids + "," + (1000 + i) + "]}")
            .collect(joining(",", "[", "]"));
    ForkedRunner.dataset(folder, "long.json", prompts.getBytes(StandardCharsets.UTF_8));
    try (Simulator cached =
            Servers.start(Servers.options(SimulatedEngine.VLLM).prefixCaching(true));
        Simulator plain =
            Servers.start(Servers.options(SimulatedEngine.VLLM).prefixCaching(false))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .benchmark("llama3.1-8b", "llama3_1-8b")
                      .test(t -> t.ruleset("v6.1"))
                      .server(Scenario.Offline, 120, 100)
                      .test(t -> t.performanceSampleCount(40))
                      .client(c -> c.maxConcurrency(8))
                      .dataset("long.json")
                      .replica(cached.url())
                      .replica(plain.url()))
              .completed();

      assertThat(run.summary().verdictReasons())
          .filteredOn(reason -> reason.rule().startsWith("PrefixCache"))
          .singleElement()
          .satisfies(
              reason -> {
                assertThat(reason.rule()).isEqualTo("PrefixCache");
                assertThat(reason.message()).startsWith("server-0 took ");
                assertThat(reason.fix()).contains("--no-enable-prefix-caching");
              });
    }
  }

  @ParameterizedTest
  @CsvSource({"VLLM, vllm, speculative-config", "SGLANG, sglang, speculative-algorithm"})
  void aDraftModelThatTheRulesForbidIsSeen(SimulatedEngine kind, String engine, String flag) {
    try (Simulator drafting =
            Servers.start(Servers.options(kind).engineFlags(Map.of(flag, "EAGLE3")));
        Simulator plain = Servers.start(Servers.options(kind))) {
      PlanBuilder plan =
          new PlanBuilder()
              .server(dev.loadgen.contract.Engine.valueOf(engine), EndpointType.completions)
              .benchmark("llama3.1-8b", "llama3_1-8b")
              .test(t -> t.ruleset("v6.1"))
              .server(Scenario.Offline, 40, 100)
              .test(t -> t.performanceSampleCount(40))
              .replica(drafting.url())
              .replica(plain.url());
      ForkedRunner.prompts(folder, 40);

      Ended run = ForkedRunner.run(folder, plan).completed();

      assertThat(run.summary().verdictReasons())
          .filteredOn(reason -> reason.rule().startsWith("Speculative"))
          .singleElement()
          .satisfies(
              reason -> {
                assertThat(reason.rule()).isEqualTo("SpeculativeDecoding");
                assertThat(reason.message()).startsWith("server-0 used a draft model");
                assertThat(reason.fix()).contains("--" + flag);
              });
    }
  }

  /** A prefix cache behind a gateway, which answers /metrics by itself. */
  @Test
  void aGatewaysMetricsAreNoEvidence() throws Exception {
    try (Simulator gateway =
            Servers.start(
                Servers.options(SimulatedEngine.VLLM).prefixCaching(true).gatewayMetrics(true));
        Simulator plain =
            Servers.start(Servers.options(SimulatedEngine.VLLM).prefixCaching(false))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .benchmark("llama3.1-8b", "llama3_1-8b")
                      .test(t -> t.ruleset("v6.1"))
                      .server(Scenario.Offline, 120, 100)
                      .test(t -> t.performanceSampleCount(40))
                      .client(c -> c.maxConcurrency(8))
                      .replica(gateway.url())
                      .replica(plain.url()))
              .completed();

      for (String rule :
          List.of("PrefixCacheUnknown", "SpeculativeDecodingUnknown", "TokenCountUnknown")) {
        assertThat(run.summary().verdictReasons())
            .filteredOn(reason -> reason.rule().equals(rule))
            .singleElement()
            .satisfies(
                reason -> {
                  assertThat(reason.message()).startsWith("server-0 ");
                  assertThat(reason.fix()).contains("not one of a gateway");
                });
      }
      assertThat(run.summary().verdictReasons())
          .filteredOn(reason -> reason.rule().equals("PrefixCacheUnknown"))
          .singleElement()
          .satisfies(
              reason ->
                  assertThat(reason.message())
                      .contains(
                          "its /metrics lacks vllm:generation_tokens_total and"
                              + " vllm:prompt_tokens_total and vllm:prefix_cache_queries_total"));
      assertThat(run.json("environment.json").at("/prefixCache/1/tokens").asInt(-1)).isZero();
      StoredRun stored = StoredRun.readPublished(run.results());
      assertThat(
              StoredVerdict.judge(
                      run.results(),
                      stored.plan(),
                      stored.summary().result(),
                      Ruleset.named("none"))
                  .findings())
          .as("without a round nobody asks")
          .noneMatch(finding -> finding.rule().endsWith("Unknown"));
    }
  }

  @Test
  void ofDraftModelsTheOneThatTheRoundAllowsIsTold() throws Exception {
    RunPlan.Draft allowed =
        new RunPlan.Draft("nvidia/gpt-oss-120b-Eagle3-long-context", "eagle3", 3, 1, List.of());
    try (Simulator drafting =
        Servers.start(
            Servers.options(SimulatedEngine.VLLM)
                .engineFlags(Map.of("speculative-config", "EAGLE3")))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .benchmark("gpt-oss-120b", "gpt-oss-120b-interactive")
                      .server(Scenario.Interactive, 40, 100)
                      .streaming(true)
                      .test(t -> t.performanceSampleCount(40))
                      .servers(s -> s.draft(allowed))
                      .replica(drafting.url()))
              .completed();
      StoredRun stored = StoredRun.readPublished(run.results());

      assertThat(speculation(run.results(), stored, allowed)).isEmpty();
      assertThat(
              speculation(
                  run.results(), stored, new RunPlan.Draft("other/head", null, 3, 1, List.of())))
          .containsExactly(
              "SpeculativeDecoding: server-0 used a draft model during the test (draft model"
                  + " other/head), of which v6.1 allows only EAGLE3 with"
                  + " nvidia/gpt-oss-120b-Eagle3-long-context, 3 steps, top-k 1 here.");
      assertThat(speculation(run.results(), stored, null))
          .as("servers of somebody else's")
          .singleElement()
          .asString()
          .startsWith(
              "SpeculativeDecodingUnknown: server-0 used a draft model during the test, and");
    }
  }

  /** What v6.1 says of speculative decoding in a run, had its servers had these arguments. */
  private static List<String> speculation(
      Path results, StoredRun run, RunPlan.@Nullable Draft draft) throws Exception {
    RunPlan plan = run.plan();
    RunPlan told =
        plan.withServer(
            RunPlanServerBuilder.builder(plan.server()).draft(draft).provenance(null).build());
    return StoredVerdict.judge(results, told, run.summary().result(), Ruleset.named("v6.1"))
        .findings()
        .stream()
        .filter(finding -> finding.rule().startsWith("Speculative"))
        .map(finding -> finding.rule() + ": " + finding.message())
        .toList();
  }
}
