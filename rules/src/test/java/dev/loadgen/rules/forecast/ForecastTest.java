package dev.loadgen.rules.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanSamplingBuilder;
import dev.loadgen.contract.RunPlanTestBuilder;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.check.Judge;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.evidence.ServerEvidence;
import dev.loadgen.rules.ruleset.Checksums;
import dev.loadgen.rules.ruleset.Limits;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ForecastTest {
  private static final RunPlan.Sampling GPT_OSS = sampling(1.0, -1, 1.0, null, 10240);

  private static final RunPlan.Guided GUIDED =
      new RunPlan.Guided(GuidedDecodingField.StructuredOutputs, null, "{}");

  private static RunPlan.Sampling sampling(
      @Nullable Double temperature,
      @Nullable Integer topK,
      @Nullable Double topP,
      @Nullable Integer minTokens,
      int maxNewTokens) {
    return RunPlanSamplingBuilder.builder()
        .temperature(temperature)
        .topK(topK)
        .topP(topP)
        .minTokens(minTokens)
        .maxNewTokens(maxNewTokens)
        .build();
  }

  /** A test as the operator plans it, unless something is changed. */
  private static final class Plan {
    private final Ruleset ruleset;
    private final String benchmark;
    private final Scenario scenario;
    private final ScenarioRules rules;
    private boolean accuracy;
    private boolean streaming = true;
    private @Nullable Double targetQps;
    private @Nullable Long minDurationMs;
    private @Nullable Long maxDurationMs;
    private @Nullable Long minQueryCount;
    private @Nullable Integer performanceSampleCount;
    private Limits limits;
    private @Nullable String modelKey;
    private @Nullable String userConf;
    private RunPlan.@Nullable Sampling generation;
    private @Nullable String compliance;
    private @Nullable Checksums dataset;
    private @Nullable Integer datasetSize;
    private ServerEvidence.@Nullable Planned servers;

    private Plan(String ruleset, String benchmark, Scenario scenario) {
      this.ruleset = Ruleset.named(ruleset);
      this.benchmark = benchmark;
      this.scenario = scenario;
      this.rules = this.ruleset.benchmark(benchmark).scenario(scenario).orElseThrow();
      this.minDurationMs = rules.minDurationMs();
      this.minQueryCount = rules.minSampleCount();
      this.performanceSampleCount = this.ruleset.official() ? rules.performanceSampleCount() : null;
      this.limits = rules.limits();
      this.modelKey = rules.modelKey();
    }

    private Forecast forecast() {
      return Forecast.of(input());
    }

    private ForecastInput input() {
      return new ForecastInput(
          ruleset,
          RunPlanTestBuilder.builder()
              .benchmark(benchmark)
              .ruleset(ruleset.name())
              .scenario(scenario)
              .mode(accuracy ? TestMode.Accuracy : TestMode.Performance)
              .modelKey(modelKey)
              .targetQps(targetQps)
              .minDurationMs(minDurationMs)
              .maxDurationMs(maxDurationMs)
              .minQueryCount(minQueryCount)
              .performanceSampleCount(performanceSampleCount)
              .tokenLatencies(rules.tokenLatencies())
              .ttftLimitMs(limits.ttftMs())
              .tpotLimitMs(limits.tpotMs())
              .latencyLimitMs(limits.latencyMs())
              .userConf(userConf)
              .completionData(RunPlan.CompletionData.TOKEN_IDS)
              .compliance(compliance)
              .build(),
          streaming,
          generation,
          dataset,
          datasetSize,
          servers);
    }

    private List<Finding> ofServers() {
      return Forecast.ofServers(input());
    }

    private List<String> rejections() {
      return forecast().judgement().objections().stream().map(Finding::rule).toList();
    }
  }

  private static Plan gptOss(Scenario scenario) {
    return new Plan("v6.1", "gpt-oss-120b", scenario);
  }

  @ParameterizedTest(name = "{0} {1} at {2}/s: {3} samples in {4} queries, {5} late")
  @CsvSource({
    "gpt-oss-120b, Server, 5, 6396, 6396, 45",
    "gpt-oss-120b, Server, 18.9, 12792, 12792, 101",
    "gpt-oss-120b, Offline, 100, 70356, 1,",
    "gpt-oss-120b, Offline, , 6396, 1,",
    "qwen3-vl-235b-a22b, Server, 11.05, 48289, 48289, 432",
    "llama3.1-8b, Server, 40, 26736, 26736, 229",
  })
  void loadIsWhatLoadGenIssues(
      String benchmark,
      Scenario scenario,
      @Nullable Double qps,
      long samples,
      long queries,
      @Nullable Long late) {
    Plan plan = new Plan("v6.1", benchmark, scenario);
    plan.targetQps = qps;

    Forecast forecast = plan.forecast();

    assertThat(forecast.load().samples()).isEqualTo(samples);
    assertThat(forecast.queries()).isEqualTo(queries);
    assertThat(forecast.samplesPerQuery()).isEqualTo(samples / queries);
    assertThat(forecast.lateBudget()).isEqualTo(late);
    assertThat(forecast.load().exact()).isTrue();
    assertThat(forecast.datasetAssumed()).isTrue();
    assertThat(forecast.judgement().objections()).isEmpty();
  }

  @Test
  void anAccuracyTestSendsTheAccuracySet() {
    Plan plan = gptOss(Scenario.Server);
    plan.accuracy = true;

    assertThat(plan.forecast().load().samples()).isEqualTo(4395);
    assertThat(plan.rejections()).isEmpty();
  }

  @Test
  void tooFewOfflineSamplesAreForeseen() {
    Plan plan = gptOss(Scenario.Offline);
    plan.minQueryCount = 1L;
    plan.targetQps = 9.6;

    assertThat(plan.rejections()).containsExactly("MinSamples");
    assertThat(plan.forecast().judgement().findings().getFirst().fix())
        .contains("spec.load.minQueryCount to 6396");

    plan.targetQps = 9.7;
    assertThat(plan.rejections()).isEmpty();
  }

  @Test
  void aShortTestIsForeseen() {
    Plan plan = gptOss(Scenario.Server);
    plan.minDurationMs = 60_000L;

    assertThat(plan.rejections()).containsExactly("MinDuration");
  }

  @Test
  void aTestThatIsCutShortIsForeseen() {
    Plan plan = gptOss(Scenario.Server);
    plan.targetQps = 5.0;
    plan.maxDurationMs = 300_000L;

    assertThat(plan.rejections()).contains("LoadGenErrors");
    assertThat(plan.forecast().judgement().findings())
        .anySatisfy(finding -> assertThat(finding.fix()).contains("spec.load.maxDuration"));
  }

  @Test
  void tooFewQueriesForThePercentileAreForeseen() {
    Plan plan = new Plan("none", "custom", Scenario.Server);
    plan.limits = Limits.of(500.0, 50.0, null);
    plan.minDurationMs = 10_000L;
    plan.targetQps = 1.0;

    assertThat(plan.forecast().lateBudget()).isEqualTo(-1);
    assertThat(plan.rejections()).containsExactly("EarlyStopping");
  }

  @Test
  void looserLimitsAndAnswersThatAreNotStreamedAreForeseen() {
    Plan looser = gptOss(Scenario.Interactive);
    looser.limits = Limits.of(2500.0, 15.0, null);
    assertThat(looser.rejections()).containsExactly("Ttft");

    Plan whole = gptOss(Scenario.Interactive);
    whole.streaming = false;
    assertThat(whole.rejections()).containsExactly("Ttft", "Tpot");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpt-oss-120b.*.sample_concatenate_permutation = 0 | EqualIssue",
        "*.*.performance_issue_unique = 1 | SampleChoice",
        "gpt-oss-120b.Server.min_duration = 1000 # a second | MinDuration",
        "gpt-oss-120b.Server.performance_sample_count_override = 100 | PerformanceSampleCount",
        "gpt-oss-120b.Server.ttft_latency = 9000 | Ttft",
        "*.Server.target_latency_percentile = 90 | EarlyStopping",
      })
  void whatTheRunsOwnUserConfBreaksIsForeseen(String line, String rule) {
    Plan plan = gptOss(Scenario.Server);
    plan.userConf = "# mine\n" + line + "\n";

    assertThat(plan.rejections()).containsExactly(rule);
  }

  @Test
  void linesForOthersDoNotCount() {
    Plan plan = gptOss(Scenario.Server);
    plan.userConf = "llama3_1-8b.Server.min_duration = 1\n*.Offline.min_duration = 1\nnonsense";

    assertThat(plan.rejections()).isEmpty();
  }

  @Test
  void anotherModelKeyIsForeseen() {
    Plan plan = gptOss(Scenario.Server);
    plan.modelKey = "unknown";

    assertThat(plan.rejections()).containsExactly("EqualIssue");
  }

  @Test
  void otherGenerationIsForeseen() {
    Plan plan = gptOss(Scenario.Server);
    plan.generation = GPT_OSS;
    assertThat(plan.rejections()).isEmpty();

    plan.generation =
        RunPlanSamplingBuilder.builder()
            .temperature(0.7)
            .topK(-1)
            .topP(1.0)
            .minTokens(64)
            .maxNewTokens(128)
            .ignoreEos(true)
            .guided(GUIDED)
            .build();
    Finding finding = Objects.requireNonNull(plan.forecast().judgement().findings().getFirst());
    assertThat(finding.rule()).isEqualTo("Generation");
    assertThat(finding.message())
        .contains(
            "temperature 0.7, must be 1, minTokens 64, must be unset, maxNewTokens 128, must be 10240,"
                + " guidedDecoding is set, must not be, ignoreEos is set, must not be");
  }

  /** The reference sends nothing, its READMEs say what that means, and do not agree. */
  @ParameterizedTest(name = "{0}: temperature {1}, top-k {2}, top-p {3}, most {4}")
  @CsvSource({
    "v6.0, qwen3-vl-235b-a22b, 0.7, 20, 0.8, , 150,",
    "v6.0, qwen3-vl-235b-a22b, , , , , 4096,",
    "v6.0, qwen3-vl-235b-a22b, 1.0, -1, 1.0, , 1024,",
    "v6.0, qwen3-vl-235b-a22b, 1.0, 0, 1.0, , 1024,",
    "v6.0, qwen3-vl-235b-a22b, 1.0, 20, 1.0, , 1024, 'temperature 1, must be 0.7, topP 1, must be 0.8.'",
    "v6.0, qwen3-vl-235b-a22b, 0.0, 1, 1.0, , 1024, 'temperature 0, must be 0.7'",
    "v6.1, qwen3-vl-235b-a22b, 0.7, 20, 0.8, , 150,",
    "v6.1, qwen3-vl-235b-a22b, , , , , 150,",
    "v6.1, qwen3-vl-235b-a22b, , , 1.0, , 150,",
    "v6.1, qwen3-vl-235b-a22b, 1.0, -1, 1.0, , 150, 'temperature 1, must be 0.7'",
    "v6.1, qwen3-vl-235b-a22b, , , 0.8, , 150, 'temperature is unset, must be 0.7'",
    "v6.1, qwen3-vl-235b-a22b, , , , , 151, 'maxNewTokens 151, must be 150'",
    "v6.1, gpt-oss-120b, 1.0, -1, 1.0, 1, 10000,",
    "v6.1, gpt-oss-120b, 1.0, 0, 1.0, , 10240,",
    "v6.1, gpt-oss-120b, 1.0, -1, 1.0, 2, 10000, 'minTokens 2, must be unset'",
  })
  void whereSourcesDifferEachOfThemWillDo(
      String round,
      String benchmark,
      @Nullable Double temperature,
      @Nullable Integer topK,
      @Nullable Double topP,
      @Nullable Integer least,
      int most,
      @Nullable String difference) {
    Plan plan = new Plan(round, benchmark, Scenario.Offline);
    plan.generation = sampling(temperature, topK, topP, least, most);

    List<Finding> rejections = plan.forecast().judgement().objections();

    if (difference == null) {
      assertThat(rejections).isEmpty();
    } else {
      assertThat(rejections)
          .singleElement()
          .satisfies(finding -> assertThat(finding.message()).contains(difference));
    }
  }

  @Test
  void aClientThatTheReferenceHasLeftIsNoted() {
    Judgement judgement =
        new Plan("v6.1", "qwen3-vl-235b-a22b", Scenario.Server).forecast().judgement();

    assertThat(judgement.verdict()).isEqualTo(Verdict.Valid);
    assertThat(judgement.objections()).isEmpty();
    assertThat(judgement.findings())
        .singleElement()
        .satisfies(
            note -> {
              assertThat(note.rule()).isEqualTo("OtherClient");
              assertThat(note.effect()).isEqualTo(Verdict.Valid);
              assertThat(note.message())
                  .startsWith(
                      "v6.1's reference runs qwen3-vl-235b-a22b with MLCommons endpoints, this test"
                          + " is LoadGen's");
            });
    assertThat(
            new Plan("v6.0", "qwen3-vl-235b-a22b", Scenario.Server)
                .forecast()
                .judgement()
                .findings())
        .isEmpty();
  }

  /** By what MLCommons publishes; a file that is read before the test is known before it. */
  @ParameterizedTest(name = "{0} {1} {2}: {4}")
  @CsvSource({
    "v5.1, llama3.1-8b, Performance, c41c613c17794d117899fdcdeeadbe3c,",
    "v6.0, llama3.1-8b, Accuracy, c41c613c17794d117899fdcdeeadbe3c,",
    "v6.1, llama3.1-8b, TEST06, C41C613C17794D117899FDCDEEADBE3C,",
    "v6.1, llama3.1-8b, Performance, e4cd6cef6dd975f3e50c85b3279b358b, DatasetUnknown",
    "v6.1, llama3.1-8b, Performance, , DatasetUnknown",
    "v6.0, gpt-oss-120b, Performance, e4cd6cef6dd975f3e50c85b3279b358b,",
    "v6.1, gpt-oss-120b, TEST09, e4cd6cef6dd975f3e50c85b3279b358b,",
    "v6.1, gpt-oss-120b, Accuracy, 29d35424fc8d31461e73a7766446480e,",
    "v6.1, gpt-oss-120b, TEST07, e35e6bc6d7343df1930501bb61e61260,",
    "v6.1, gpt-oss-120b, Accuracy, e4cd6cef6dd975f3e50c85b3279b358b, DatasetUnknown",
    "v6.1, gpt-oss-120b, TEST07, 29d35424fc8d31461e73a7766446480e, DatasetUnknown",
    "none, llama3.1-8b, Performance, 29d35424fc8d31461e73a7766446480e,",
  })
  void theDatasetIsToldByItsChecksum(
      String ruleset, String benchmark, String kind, @Nullable String md5, @Nullable String rule) {
    Plan plan = new Plan(ruleset, benchmark, Scenario.Offline);
    plan.accuracy = kind.equals("Accuracy");
    plan.compliance = kind.startsWith("TEST") ? kind : null;
    plan.minDurationMs = 600_000L;
    if (kind.equals("TEST07")) {
      plan.performanceSampleCount = 990;
    }
    plan.dataset = new Checksums("ab12", md5);

    assertThat(plan.rejections()).isEqualTo(rule == null ? List.of() : List.of(rule));
  }

  @Test
  void aFileThatNobodyKnowsIsNamedWithTheOneThatIsAskedFor() {
    Plan plan = gptOss(Scenario.Offline);
    plan.dataset = new Checksums("ab12", "0c0c");

    Finding finding = plan.forecast().judgement().objections().getFirst();
    assertThat(finding.effect()).isEqualTo(Verdict.Inconclusive);
    assertThat(finding.message())
        .isEqualTo(
            "The dataset is not one that v6.1 has for performance tests of gpt-oss-120b: its MD5 is"
                + " 0c0c,"
                + " its SHA-256 ab12.");
    assertThat(finding.fix())
        .endsWith("perf/perf_eval_ref.parquet (MD5 e4cd6cef6dd975f3e50c85b3279b358b).");
  }

  /** Of Qwen3-VL the parts alone have checksums, and a run reads one file. */
  @Test
  void aDatasetOfWhichThereIsNoChecksumIsNoted() {
    Plan plan = new Plan("v6.0", "qwen3-vl-235b-a22b", Scenario.Offline);
    plan.dataset = new Checksums("ab12", "0c0c");

    Judgement judgement = plan.forecast().judgement();

    assertThat(judgement.verdict()).isEqualTo(Verdict.Valid);
    assertThat(judgement.findings())
        .singleElement()
        .satisfies(
            note -> {
              assertThat(note.rule()).isEqualTo("DatasetUnpublished");
              assertThat(note.message())
                  .startsWith(
                      "Whether this is the dataset of v6.0 cannot be determined: MLCommons"
                          + " publishes")
                  .endsWith("Its SHA-256 is ab12.");
            });
  }

  @Test
  void noLeastNumberOfTokensIsWhatItIsUnset() {
    Plan plan = gptOss(Scenario.Server);
    plan.generation = sampling(1.0, -1, 1.0, 0, 10240);

    assertThat(plan.rejections()).isEmpty();
  }

  @Test
  void withoutARoundTheModelIsAskedAsTheRunLikes() {
    Plan plan = new Plan("none", "qwen3-vl-235b-a22b", Scenario.Offline);
    plan.minDurationMs = 1L;
    plan.generation =
        RunPlanSamplingBuilder.builder()
            .minP(0.1)
            .minTokens(100)
            .maxNewTokens(9)
            .guided(GUIDED)
            .build();

    assertThat(plan.rejections()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"TEST07, 990", "TEST09, 6396"})
  void anAuditHasSettingsOfItsOwn(String audit, long samples) {
    Plan plan = gptOss(Scenario.Offline);
    plan.compliance = audit;
    plan.performanceSampleCount = (int) samples;

    assertThat(plan.rejections()).isEmpty();
    assertThat(plan.forecast().load().samples()).isEqualTo(samples);
  }

  @Test
  void whatTheServersWillDoIsForeseen() {
    Plan plan = gptOss(Scenario.Server);
    plan.generation = GPT_OSS;
    plan.servers = new ServerEvidence.Planned("spec.backend.", 10239, true, draft(5));

    assertThat(plan.rejections())
        .containsExactly("AnswersCut", "PrefixCache", "SpeculativeDecoding");
    assertThat(plan.rejections()).allMatch(Judge::isOfServers);
    assertThat(plan.ofServers())
        .containsExactlyElementsOf(plan.forecast().judgement().objections())
        .extracting(Finding::message)
        .containsExactly(
            "The servers generate at most 10239 tokens per answer, but 10240 are requested.",
            "The servers start with a prefix cache, which v6.1 forbids.",
            "The servers start with a draft model, which v6.1 forbids here.");
    assertThat(plan.ofServers()).allMatch(finding -> finding.fix().contains("spec.backend."));
  }

  @Test
  void serversThatDoAsTheRoundAllowsAreForeseen() {
    Plan plan = gptOss(Scenario.Interactive);
    plan.generation = GPT_OSS;
    plan.servers = new ServerEvidence.Planned("spec.backend.", 10240, false, draft(3));

    assertThat(plan.rejections()).isEmpty();
    assertThat(plan.ofServers()).isEmpty();

    plan.servers = new ServerEvidence.Planned("spec.backend.", null, false, draft(5));

    assertThat(plan.ofServers())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo("SpeculativeDecoding");
              assertThat(finding.message())
                  .startsWith("The servers start with a draft model (5 steps), of which v6.1");
            });
  }

  @Test
  void withoutARoundServersMayDoAsTheyLikeButCutNoAnswer() {
    Plan plan = new Plan("none", "gpt-oss-120b", Scenario.Server);
    plan.generation = GPT_OSS;
    plan.servers = new ServerEvidence.Planned("spec.backend.", 64, true, draft(5));

    assertThat(plan.ofServers()).extracting(Finding::rule).containsExactly("AnswersCut");
  }

  private static RunPlan.Draft draft(int steps) {
    return new RunPlan.Draft(
        "nvidia/gpt-oss-120b-Eagle3-long-context", "EAGLE3", steps, 1, List.of());
  }

  @Test
  void theDatasetsSizeCountsOnceItIsKnown() {
    Plan plan = new Plan("none", "gpt-oss-120b", Scenario.Server);
    plan.targetQps = 10.0;
    plan.minDurationMs = 10_000L;
    plan.datasetSize = 64;

    assertThat(plan.forecast().load().samples()).isEqualTo(128);
    assertThat(plan.forecast().datasetAssumed()).isFalse();
  }
}
