package dev.loadgen.rules.ruleset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/rules.md} to the catalogue of rules and to the rulesets. {@code hack/update.sh}
 * writes it.
 */
@Tag("generated")
class RulesPageTest {
  private static final Path PAGE = Path.of("../docs/rules.md");

  private static final String INTRODUCTION =
      """
      # Rules

      <!-- generated from rules.yaml and the rulesets: hack/update.sh -->

      A test that runs to its end gets a verdict by the ruleset that it names in `spec.ruleset`: an MLPerf round, or `none`, which holds
      LoadGen's own settings and what the run asks for, and is not an MLPerf result.

      | verdict | means |
      | --- | --- |
      | `Valid` | no rule is broken |
      | `Invalid` | a rule is broken, even if something else is unknown |
      | `Inconclusive` | no rule is known to be broken, but something that a rule needs is unknown |

      A verdict also has notes: findings that are reported and do not change it.

      The same judge reads stored logs, of this program or of any other LoadGen harness: `loadgen judge FOLDER`.

      A ruleset is a file, `rules/src/main/resources/dev/loadgen/rules/rulesets/NAME.yaml`, beside the [schema](../rules/src/main/resources/dev/loadgen/rules/ruleset.schema.json) of such
      files. To add a round, add a file and a line in `index.txt`, in the jar or in any folder on the class path. For a round
      with a new LoadGen, also add a line to [versions.csv](../mlperf-loadgen-jni/native/versions.csv).

      ## What is asked

      """;

