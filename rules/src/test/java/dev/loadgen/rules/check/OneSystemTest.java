package dev.loadgen.rules.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.evidence.TestedSystem;
import dev.loadgen.rules.ruleset.Ruleset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OneSystemTest {
  private static final Map<String, String> SERVERS =
      Map.of("engine", "vllm", "route", "completions", "servers", "4");
  private static final Map<String, String> SAMPLING =
      Map.of("temperature", "1.0", "topK", "-1", "topP", "1.0");

  private static TestedSystem test(String name, Scenario scenario, String kind, String dataset) {
    return new TestedSystem(
        name, "gpt-oss-120b", scenario, kind, "openai/gpt-oss-120b", SERVERS, dataset, SAMPLING);
  }

  private static TestedSystem asking(TestedSystem test, String name, String value) {
    return changed(test, test.model(), test.servers(), with(test.sampling(), name, value));
  }

  private static TestedSystem servedBy(TestedSystem test, String name, String value) {
    return changed(test, test.model(), with(test.servers(), name, value), test.sampling());
  }

  private static TestedSystem changed(
      TestedSystem test, String model, Map<String, String> servers, Map<String, String> sampling) {
    return new TestedSystem(
        test.name(),
        test.benchmark(),
        test.scenario(),
        test.kind(),
        model,
        servers,
        test.dataset(),
        sampling);
  }

  private static Map<String, String> with(Map<String, String> all, String name, String value) {
    Map<String, String> more = new TreeMap<>(all);
    more.put(name, value);
    return more;
  }

  private static List<String> findings(TestedSystem... tests) {
    Judgement judgement = OneSystem.judge(Ruleset.named("v6.1"), Arrays.asList(tests));
    assertThat(judgement.findings())
        .allMatch(finding -> finding.rule().equals("TestsDiffer"))
        .allMatch(finding -> finding.effect() == Verdict.Invalid);
    return judgement.findings().stream().map(Finding::message).toList();
  }

  private static final TestedSystem OFFLINE = test("offline", Scenario.Offline, "Performance", "p");
  private static final TestedSystem SERVER = test("server", Scenario.Server, "Performance", "p");
  private static final TestedSystem ACCURACY = test("accuracy", Scenario.Offline, "Accuracy", "a");
  private static final TestedSystem AUDIT = test("audit", Scenario.Offline, "TEST09", "p");

  @Test
  void testsOfOneSystemAgree() {
    assertThat(findings()).isEmpty();
    assertThat(
            findings(
                asking(OFFLINE, "maxNewTokens", "10240"),
                asking(SERVER, "maxNewTokens", "10240"),
                asking(ACCURACY, "maxNewTokens", "32768"),
                asking(AUDIT, "maxNewTokens", "10240"),
                asking(test("gpqa", Scenario.Offline, "TEST07", "g"), "maxNewTokens", "10240")))
        .as("but for what the round has otherwise")
        .isEmpty();
    assertThat(findings(asking(OFFLINE, "maxNewTokens", "10240"), AUDIT))
        .containsExactly(
            "gpt-oss-120b Offline in v6.1: maxNewTokens is 10240 in offline; unset in audit.");
  }

  @Test
  void aScenarioMayHaveServersOfItsOwn() {
    assertThat(findings(OFFLINE, ACCURACY, servedBy(SERVER, "servers", "1"))).isEmpty();
  }

  @Test
  void theTestsOfAScenarioMayNot() {
    assertThat(findings(OFFLINE, servedBy(ACCURACY, "engine", "sglang")))
        .containsExactly(
            "gpt-oss-120b Offline in v6.1: engine is sglang in accuracy; vllm in offline.");
  }

  @Test
  void theModelIsTheSameInAllScenarios() {
    assertThat(findings(OFFLINE, changed(SERVER, "a/quantised", SERVERS, SAMPLING)))
        .containsExactly(
            "gpt-oss-120b in v6.1: model is a/quantised in server; openai/gpt-oss-120b in offline.");
  }

  @ParameterizedTest
  @CsvSource({
    "Performance, Server, q, true",
    "TEST09, Offline, q, true",
    "Accuracy, Offline, q, false",
    "TEST07, Offline, q, false",
  })
  void testsOfOneFileHaveTheSame(String kind, Scenario scenario, String dataset, boolean found) {
    List<String> findings = findings(OFFLINE, test("other", scenario, kind, dataset));

    assertThat(findings)
        .isEqualTo(
            found
                ? List.of(
                    "gpt-oss-120b (perf/perf_eval_ref.parquet) in v6.1: dataset is p in offline; q in"
                        + " other.")
                : List.of());
  }

  /** Where no file is known there is one a scenario: Interactive of v6.1 has another. */
  @Test
  void withoutAKnownFileAScenarioHasOne() {
    TestedSystem offline =
        new TestedSystem(
            "o",
            "qwen3-vl-235b-a22b",
            Scenario.Offline,
            "Performance",
            "m",
            Map.of(),
            "x",
            Map.of());
    TestedSystem accuracy =
        new TestedSystem(
            "a", "qwen3-vl-235b-a22b", Scenario.Offline, "Accuracy", "m", Map.of(), null, Map.of());
    TestedSystem interactive =
        new TestedSystem(
            "i",
            "qwen3-vl-235b-a22b",
            Scenario.Interactive,
            "Accuracy",
            "m",
            Map.of(),
            "y",
            Map.of());

    assertThat(findings(offline, interactive)).isEmpty();
    assertThat(findings(offline, accuracy))
        .containsExactly(
            "qwen3-vl-235b-a22b (Offline) in v6.1: dataset is not known in a; x in o.");
  }

  @Test
  void anotherSamplingIsSeenWhereTheRoundHasNoOther() {
    assertThat(findings(OFFLINE, asking(ACCURACY, "temperature", "0.0")))
        .containsExactly(
            "gpt-oss-120b Offline in v6.1: temperature is 0.0 in accuracy; 1.0 in offline.");
    assertThat(findings(OFFLINE, asking(AUDIT, "guidedDecoding", "answer")))
        .containsExactly(
            "gpt-oss-120b Offline in v6.1: guidedDecoding is answer in audit; unset in offline.");
  }

  @Test
  void benchmarksHaveNothingInCommon() {
    assertThat(
            findings(
                OFFLINE,
                new TestedSystem(
                    "l",
                    "llama3.1-8b",
                    Scenario.Offline,
                    "Performance",
                    "m",
                    Map.of(),
                    "x",
                    Map.of())))
        .isEmpty();
  }

  @Test
  void testsOfABenchmarkThatNobodyKnowsAreLeftOut() {
    List<TestedSystem> tests = List.of(OFFLINE, SERVER);
    List<TestedSystem> unknown =
        tests.stream()
            .map(
                test ->
                    new TestedSystem(
                        test.name(),
                        "bert-99",
                        Scenario.Offline,
                        test.kind(),
                        test.name(),
                        SERVERS,
                        test.dataset(),
                        SAMPLING))
            .toList();
    assertThat(findings(unknown.toArray(TestedSystem[]::new))).isEmpty();
  }
}
