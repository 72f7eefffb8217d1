package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.loadgen.contract.Scenario;
import dev.loadgen.mlperf.LoadGenBuild;
import dev.loadgen.rules.forecast.ExpectedLoad;
import dev.loadgen.rules.forecast.LoadSettings;
import dev.loadgen.rules.forecast.LoadSettingsBuilder;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.Limits;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import dev.loadgen.rules.ruleset.Seeds;
import dev.loadgen.runner.LoadGenProgram.Embedded;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What each round's real LoadGen has compiled in, and does, beside what the rules say of it. */
@Timeout(300)
class LoadGenOfRoundsIT {
  /** Numbers of the rules that no LoadGen of the round has; their rulesets name other sources. */
  private static final List<String> NOT_IN_LOADGEN =
      List.of(
          "gpt-oss-120b Offline minSampleCount",
          "qwen3-vl-235b-a22b Interactive performanceSampleCount",
          "qwen3-vl-235b-a22b Interactive accuracySampleCount",
          "qwen3-vl-235b-a22b Interactive limits");

  private final Path folder;

  LoadGenOfRoundsIT(@TempDir Path folder) {
    this.folder = folder;
  }

  static List<String> rulesets() {
    return Ruleset.names();
  }

  @ParameterizedTest
  @MethodSource("rulesets")
  void theRulesetHasTheNumbersOfItsLoadGen(String name) {
    Ruleset ruleset = Ruleset.named(name);
    List<String> keys =
        ruleset.benchmarks().values().stream()
            .flatMap(benchmark -> benchmark.scenarios().values().stream())
            .map(LoadGenOfRoundsIT::key)
            .distinct()
            .toList();
    String[] arguments =
        Stream.concat(Stream.of("embedded", ruleset.loadGen().version()), keys.stream())
            .toArray(String[]::new);
    Map<String, Embedded> embedded =
        LoadGenProgram.fork(folder, arguments).stream()
            .map(Embedded::parse)
            .collect(Collectors.toMap(e -> e.key() + " " + e.scenario(), e -> e));

    ruleset
        .benchmarks()
        .forEach(
            (benchmark, rules) ->
                rules
                    .scenarios()
                    .forEach(
                        (scenario, wanted) -> {
                          String of = DetailLog.nameOf(scenario);
                          Embedded found =
                              Objects.requireNonNull(embedded.get(key(wanted) + " " + of));
                          agree(ruleset, benchmark + " " + scenario, wanted, found);
                        }));
  }

  private static String key(ScenarioRules rules) {
    String key = rules.modelKey();
    return key == null ? "custom" : key;
  }

  private static void agree(Ruleset ruleset, String test, ScenarioRules wanted, Embedded found) {
    Seeds seeds = ruleset.seeds();
    if (seeds != null) {
      assertThat(found.seeds())
          .as(test)
          .isEqualTo("[%s %s %s]".formatted(seeds.qsl(), seeds.sampleIndex(), seeds.schedule()));
    }
    assertThat(found.tokenLatencies()).as(test).isEqualTo(wanted.tokenLatencies());
    assertThat(found.wholeCopies()).as(test).isEqualTo(wanted.equalIssue());
    assertThat(found.minDurationMs()).as(test).isEqualTo(600_000);
    Long minDurationMs = wanted.minDurationMs();
    if (minDurationMs != null) {
      assertThat(minDurationMs).as(test).isEqualTo(found.minDurationMs());
    }
    same(
        test + " performanceSampleCount",
        wanted.performanceSampleCount(),
        found.performanceSamples());
    if (found.accuracySamples() != 0) {
      same(test + " accuracySampleCount", wanted.accuracySampleCount(), found.accuracySamples());
    }
    same(test + " minSampleCount", wanted.minSampleCount(), found.minQueryCount());
    if (wanted.minSampleCount() == null) {
      assertThat(found.minQueryCount())
          .as(test)
          .isEqualTo(
              Objects.requireNonNullElse(
                  wanted.embeddedMinQueryCount(), LoadSettings.DEFAULT_MIN_QUERY_COUNT));
    }
    Limits limits = wanted.limits();
    if (limits.isEmpty() || NOT_IN_LOADGEN.contains(test + " limits")) {
      return;
    }
    assertThat(found.percentile()).as(test).isCloseTo(limits.percentileOrDefault(), within(1e-9));
    limit(test + " ttft", limits.ttftMs(), found.ttftMs());
    limit(test + " tpot", limits.tpotMs(), found.tpotMs());
    limit(test + " latency", limits.latencyMs(), found.latencyMs());
  }

  private static void same(String what, @Nullable Number wanted, long found) {
    if (wanted == null) {
      return;
    }
    if (NOT_IN_LOADGEN.contains(what)) {
      // An exception that is none any more is no exception.
      assertThat(found).as(what).isNotEqualTo(wanted.longValue());
    } else {
      assertThat(wanted.longValue()).as(what).isEqualTo(found);
    }
  }

  private static void limit(String what, @Nullable Double wanted, double found) {
    if (wanted != null) {
      assertThat(wanted).as(what).isEqualTo(found);
    }
  }