  @Test
  void thePageSaysWhatTheRulesAre() throws IOException {
    String page = page();

    if (Boolean.getBoolean("generated.update")) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE)).as("run: hack/update.sh").isEqualTo(page);
  }

  private static String page() {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    row(page, "rule", "asks", "a test that breaks it is", "source");
    row(page, "---", "---", "---", "---");
    for (Rule rule : Rule.all()) {
      row(page, "`" + rule.name() + "`", rule.asks(), effect(rule), rule.source());
    }
    for (String name : Ruleset.names().reversed()) {
      Ruleset ruleset = Ruleset.named(name);
      if (ruleset.official()) {
        round(page, ruleset);
      }
    }
    return page.toString();
  }

  private static String effect(Rule rule) {
    return rule.effect() == Verdict.Valid ? "as it is, with a note" : rule.effect().name();
  }

  private static void round(StringBuilder page, Ruleset round) {
    page.append("\n## ").append(round.name()).append("\n\n");
    page.append(round.description()).append('\n');
    page.append("\n- LoadGen: ")
        .append(round.loadGen().version())
        .append(" (")
        .append(round.loadGen().source())
        .append(')');
    Seeds seeds = round.seeds();
    if (seeds != null) {
      page.append("\n- seeds: qsl ")
          .append(seeds.qsl())
          .append(", sample index ")
          .append(seeds.sampleIndex())
          .append(", schedule ")
          .append(seeds.schedule())
          .append(" (")
          .append(seeds.source())
          .append(')');
    }
    page.append("\n- prefix caching: ")
        .append(round.prefixCaching().allowed() ? "allowed" : "not allowed")
        .append(" (")
        .append(round.prefixCaching().source())
        .append(")\n");
    if (round.auditsFolder() != null) {
      page.append("- compliance tests of a submission: in the tree `")
          .append(round.auditsFolder())
          .append("` beside `results`\n");
    }
    if (round.strictOpen()) {
      page.append(
          "- open division: held to the least samples of Offline and to the limits of Interactive, too\n");
    }
    round.benchmarks().forEach((id, benchmark) -> benchmark(page, round, id, benchmark));
  }

  private static void benchmark(
      StringBuilder page, Ruleset round, String id, BenchmarkRules benchmark) {
    page.append("\n### ").append(id).append(" in ").append(round.name()).append("\n\n");
    if (benchmark.absence() != null) {
      page.append("Not in the round: ").append(benchmark.absence()).append(".\n");
      return;
    }
    row(
        page,
        "scenario",
        "LoadGen's key",
        "TTFT",
        "TPOT",
        "latency",
        "target latency",
        "least duration",
        "least samples",
        "performance set",
        "accuracy set",
        "speculative decoding");
    row(page, Stream.generate(() -> "---").limit(11).toArray(String[]::new));
    Set<String> sources = new LinkedHashSet<>();
    benchmark
        .scenarios()
        .forEach(
            (name, rules) -> {
              scenario(page, name.name(), rules);
              sources.addAll(rules.sources());
            });
    if (!benchmark.aliases().isEmpty()) {
      page.append("\nThe benchmark's folder of a submission may also be called `")
          .append(String.join("`, `", benchmark.aliases()))
          .append("`.\n");
    }
    page.append("\nA system needs ")
        .append(
            benchmark.requiredScenarios().stream()
                .map(
                    group -> group.stream().map(Scenario::name).collect(Collectors.joining(" or ")))
                .collect(Collectors.joining(", and ")))
        .append(".\n\n");
    List<String> scores = new ArrayList<>();
    for (AccuracyGate gate : benchmark.accuracyGates()) {
      scores.add(
          "`"
              + gate.metric()
              + "`"
              + (gate.scenario() == null ? "" : " in " + gate.scenario())
              + " "
              + gate.bounds()
              + " ("
              + gate.source()
              + ")");
    }
    page.append("Accuracy: ").append(String.join("; ", scores)).append(".\n\n");
    page.append("Generation: ").append(generation(benchmark)).append(".\n\n");
    page.append("Datasets: ").append(datasets(benchmark)).append(".\n\n");
    OtherClient other = benchmark.otherClient();
    if (other != null) {
      page.append("The reference's client is ")
          .append(other.name())
          .append(" (")
          .append(other.source())
          .append(").\n\n");
    }
    page.append("Guided decoding: ")
        .append(benchmark.guidedDecoding().allowed() ? "allowed" : "not allowed")
        .append(" (")
        .append(benchmark.guidedDecoding().source())
        .append(").\n\n");
    page.append("Sources: ").append(String.join("; ", sources)).append(".\n");
  }

  private static void scenario(StringBuilder page, String name, ScenarioRules rules) {
    Limits limits = rules.limits();
    row(
        page,
        name,
        "`" + rules.modelKey() + "`",
        ms(limits.ttftMs()),
        ms(limits.tpotMs()),
        ms(limits.latencyMs()),
        rules.maxTargetLatencyMs() == null
            ? "-"
            : "at most " + rules.maxTargetLatencyMs() / 1000 + " s",
        rules.minDurationMs() == null ? "-" : rules.minDurationMs() / 1000 + " s",
        number(rules.minSampleCount()),
        number(rules.performanceSampleCount()),
        number(rules.accuracySampleCount()),
        speculation(rules.speculativeDecoding()));
  }

  private static String speculation(@Nullable SpeculativeDecoding allowed) {
    return allowed == null ? "no" : allowed.inWords() + " (" + allowed.source() + ")";
  }

  private static String datasets(BenchmarkRules benchmark) {
    if (benchmark.datasetUnpublished() != null) {
      return "no checksum is known; " + benchmark.datasetUnpublished();
    }
    return benchmark.datasets().stream()
        .map(
            known ->
                "`"
                    + known.file()
                    + "` for "
                    + String.join(", ", known.tests())
                    + (known.md5() == null ? "" : ", MD5 `" + known.md5() + "`")
                    + (known.sha256() == null ? "" : ", SHA-256 `" + known.sha256() + "`")
                    + " ("
                    + known.source()
                    + ")")
        .collect(Collectors.joining("; "));
  }

  private static String generation(BenchmarkRules benchmark) {
    return Stream.of(benchmark.performance(), benchmark.accuracy())
        .distinct()
        .map(RulesPageTest::generation)
        .collect(Collectors.joining("; in accuracy tests "));
  }

  private static String generation(Generation generation) {
    List<String> parts = new ArrayList<>();
    add(parts, "temperature", generation.temperature());
    add(parts, "top-k", generation.topK());
    add(parts, "top-p", generation.topP());
    add(parts, "at least tokens", generation.minTokens());
    add(
        parts,
        generation.bounds() ? "at most tokens" : "unbounded, by default",
        generation.maxNewTokens());
    StringBuilder text =
        new StringBuilder(String.join(", ", parts) + " (" + generation.source() + ")");
    for (Generation.Alternative other : generation.alternatives()) {
      List<String> others = new ArrayList<>();
      add(others, "temperature", other.temperature());
      add(others, "top-k", other.topK());
      add(others, "top-p", other.topP());
      add(others, "at least tokens", other.minTokens());
      add(others, "at most tokens", other.maxNewTokens());
      text.append(", or ")
          .append(others.isEmpty() ? "none of the first three" : String.join(", ", others))
          .append(" (")
          .append(other.source())
          .append(")");
    }
    return text.toString();
  }

  private static void add(List<String> parts, String name, @Nullable Number value) {
    if (value != null) {
      parts.add(name + " " + value);
    }
  }

  private static String ms(@Nullable Double limit) {
    return limit == null ? "-" : String.format(Locale.ROOT, "below %.0f ms", limit);
  }

  private static String number(@Nullable Number number) {
    return number == null ? "-" : number.toString();
  }

  private static void row(StringBuilder page, String... cells) {
    page.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }
}
