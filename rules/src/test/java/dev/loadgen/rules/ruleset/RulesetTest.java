package dev.loadgen.rules.ruleset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.Scenario;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RulesetTest {
  private static final List<String> BENCHMARKS =
      List.of("llama3.1-8b", "gpt-oss-120b", "qwen3-vl-235b-a22b", "custom");

  @Test
  void allRulesetsAreThere() {
    assertThat(Ruleset.names()).containsExactly("none", "v5.1", "v6.0", "v6.1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "v5.1", "v6.0", "v6.1"})
  void everyRulesetKnowsEveryBenchmarkAndNamesItsSources(String name) {
    Ruleset ruleset = Ruleset.named(name);

    assertThat(ruleset.benchmarks().keySet()).containsExactlyElementsOf(BENCHMARKS);
    assertThat(ruleset.official()).isEqualTo(!name.equals("none"));
    ruleset
        .benchmarks()
        .values()
        .forEach(
            benchmark -> {
              assertThat(benchmark.performance().source()).isNotBlank();
              assertThat(benchmark.datasets().isEmpty())
                  .as("a round knows its datasets, or says why not")
                  .isEqualTo(
                      benchmark.datasetUnpublished() != null
                          || !ruleset.official()
                          || benchmark.scenarios().isEmpty());
              assertThat(benchmark.guidedDecoding().source()).isNotBlank();
              assertThat(benchmark.guidedDecoding().allowed()).isEqualTo(name.equals("none"));
              assertThat(benchmark.accuracyGates()).allMatch(gate -> !gate.source().isBlank());
              assertThat(benchmark.scenarios().values())
                  .allSatisfy(rules -> assertThat(rules.sources()).isNotEmpty());
            });
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "none, llama3.1-8b, TEST06",
    "none, gpt-oss-120b, TEST07 TEST09",
    "none, custom, ''",
    "v5.1, llama3.1-8b, TEST06",
    "v5.1, gpt-oss-120b, ''",
    "v6.0, llama3.1-8b, TEST06",
    "v6.0, gpt-oss-120b, TEST07 TEST09",
    "v6.0, qwen3-vl-235b-a22b, ''",
    "v6.1, llama3.1-8b, TEST06",
    "v6.1, gpt-oss-120b, TEST07 TEST09",
  })
  void complianceTestsAreThoseOfTheRound(String round, String benchmark, String tests) {
    assertThat(String.join(" ", Ruleset.named(round).complianceTests(benchmark).keySet()))
        .isEqualTo(tests);
    assertThat(Ruleset.named(round).complianceTests(benchmark).values())
        .allSatisfy(test -> assertThat(test.sources()).isNotEmpty().noneMatch(String::isBlank));
  }

  /** Rounds that had no such setting yet let LoadGen send a sample twice and another never. */
  @Test
  void anAuditIsWhatItsRoundHas() {
    assertThat(Ruleset.named("v6.1").complianceTest("gpt-oss-120b", "TEST07").auditConfig())
        .isEqualTo(
            """
            *.*.mode = 2
            *.*.accuracy_log_rng_seed = 720381539243781796
            *.*.accuracy_log_sampling_target = 990
            *.*.min_query_count = 990
            *.*.min_duration = 0
            *.*.performance_issue_unique = 1
            *.*.sample_concatenate_permutation = 0
            """);
    assertThat(Ruleset.named("v6.0").complianceTest("gpt-oss-120b", "TEST07").auditConfig())
        .doesNotContain("performance_issue_unique");
    assertThat(Ruleset.named("none").complianceTest("gpt-oss-120b", "TEST09"))
        .isEqualTo(Ruleset.named("v6.1").complianceTest("gpt-oss-120b", "TEST09"));
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource({
    "v5.1, llama3.1-8b, Server, llama3_1-8b, 2000, 100, , 13368, 13368,",
    "v5.1, llama3.1-8b, Interactive, llama3_1-8b-interactive, 500, 30, , 13368, 13368,",
    "v6.0, llama3.1-8b, Offline, llama3_1-8b, , , , 13368, 13368, 13368",
    "v6.0, gpt-oss-120b, Offline, gpt-oss-120b, , , , 6396, 4395, 6396",
    "v6.0, gpt-oss-120b, Server, gpt-oss-120b, 3000, 80, , 6396, 4395,",
    "v6.0, qwen3-vl-235b-a22b, Server, qwen3-vl-235b-a22b, , , 12000, 48289, 48289,",
    "v6.1, llama3.1-8b, Server, llama3_1-8b, 2000, 100, , 13368, 13368,",
    "v6.1, llama3.1-8b, Interactive, llama3_1-8b-interactive, 500, 30, , 13368, 13368,",
    "v6.1, gpt-oss-120b, Server, gpt-oss-120b, 3000, 80, , 6396, 4395,",
    "v6.1, gpt-oss-120b, Interactive, gpt-oss-120b-interactive, 2000, 15, , 6396, 4395,",
    "v6.1, qwen3-vl-235b-a22b, Offline, qwen3-vl-235b-a22b, , , , 48289, 48289, 48289",
    "v6.1, qwen3-vl-235b-a22b, Interactive, qwen3-vl-235b-a22b, , , 1500, 8000, 8000,",
  })
  void numbersAreThoseOfTheRound(
      String round,
      String benchmark,
      Scenario scenario,
      String modelKey,
      @Nullable Double ttft,
      @Nullable Double tpot,
      @Nullable Double latency,
      int performance,
      int accuracy,
      @Nullable Long minSamples) {
    ScenarioRules rules =
        Ruleset.named(round).benchmark(benchmark).scenario(scenario).orElseThrow();

    assertThat(rules.modelKey()).isEqualTo(modelKey);
    assertThat(rules.limits()).isEqualTo(Limits.of(ttft, tpot, latency));
    assertThat(rules.limits().percentileOrDefault()).isEqualTo(99);
    assertThat(rules.tokenLatencies()).isEqualTo(!benchmark.startsWith("qwen"));
    assertThat(rules.minDurationMs()).isEqualTo(600_000);
    assertThat(rules.performanceSampleCount()).isEqualTo(performance);
    assertThat(rules.accuracySampleCount()).isEqualTo(accuracy);
    assertThat(rules.minSampleCount()).isEqualTo(minSamples);
    assertThat(rules.equalIssue()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "v5.1, 1780908523862526354, 14771362308971278857, 18209322760996052031",
    "v6.0, 2465351861681999779, 14276810075590677512, 3936089224930324775",
    "v6.1, 2085463073848966840, 2747215439041700203, 16159082839903944936",
  })
  void seedsAreThoseOfTheRound(
      String round, BigInteger qsl, BigInteger sampleIndex, BigInteger schedule) {
    Seeds seeds = Objects.requireNonNull(Ruleset.named(round).seeds());

    assertThat(List.of(seeds.qsl(), seeds.sampleIndex(), seeds.schedule()))
        .containsExactly(qsl, sampleIndex, schedule);
  }

  /** An audit of a benchmark has a dataset, too. */
  @ParameterizedTest
  @ValueSource(strings = {"v5.1", "v6.0", "v6.1"})
  void everyTestOfARoundHasADataset(String name) {
    Ruleset ruleset = Ruleset.named(name);
    ruleset
        .benchmarks()
        .forEach(
            (id, benchmark) -> {
              if (!benchmark.datasets().isEmpty()) {
                Set<String> tests = new TreeSet<>(ruleset.complianceTests(id).keySet());
                tests.addAll(List.of("Performance", "Accuracy"));
                assertThat(benchmark.datasets().stream().flatMap(each -> each.tests().stream()))
                    .as(id)
                    .containsExactlyInAnyOrderElementsOf(tests);
              }
            });
  }

  @Test
  void aDatasetWithoutAChecksumIsRefused() {
    assertThatThrownBy(() -> new KnownDataset("f", null, null, List.of("Accuracy"), "s"))
        .hasMessage("f has no checksum");
    assertThatThrownBy(() -> new KnownDataset("f", "ABC", null, List.of("Accuracy"), "s"))
        .hasMessage("f: a checksum is lower-case hexadecimal");
  }

  @Test
  void limitsOfNoneAreLoadGensOwnAndNothingElseIsAsked() {
    Ruleset none = Ruleset.named("none");

    assertThat(none.seeds()).isNull();
    none.benchmarks()
        .values()
        .forEach(
            benchmark ->
                assertThat(benchmark.scenarios().values())
                    .allMatch(rules -> rules.minDurationMs() == null)
                    .allMatch(rules -> rules.minSampleCount() == null));
    assertThat(none.benchmark("llama3.1-8b").scenario(Scenario.Server).orElseThrow().limits())
        .isEqualTo(Limits.of(2000.0, 100.0, null));
    ScenarioRules custom = none.benchmark("custom").scenario(Scenario.Server).orElseThrow();
    assertThat(custom.modelKey()).isNull();
    assertThat(custom.limits().isEmpty()).isTrue();
  }

  @Test
  void generationDiffersByMode() {
    BenchmarkRules gptOss = Ruleset.named("v6.1").benchmark("gpt-oss-120b");
    BenchmarkRules llama = Ruleset.named("v6.1").benchmark("llama3.1-8b");

    assertThat(gptOss.generation(false).maxNewTokens()).isEqualTo(10240);
    assertThat(gptOss.generation(true).maxNewTokens()).isEqualTo(32768);
    assertThat(gptOss.completionData()).isEqualTo(CompletionData.TOKEN_IDS);
    assertThat(llama.generation(false).maxNewTokens()).isEqualTo(128);
    assertThat(llama.generation(false).temperature()).isZero();
    assertThat(Ruleset.named("v6.1").benchmark("qwen3-vl-235b-a22b").completionData())
        .isEqualTo(CompletionData.TEXT);
  }

  @Test
  void scenariosOutsideTheRoundAreAbsentAndSayWhy() {
    assertThat(Ruleset.named("v6.0").benchmark("qwen3-vl-235b-a22b").scenario(Scenario.Interactive))
        .isEmpty();
    assertThat(Ruleset.named("v6.1").benchmark("llama3.1-8b").scenario(Scenario.SingleStream))
        .isEmpty();
    assertThat(Ruleset.named("v5.1").benchmark("gpt-oss-120b").scenarios()).isEmpty();
    assertThat(Ruleset.named("v5.1").benchmark("gpt-oss-120b").absence()).contains("v6.0");
    assertThat(Ruleset.named("v6.1").benchmark("custom").absence()).contains("none");
  }

  @Test
  void unknownNamesListTheKnownOnes() {
    assertThatThrownBy(() -> Ruleset.named("v9.9"))
        .isInstanceOf(UnknownRulesetException.class)
        .hasMessage("ruleset v9.9 is not known; known are none, v5.1, v6.0, v6.1");
    assertThatThrownBy(() -> Ruleset.named("none").benchmark("bert"))
        .hasMessageContaining("llama3.1-8b, gpt-oss-120b, qwen3-vl-235b-a22b, custom");
  }

  @Test
  void anotherFolderOnTheClassPathAddsARound(@TempDir Path folder) throws IOException {
    Path files = Files.createDirectories(folder.resolve("dev/loadgen/rules/rulesets"));
    Files.writeString(files.resolve("index.txt"), "# next year's\nv7.0\n");
    Files.writeString(
        files.resolve("v7.0.yaml"),
        """
        name: v7.0
        description: A round to come.
        official: true
        loadGen: {version: 7.0.1, source: s}
        prefixCaching: {allowed: false, source: its rules}
        benchmarks: {}
        """);

    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {folder.toUri().toURL()}, RulesetTest.class.getClassLoader())) {
      assertThat(RulesetFiles.readAll(loader).keySet())
          .containsExactly("none", "v5.1", "v6.0", "v6.1", "v7.0");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name: v7.0 | description",
        "name: v7.0\\ndescription: d\\nofficial: true\\nloadGen: {version: 7.0.1, source: s}\\nprefixCaching: {allowed: true, source: s}\\nbenchmarks: {}\\nlimit: 3 | limit",
        "name: v7.1\\ndescription: d\\nofficial: true\\nloadGen: {version: 7.0.1, source: s}\\nprefixCaching: {allowed: true, source: s}\\nbenchmarks: {} | name must be v7.0",
        "name: v7.0\\ndescription: d\\nofficial: true\\nloadGen: {version: 7.0, source: s}\\nprefixCaching: {allowed: true, source: s}\\nbenchmarks: {} | loadGen.version must be",
        "name: v7.0\\nname: v7.0 | Duplicate",
      })
  void aFaultyFileIsNamedWithItsFault(String yaml, String fault) {
    byte[] bytes = yaml.replace("\\n", "\n").getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(
            () -> RulesetFiles.parse("v7.0.yaml", "v7.0", new ByteArrayInputStream(bytes)))
        .hasMessageContaining("v7.0.yaml")
        .hasMessageContaining(fault);
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "v5.1", "v6.0", "v6.1"})
  void everyFileFitsTheSchema(String name) throws IOException {
    assertThat(schema().validate(tree(name))).isEmpty();
  }

  @Test
  void theSchemaRefusesWhatTheReaderWould() throws IOException {
    ObjectNode round = (ObjectNode) tree("v6.1");
    round.remove("seeds");
    ((ObjectNode) round.at("/benchmarks/llama3.1-8b/scenarios/Server/limits")).put("ttftMs", -1);
    ((ObjectNode) round.at("/benchmarks/llama3.1-8b")).put("limit", 3);

    assertThat(schema().validate(round))
        .map(message -> message.getInstanceLocation() + " " + message.getType())
        .containsExactlyInAnyOrder(
            "$ required",
            "$.benchmarks.llama3.1-8b.scenarios.Server.limits.ttftMs exclusiveMinimum",
            "$.benchmarks.llama3.1-8b additionalProperties");
  }

  private static JsonNode tree(String name) throws IOException {
    try (InputStream in =
        Ruleset.class.getResourceAsStream("/dev/loadgen/rules/rulesets/" + name + ".yaml")) {
      return RulesetFiles.mapper().readTree(in);
    }
  }

  private static JsonSchema schema() throws IOException {
    try (InputStream in =
        Ruleset.class.getResourceAsStream("/dev/loadgen/rules/ruleset.schema.json")) {
      return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(in);
    }
  }
}