  /** A test of LoadGen, as its user.conf says it. */
  record Case(
      String name,
      String scenario,
      boolean accuracy,
      double qps,
      long minDurationMs,
      long minQueries,
      int dataset,
      int performanceSamples,
      int accuracySamples,
      boolean wholeCopies) {
    private String userConf() {
      return """
      *.*.target_qps = %s
      *.SingleStream.target_latency = %s
      *.*.min_duration = %d
      *.*.min_query_count = %d
      *.*.performance_sample_count_override = %d
      *.*.accuracy_sample_count_override = %d
      *.*.sample_concatenate_permutation = %d
      """
          .formatted(
              qps,
              1e3 / qps,
              minDurationMs,
              minQueries,
              performanceSamples,
              accuracySamples,
              wholeCopies ? 1 : 0);
    }

    private LoadSettings settings(@Nullable BigInteger seed, boolean countsAccuracySamples) {
      return LoadSettingsBuilder.builder()
          .scenario(Scenario.valueOf(scenario))
          .accuracy(accuracy)
          .targetQps(qps)
          .minDurationMs(minDurationMs)
          .minQueryCount(minQueries)
          .datasetSize(dataset)
          .performanceSampleCount(performanceSamples)
          .accuracySampleCount(countsAccuracySamples ? accuracySamples : 0)
          .sampleConcatenatePermutation(wholeCopies)
          .scheduleSeed(seed)
          .build();
    }
  }

  private static final List<Case> CASES =
      List.of(
          new Case("padded", "Offline", false, 100, 1000, 100, 64, 64, 0, true),
          new Case("unpadded", "Offline", false, 100, 500, 100, 64, 64, 0, false),
          new Case("subset", "Offline", false, 100, 1000, 100, 100, 64, 0, true),
          new Case("copies", "Server", false, 500, 1000, 100, 64, 64, 0, true),
          new Case("plain", "Server", false, 400, 800, 100, 64, 64, 0, false),
          new Case("count", "Server", false, 2000, 100, 459, 64, 64, 0, true),
          new Case("subset", "Server", false, 500, 500, 100, 100, 64, 0, true),
          new Case("accuracy", "Offline", true, 100, 1000, 100, 100, 64, 0, true),
          new Case("accuracy", "Server", true, 5000, 1000, 100, 100, 64, 50, true),
          new Case("copies", "SingleStream", false, 500, 200, 100, 64, 64, 0, true));

  static Stream<Arguments> cases() {
    return LoadGenBuild.all().stream()
        .flatMap(build -> CASES.stream().map(test -> Arguments.of(build, test)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("cases")
  void issuesWhatIsExpectedOfIt(LoadGenBuild build, Case test)
      throws IOException, UnreadableLogException {
    Files.writeString(folder.resolve("user.conf"), test.userConf());
    List<String> seen =
        LoadGenProgram.fork(
            folder,
            "run",
            build.version(),
            test.scenario(),
            test.accuracy() ? "AccuracyOnly" : "PerformanceOnly",
            Integer.toString(test.dataset()),
            folder.toString());
    DetailLog log = DetailLog.read(folder.resolve(DetailLog.FILE_NAME));

    assertThat(log.loadGenVersion())
        .hasValueSatisfying(version -> assertThat(version).startsWith(build.version() + " @ "));
    Seeds seeds = Objects.requireNonNull(roundOf(build).seeds());
    assertThat(log.unsigned("effective_qsl_rng_seed")).hasValue(seeds.qsl());
    assertThat(log.unsigned("effective_sample_index_rng_seed")).hasValue(seeds.sampleIndex());
    assertThat(log.unsigned("effective_schedule_rng_seed")).hasValue(seeds.schedule());

    boolean counts = !build.version().startsWith("5.");
    ExpectedLoad expected = ExpectedLoad.of(test.settings(seeds.schedule(), counts));
    if (test.scenario().equals("SingleStream")) {
      assertThat(log.integer("effective_min_query_count")).hasValue(expected.samples());
    } else {
      assertThat(expected.exact()).isTrue();
      assertThat(log.issuedSamples()).hasValue(expected.samples());
    }
    if (test.accuracy()) {
      assertThat(seen).containsExactly(indices(expected.samples()));
    } else if (test.wholeCopies() && (counts || test.dataset() == test.performanceSamples())) {
      assertThat(seen).containsExactly(indices(test.performanceSamples()));
    } else if (test.wholeCopies()) {
      // Of a larger dataset LoadGen 5 draws its performance set; later ones take the first samples.
      assertThat(seen).doesNotContain(indices(test.performanceSamples()));
      assertThat(seen.getFirst().split(",", -1)).hasSize(test.performanceSamples());
    }
  }

  /** The first so many, as {@link java.util.BitSet} writes them. */
  private static String indices(long count) {
    return LongStream.range(0, count)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static Ruleset roundOf(LoadGenBuild build) {
    return build.rulesets().stream()
        .map(Ruleset::named)
        .filter(Ruleset::official)
        .findFirst()
        .orElseThrow();
  }
}
