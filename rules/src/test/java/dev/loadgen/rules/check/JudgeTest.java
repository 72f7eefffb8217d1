package dev.loadgen.rules.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.evidence.RunEvidence.Client;
import dev.loadgen.rules.evidence.RunEvidence.FailureCount;
import dev.loadgen.rules.evidence.RunEvidence.Lane;
import dev.loadgen.rules.evidence.RunEvidence.Lanes;
import dev.loadgen.rules.evidence.RunEvidence.Requested;
import dev.loadgen.rules.evidence.RunEvidence.Samples;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Logs;
import dev.loadgen.rules.ruleset.Limits;
import dev.loadgen.rules.ruleset.Ruleset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class JudgeTest {
  private static final String LLAMA = "llama3.1-8b";

  /** A test, its log and its ruleset; each case breaks one thing of it. */
  private record Case(String ruleset, String benchmark, RunEvidence evidence, String log) {
    static Case server() {
      return of("v6.1", LLAMA, "Server", "Performance", "v61-server");
    }

    static Case offline() {
      return of("v6.1", LLAMA, "Offline", "Performance", "v61-offline");
    }

    static Case of(String ruleset, String benchmark, String scenario, String mode, String name) {
      long issued = Logs.read(name).issuedSamples().orElse(0);
      return new Case(
          ruleset,
          benchmark,
          new RunEvidence(
              Scenario.valueOf(scenario),
              TestMode.valueOf(mode),
              true,
              Samples.allCompleted(issued),
              Requested.NOTHING,
              Client.KEPT_UP),
          Logs.text(name));
    }

    Case log(UnaryOperator<String> change) {
      return new Case(ruleset, benchmark, evidence, change.apply(log));
    }

    Case with(String key, String value) {
      return log(text -> Logs.with(text, key, value));
    }

    Case samples(Samples samples) {
      return evidence(evidence.withSamples(samples));
    }

    Case answers(AskedAnswer.Fault fault, String example) {
      return samples(
          new Samples(
              issued(),
              issued(),
              0,
              Map.of(),
              0,
              0,
              new RunEvidence.Answers(
                  new AskedAnswer(2, 16, true, false, false),
                  Map.of(fault, new FailureCount(3, example)))));
    }

    Case client(Client client) {
      return evidence(evidence.withClient(client));
    }

    Case requested(Requested requested) {
      return evidence(evidence.withRequested(requested));
    }

    Case profiled() {
      return evidence(
          evidence.withProfiler(new RunEvidence.Profiler("Torch", "claim traces, folder b")));
    }

    private Case evidence(RunEvidence changed) {
      return new Case(ruleset, benchmark, changed, log);
    }

    Judgement judge() {
      return Judge.judge(Ruleset.named(ruleset), benchmark, evidence, DetailLog.parse(log));
    }

    long issued() {
      return Objects.requireNonNull(evidence.samples()).issued();
    }
  }

  static Stream<Arguments> validTests() {
    return Stream.of(
        Arguments.of("a whole Server test of v6.1", Case.server()),
        Arguments.of("a whole Offline test of v6.1", Case.offline()),
        Arguments.of(
            "a short Server test", Case.of("none", LLAMA, "Server", "Performance", "server-valid")),
        Arguments.of(
            "a short Offline test",
            Case.of("none", LLAMA, "Offline", "Performance", "offline-valid")),
        Arguments.of(
            "whole latencies",
            Case.of("none", "qwen3-vl-235b-a22b", "Server", "Performance", "server-latency")),
        Arguments.of(
            "a custom model", Case.of("none", "custom", "Server", "Performance", "server-plain")),
        Arguments.of(
            "SingleStream",
            Case.of("none", "custom", "SingleStream", "Performance", "single-stream")),
        Arguments.of(
            "accuracy without a round",
            Case.of("none", LLAMA, "Server", "Accuracy", "server-accuracy")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("validTests")
  void aTestThatBreaksNoRuleIsValid(String name, Case valid) {
    Judgement judgement = valid.judge();

    assertThat(judgement.findings()).isEmpty();
    assertThat(judgement.verdict()).isEqualTo(Verdict.Valid);
  }

  static Stream<Arguments> brokenTests() {
    Case server = Case.server();
    Case offline = Case.offline();
    Case shortServer = Case.of("none", LLAMA, "Server", "Performance", "server-valid");
    Case qwen = Case.of("none", "qwen3-vl-235b-a22b", "Server", "Performance", "server-latency");
    long issued = server.issued();
    return Stream.of(
        broken(
            "FailedSamples",
            server.samples(
                new Samples(
                    issued,
                    issued - 12,
                    12,
                    Map.of(
                        "TIMEOUT", new FailureCount(10, "no answer in 600 s"),
                        "HTTP_STATUS", new FailureCount(2, "503 from replica-1")),
                    0,
                    0)),
            "12 of "
                + issued
                + " samples failed, 0 may: TIMEOUT 10 (for example: no answer in 600 s); HTTP_STATUS 2",
            "spec.client.requestTimeout"),
        broken(
            "NoSamples",
            server.samples(new Samples(issued, 0, issued, Map.of(), 0, 0)),
            "None of " + issued + " issued samples was answered",
            "server's log"),
        broken("NoSamples", server.samples(Samples.allCompleted(0)), "issued no sample", "log"),
        broken(
            "LogIncomplete",
            server.log(text -> Logs.without(text, "num_errors")),
            "before the end of the test",
            "spec.timeouts.run"),
        broken("LogIncomplete", server.log(text -> ""), "has no LoadGen entry", "run again"),
        broken(
            "LogOfOtherTest",
            server.with("effective_test_mode", "\"AccuracyOnly\""),
            "LoadGen ran Server AccuracyOnly, the run asks for Server PerformanceOnly",
            "spec.load.userConf"),
        broken(
            "LogOfOtherTest",
            server.with("effective_scenario", "\"Offline\""),
            "LoadGen ran Offline PerformanceOnly",
            "spec.load.userConf"),
        broken("LoadGenErrors", server.with("num_errors", "3"), "LoadGen logged 3 errors", "log"),
        broken(
            "LoadGenErrors",
            Case.of("none", LLAMA, "Server", "Performance", "server-capped"),
            "51 errors, 0 may be: Number of tokens need to be greater than 1; IssueQueryThread 0 Ending early: Max query count reached.",
            "Remove spec.load.maxDuration and spec.load.maxQueryCount"),
        broken(
            "LoadGenInvalid",
            server
                .with("result_validity", "\"INVALID\"")
                .log(
                    text ->
                        text
                            + ":::MLLOG {\"key\": \"result_invalid_reason\", \"value\": \"Reduce target QPS\"}\n"),
            "LoadGen calls the test INVALID: Reduce target QPS",
            "other reasons"),
        broken(
            "SampleCountMismatch",
            server.samples(Samples.allCompleted(issued - 1)),
            "LoadGen logged " + issued + " issued samples, the client was handed " + (issued - 1),
            "cannot be used"),
        broken(
            "SampleCountMismatch",
            server.samples(new Samples(issued, issued - 1, 0, Map.of(), 0, 0)),
            "do not add up",
            "cannot be used"),
        broken(
            "UnknownTokenCounts",
            server.samples(new Samples(issued, issued, 0, Map.of(), 0, 4)),
            "Of 4 answers the server gave no token count",
            "token ids or usage"),
        broken(
            "ShortAnswers",
            server.samples(new Samples(issued, issued, 0, Map.of(), 1, 0)),
            "1 answer has fewer than 2 tokens",
            "v6.1 does not let minTokens make answers longer"),
        broken(
            "ShortAnswers",
            shortServer.samples(
                new Samples(shortServer.issued(), shortServer.issued(), 0, Map.of(), 1, 0)),
            "1 answer has fewer than 2 tokens",
            "spec.sampling.performance.minTokens"),
        broken(
            "AnswersTooLong",
            server.answers(AskedAnswer.Fault.TOO_LONG, "64 tokens"),
            "3 of "
                + issued
                + " answers had more tokens than the 16 that were asked for at most,"
                + " such as one of 64 tokens",
            "--override-generation-config"),
        broken(
            "AnswersCut",
            offline.answers(AskedAnswer.Fault.CUT, "8 tokens"),
            "ended for their length with fewer tokens than the 16 that were asked for",
            "spec.engineConfig.maxModelLen"),
        broken(
            "AnswersCut",
            shortServer.answers(AskedAnswer.Fault.CUT, "8 tokens"),
            "such as one of 8 tokens",
            "no limit of their own"),
        broken(
            "AnswersTooShort",
            server.answers(AskedAnswer.Fault.TOO_SHORT, "1 token"),
            "had fewer tokens than the 2 that were asked for at least",
            "minTokens"),
        broken(
            "StopReasons",
            server.answers(AskedAnswer.Fault.OTHER_STOP, "stop_string"),
            "ended for what was not asked for: stop_string",
            "spec.sampling"),
        broken(
            "Ttft",
            server.with("result_first_token_99.00_percentile_latency_ns", "2000000000"),
            "time to first token p99 is 2000 ms, must be below 2000 ms",
            "spec.load.targetQps"),
        broken(
            "Ttft",
            server.with("requested_server_ttft_latency", "2500000000"),
            "LoadGen ran with a limit of 2500 ms for the time to first token, v6.1 has 2000 ms",
            "spec.load.limits.ttft"),
        broken(
            "Ttft",
            server.log(
                text -> Logs.without(text, "result_first_token_99.00_percentile_latency_ns")),
            "no time to first token p99",
            "spec.client.streaming"),
        broken(
            "Ttft",
            shortServer.requested(new Requested(null, null, Limits.of(0.5, null, null))),
            "time to first token p99 is 0.525 ms, must be below 0.5 ms",
            "raise spec.load.limits.ttft"),
        broken(
            "Tpot",
            server.with("result_time_per_output_token_99.00_percentile_ns", "100000001"),
            "time per output token p99 is 100 ms, must be below 100 ms",
            "spec.load.targetQps"),
        broken(
            "Tpot",
            Case.of("none", LLAMA, "Interactive", "Performance", "server-late"),
            "must be below 30 ms",
            "spec.load.targetQps"),
        broken(
            "Latency",
            qwen.with("result_99.00_percentile_latency_ns", "12000000000"),
            "query latency p99 is 12000 ms, must be below 12000 ms",
            "spec.load.limits.latency"),
        broken(
            "EarlyStopping",
            Case.of("none", LLAMA, "Server", "Performance", "server-short"),
            "not met after 128 queries: Run unsuccessful. Processed 128 queries. Would need to run at least 331 more queries",
            "Set spec.load.minQueryCount to 459 or more"),
        broken(
            "EarlyStopping",
            Case.of("none", LLAMA, "Server", "Performance", "server-late")
                .with("result_query_count", "700")
                .samples(Samples.allCompleted(700)),
            "not met after 700 queries",
            "Lower spec.load.targetQps"),
        broken(
            "MinDuration",
            server.with("effective_min_duration_ms", "599999"),
            "minimum duration of 599.999 s, must be 600 s",
            "Set spec.load.minDuration to 600s"),
        broken(
            "MinDuration",
            shortServer.requested(new Requested(10_000L, null, Limits.NONE)),
            "minimum duration of 2 s, must be 10 s",
            "Set spec.load.minDuration to 10s"),
        broken(
            "MinDuration",
            Case.of("none", LLAMA, "Offline", "Performance", "offline-100qps-gptoss"),
            "must be 600 s or more",
            "Raise spec.load.targetQps"),
        broken(
            "MinQueryCount",
            shortServer.requested(new Requested(null, 200L, Limits.NONE)),
            "at least 100 queries, must be 200",
            "Set spec.load.minQueryCount to 200"),
        broken(
            "MinQueryCount",
            Case.of("none", LLAMA, "Server", "Performance", "server-capped"),
            "LoadGen issued 50 queries, must be 100 or more",
            "spec.load.maxQueryCount"),
        broken(
            "MinSamples",
            Case.of("v6.1", "gpt-oss-120b", "Offline", "Performance", "offline-default-gptoss"),
            "at least 660 samples, must be 6396",
            "Set spec.load.minQueryCount to 6396"),
        broken(
            "MinDuration",
            server.log(text -> Logs.without(text, "result_min_duration_met")),
            "LoadGen's log has no result_min_duration_met",
            "with all lines"),
        broken(
            "MinQueryCount",
            server.log(text -> Logs.without(text, "result_min_queries_met")),
            "LoadGen's log has no result_min_queries_met",
            "with all lines"),
        broken(
            "EarlyStopping",
            offline.log(text -> Logs.without(text, "early_stopping_met")),
            "LoadGen's log has no early_stopping_met",
            "with all lines"),
        broken(
            "MinSamples",
            offline.with("result_min_queries_met", "false"),
            "LoadGen issued 13368 samples",
            "spec.load.maxQueryCount"),
        broken(
            "PerformanceSampleCount",
            server.with("effective_performance_sample_count", "13367"),
            "drew on 13367 samples, must be 13368",
            "spec.load.performanceSampleCount"),
        broken(
            "PerformanceSampleCount",
            server.with("qsl_reported_total_count", "64"),
            "drew on 64 samples",
            "spec.dataset"),
        broken(
            "AccuracySampleCount",
            Case.of("v6.1", LLAMA, "Server", "Accuracy", "server-accuracy"),
            "sent 64 samples, must be 13368",
            "spec.dataset"),
        broken(
            "EqualIssue",
            server.with("effective_sample_concatenate_permutation", "false"),
            "sample_concatenate_permutation is false",
            "spec.load.userConf"),
        broken(
            "SampleChoice",
            server.with("effective_performance_issue_same", "true"),
            "performance_issue_same",
            "spec.load.userConf"),
        broken(
            "SeedsDiffer",
            server.with("effective_schedule_rng_seed", "16159082839903944937"),
            "schedule_rng_seed 16159082839903944937, must be 16159082839903944936",
            "a runner with LoadGen 6.0.17"),
        broken(
            "SeedsDiffer",
            Case.of("v6.0", LLAMA, "Server", "Performance", "v61-server"),
            "LoadGen 6.0.17 @ d6147c7eb7 ran with other seeds than v6.0: qsl_rng_seed 2085463073848966840, must be 2465351861681999779",
            "a runner with LoadGen 6.0.15"),
        broken(
            "BenchmarkNotInRound",
            Case.of("v5.1", "gpt-oss-120b", "Server", "Performance", "v61-server"),
            "gpt-oss-120b joined in v6.0.",
            "spec.ruleset to none"),
        broken(
            "BenchmarkNotInRound",
            Case.of("v6.1", LLAMA, "SingleStream", "Performance", "single-stream"),
            "llama3.1-8b has no scenario SingleStream in v6.1, only Offline, Server, Interactive",
            "spec.scenario"));
  }

  private static Arguments broken(String rule, Case broken, String message, String fix) {
    return Arguments.of(rule, broken, message, fix);
  }

  @ParameterizedTest(name = "{0}: {2}")
  @MethodSource("brokenTests")
  void aBrokenRuleIsFoundAndSaysWhatToChange(String rule, Case broken, String message, String fix) {
    Judgement judgement = broken.judge();

    assertThat(judgement.verdict()).isEqualTo(Verdict.Invalid);
    assertThat(judgement.findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.rule()).isEqualTo(rule);
              assertThat(finding.effect()).isEqualTo(Verdict.Invalid);
              assertThat(finding.message()).contains(message);
              assertThat(finding.fix()).contains(fix);
            });
  }

  /** The reference of v6.0 bounds no answer of Qwen3-VL, so that a bound of the run's cuts it. */
  @Test
  void whereTheRoundBoundsNoAnswerNoneEndsForItsLength() {
    assertThat(Ruleset.named("v6.0").boundsAnswers("qwen3-vl-235b-a22b", false)).isFalse();
    assertThat(Ruleset.named("v6.1").boundsAnswers("qwen3-vl-235b-a22b", true)).isTrue();
    assertThat(Ruleset.named("none").boundsAnswers("qwen3-vl-235b-a22b", false)).isTrue();
    Case test = Case.of("v6.0", "qwen3-vl-235b-a22b", "Server", "Performance", "server-latency");
    RunEvidence.Answers answers =
        new RunEvidence.Answers(
            new AskedAnswer(0, 1024, true, false, true),
            Map.of(AskedAnswer.Fault.CUT, new FailureCount(2, "1024 tokens")));
    long issued = test.issued();

    assertThat(
            test.samples(new Samples(issued, issued, 0, Map.of(), 0, 0, answers))
                .judge()
                .findings())
        .filteredOn(finding -> finding.rule().equals("AnswersCut"))
        .singleElement()
        .satisfies(
            finding ->
                assertThat(finding.message())
                    .isEqualTo(
                        "2 of "
                            + issued
                            + " answers ended for their length, at 1024 tokens at most, and the round"
                            + " bounds no answer, such as one of 1024 tokens."));
  }

  @Test
  void notesComeLastAndLeaveTheVerdictAsItIs() {
    Finding note = new Finding("OtherClient", "it is another", "Ask.");
    Judgement valid = Case.server().judge().with(List.of(note));
    Judgement limited =
        Judgement.of(List.of(note, new Finding("ClientLimited", "it was", "Use more CPU.")));

    assertThat(valid.verdict()).isEqualTo(Verdict.Valid);
    assertThat(valid.objections()).isEmpty();
    assertThat(limited.verdict()).isEqualTo(Verdict.Inconclusive);
    assertThat(limited.findings())
        .extracting(Finding::rule)
        .containsExactly("ClientLimited", "OtherClient");
    assertThat(limited.objections()).extracting(Finding::rule).containsExactly("ClientLimited");
  }

  @Test
  void oneBrokenThingIsOneFinding() {
    Judgement judgement =
        Case.server().with("result_time_per_output_token_99.00_percentile_ns", "200000000").judge();

    assertThat(judgement.findings()).extracting(Finding::rule).containsExactly("Tpot");
  }

  @Test
  void theRuleOfARoundIsNotLooserForARunThatAsksForLess() {
    Judgement judgement =
        Case.server()
            .with("result_first_token_99.00_percentile_latency_ns", "2100000000")
            .requested(new Requested(1000L, 1L, Limits.of(5000.0, 500.0, null)))
            .judge();

    assertThat(judgement.findings()).extracting(Finding::rule).containsExactly("Ttft");
  }

  @Test
  void aRunThatLimitsOneLatencyKeepsTheOtherLimits() {
    Case partly =
        Case.of("none", LLAMA, "Interactive", "Performance", "server-late")
            .requested(new Requested(null, null, Limits.of(400.0, null, null)));

    assertThat(partly.judge().findings()).extracting(Finding::rule).contains("Tpot");
  }

  @Test
  void wholeLatenciesAreJudgedWhereTokenLatenciesWereNotMeasured() {
    Case whole =
        Case.of("none", LLAMA, "Server", "Performance", "server-plain")
            .requested(new Requested(null, null, Limits.of(null, null, 1.0)));

    assertThat(whole.judge().findings()).extracting(Finding::rule).containsExactly("Latency");
  }

  @Test
  void interactiveIsJudgedByItsOwnLimits() {
    Case interactive =
        Case.of("v6.1", LLAMA, "Interactive", "Performance", "v61-server")
            .with("result_first_token_99.00_percentile_latency_ns", "600000000");

    assertThat(interactive.judge().findings())
        .anyMatch(f -> f.rule().equals("Ttft") && f.message().contains("below 500 ms"));
    assertThat(interactive.judge().findings())
        .anyMatch(f -> f.rule().equals("Tpot") && f.message().contains("limit of 100 ms"));
  }

  private static Client lagging(double issueMs, double stampMs) {
    return Client.KEPT_UP.with().issueLagP99Ms(issueMs).stampLagP99Ms(stampMs).build();
  }

  private static Client busy(double cpu, double gc, double throttled, double steal) {
    return Client.KEPT_UP
        .with()
        .cpuShare(cpu)
        .gcShare(gc)
        .throttledShare(throttled)
        .stealShare(steal)
        .build();
  }

  /** The limit of TTFT is 2 s, of which the client may add a twentieth. */
  @ParameterizedTest
  @CsvSource({
    "99, 0, Valid",
    "101, 0, Inconclusive",
    "0, 99, Valid",
    "0, 101, Inconclusive",
  })
  void aClientThatWasLateMakesServerInconclusive(double issueMs, double stampMs, Verdict verdict) {
    Judgement judgement = Case.server().client(lagging(issueMs, stampMs)).judge();

    assertThat(judgement.verdict()).isEqualTo(verdict);
    if (verdict != Verdict.Valid) {
      Finding finding = judgement.findings().getFirst();
      assertThat(finding.rule()).isEqualTo("ClientLimited");
      assertThat(finding.message()).contains("101 ms", "(p99), more than 100 ms");
      assertThat(finding.fix()).contains("spec.runner.resources");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0.9, 0, 0, 0, ",
    "0.905, 0, 0, 0, 'used 90.5 % of its CPU, more than 90 %'",
    "0, 0.05, 0, 0, ",
    "0, 0.06, 0, 0, 'garbage for 6 % of the test, more than 5 %'",
    "0, 0, 0.01, 0, ",
    "0, 0, 0.02, 0, 'CPU limit in 2 % of the scheduler''s periods, more than 1 %'",
    "0, 0, 0, 0.05, ",
    "0, 0, 0, 0.051, 'gave 5.1 % of the machine''s CPU to others, more than 5 %'",
  })
  void aClientWithoutCpuMakesAnyScenarioInconclusive(
      double cpu, double gc, double throttled, double steal, @Nullable String cause) {
    for (Case one : List.of(Case.server(), Case.offline())) {
      Judgement judgement = one.client(busy(cpu, gc, throttled, steal)).judge();

      assertThat(judgement.verdict())
          .isEqualTo(cause == null ? Verdict.Valid : Verdict.Inconclusive);
      if (cause != null) {
        assertThat(judgement.findings().getFirst().message()).contains(cause);
      }
    }
  }

  private static Client loops(int processors, @Nullable Double... busyP95) {
    List<Lane> all = new ArrayList<>();
    for (Double busy : busyP95) {
      all.add(new Lane("event-loop-" + all.size(), busy, 0.1, 0.5));
    }
    return Client.KEPT_UP.withLanes(new Lanes(all, processors, 1000.0));
  }

  @Test
  void aFullEventLoopMakesAnyScenarioInconclusiveWhateverTheOthersDo() {
    for (Case one : List.of(Case.server(), Case.offline())) {
      Judgement judgement = one.client(loops(64, 0.2, 0.99, 0.91, 0.1)).judge();

      assertThat(judgement.verdict()).isEqualTo(Verdict.Inconclusive);
      Finding finding = judgement.findings().getFirst();
      assertThat(finding.rule()).isEqualTo("ClientLimited");
      assertThat(finding.message())
          .contains(
              "2 of 4 event loops had no spare time: event-loop-1 was busy for 99 % of its time"
                  + " or more in a twentieth of the test, more than 90 %");
      assertThat(finding.fix())
          .contains(
              "cpu in spec.runner.resources: of 64 processors the runner has 4 event loops",
              "-Dloadgen.eventLoops in JAVA_TOOL_OPTIONS of spec.runner.podTemplate");
    }
  }

  @Test
  void moreLoopsThanProcessorsAreNotAdvised() {
    Finding finding = Case.offline().client(loops(1, 1.0)).judge().findings().getFirst();

    assertThat(finding.message()).contains("1 of 1 event loop had no spare time");
    assertThat(finding.fix())
        .contains("of 1 processor the runner has 1 event loop")
        .doesNotContain("-Dloadgen.eventLoops");
  }

  @Test
  void anEventLoopWithTimeToSpareIsNoLimit() {
    for (Case one : List.of(Case.server(), Case.offline())) {
      assertThat(one.client(loops(4, 0.6, 0.9)).judge().verdict()).isEqualTo(Verdict.Valid);
      assertThat(one.client(loops(4, (Double) null)).judge().verdict()).isEqualTo(Verdict.Valid);
    }
  }

  private static Client waits(double meanMs, double p99Ms, @Nullable Double requestMs) {
    return Client.KEPT_UP.withLanes(
        new Lanes(List.of(new Lane("event-loop-0", 0.5, meanMs, p99Ms)), 4, requestMs));
  }

  /** The limit of TTFT is 2 s, of which the client may add a twentieth. */
  @ParameterizedTest
  @CsvSource({"99, Valid", "101, Inconclusive"})
  void answersThatWaitForALoopMakeServerInconclusive(double p99Ms, Verdict verdict) {
    Judgement judgement = Case.server().client(waits(90, p99Ms, 100.0)).judge();

    assertThat(judgement.verdict()).isEqualTo(verdict);
    if (verdict != Verdict.Valid) {
      assertThat(judgement.findings().getFirst().message())
          .contains("requests and answers waited 101 ms for event-loop-0 (p99), more than 100 ms");
    }
  }

  /** A place that waits is lost to the throughput, of which the client may take a twentieth. */
  @ParameterizedTest
  @CsvSource({
    "50, 9000, 1000, Valid",
    "51, 9000, 1000, Inconclusive",
    "1, 9, 10, Valid",
    "1.1, 9, 10, Inconclusive",
    "500, 9000, , Valid",
  })
  void placesThatWaitForALoopMakeOfflineInconclusive(
      double meanMs, double p99Ms, @Nullable Double requestMs, Verdict verdict) {
    Judgement judgement = Case.offline().client(waits(meanMs, p99Ms, requestMs)).judge();

    assertThat(judgement.verdict()).isEqualTo(verdict);
    if (verdict != Verdict.Valid) {
      assertThat(judgement.findings().getFirst().message())
          .contains("requests and answers waited", "for event-loop-0 on average");
    }
  }

  @Test
  void waitingForASlotInOfflineIsNotTheClientsFault() {
    assertThat(Case.offline().client(lagging(300_000, 300)).judge().verdict())
        .isEqualTo(Verdict.Valid);
    assertThat(Case.offline().client(Client.KEPT_UP.withWaitedAtCap(1_000_000)).judge().verdict())
        .isEqualTo(Verdict.Valid);
  }

  @Test
  void aClientThatCannotHoldTheRequestsMakesServerInconclusive() {
    long issued = Case.server().issued();

    assertThat(Case.server().client(Client.KEPT_UP.withWaitedAtCap(issued / 100)).judge().verdict())
        .isEqualTo(Verdict.Valid);
    Finding waited =
        Case.server()
            .client(Client.KEPT_UP.withWaitedAtCap(issued / 50))
            .judge()
            .findings()
            .getFirst();
    assertThat(waited.rule()).isEqualTo("ClientLimited");
    assertThat(waited.message()).contains("waited since the runner could hold no more requests");
    assertThat(waited.fix()).contains("open-file limit", "spec.load.targetQps");
  }

  @Test
  void aClientWithoutDescriptorsSaysSo() {
    Finding exhausted =
        Case.offline().client(Client.UNKNOWN.withExhausted(7)).judge().findings().getFirst();

    assertThat(exhausted.rule()).isEqualTo("ClientLimited");
    assertThat(exhausted.message()).contains("7 samples failed", "0 may");
    assertThat(exhausted.fix()).contains("open-file limit", "spec.client.maxConcurrency");
  }

  @Test
  void aCureOfTwoCausesIsGivenOnce() {
    Finding finding =
        Case.server()
            .client(Client.KEPT_UP.with().stampLagP99Ms(500.0).cpuShare(1.0).build())
            .judge()
            .findings()
            .getFirst();

    assertThat(finding.message()).contains("500 ms late", "; the runner used 100 %");
    assertThat(finding.fix()).containsOnlyOnce("more CPU");
  }

  @ParameterizedTest
  @CsvSource({"v6.1, Server, v61-server", "none, Offline, offline-valid"})
  void aTestOfProfiledServersIsNeverValid(String ruleset, String scenario, String log) {
    Case test = Case.of(ruleset, LLAMA, scenario, "Performance", log);
    assertThat(test.judge().verdict()).isEqualTo(Verdict.Valid);

    Judgement judgement = test.profiled().judge();

    assertThat(judgement.verdict()).isEqualTo(Verdict.Inconclusive);
    Finding finding = judgement.findings().getFirst();
    assertThat(finding.rule()).isEqualTo("Profiled");
    assertThat(finding.message()).contains("profiler Torch", "claim traces, folder b");
    assertThat(finding.fix()).contains("spec.profiling");
  }

  @Test
  void aBrokenRuleOutweighsAProfiler() {
    Judgement judgement = Case.server().with("num_errors", "1").profiled().judge();

    assertThat(judgement.verdict()).isEqualTo(Verdict.Invalid);
    assertThat(judgement.findings())
        .extracting(Finding::rule)
        .containsExactly("LoadGenErrors", "Profiled");
  }

  @Test
  void aBrokenRuleOutweighsALimitedClient() {
    Judgement judgement = Case.server().with("num_errors", "1").client(busy(1, 0, 0, 0)).judge();

    assertThat(judgement.verdict()).isEqualTo(Verdict.Invalid);
    assertThat(judgement.findings())
        .extracting(Finding::rule)
        .containsExactly("LoadGenErrors", "ClientLimited");
  }

  @Test
  void anAccuracyTestOfARoundIsInconclusiveUntilItIsScored() {
    Judgement judgement = Case.of("v6.1", LLAMA, "Offline", "Accuracy", "v61-accuracy").judge();

    assertThat(judgement.verdict()).isEqualTo(Verdict.Inconclusive);
    assertThat(judgement.findings()).extracting(Finding::rule).containsExactly("AccuracyNotScored");
  }

  @Test
  void shortAnswersCountOnlyWhereTimePerTokenIsMeasured() {

    assertThat(
            Case.of("none", LLAMA, "Offline", "Performance", "offline-valid")
                .samples(new Samples(128, 128, 0, Map.of(), 5, 0))
                .judge()
                .verdict())
        .isEqualTo(Verdict.Valid);
  }

  @Test
  void anUnknownBenchmarkIsRefused() {
    RunEvidence evidence = Case.server().evidence();

    assertThatThrownBy(
            () -> Judge.judge(Ruleset.named("v6.1"), "bert", evidence, DetailLog.parse("")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bert");
  }

  @Test
  void everyFindingEndsInAFullStopAndNamesACure() {
    List<Finding> all =
        brokenTests()
            .flatMap(arguments -> ((Case) arguments.get()[1]).judge().findings().stream())
            .toList();

    assertThat(all).isNotEmpty();
    assertThat(all).allMatch(finding -> finding.fix().endsWith("."));
    assertThat(all).allMatch(finding -> finding.rule().matches("([A-Z][a-z]+)+"));
    assertThat(all).allMatch(finding -> !finding.message().isBlank());
  }
}
