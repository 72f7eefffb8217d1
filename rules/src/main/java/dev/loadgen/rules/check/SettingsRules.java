package dev.loadgen.rules.check;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.ruleset.OtherClient;
import dev.loadgen.rules.ruleset.Seeds;
import dev.loadgen.rules.text.Wording;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Whether LoadGen ran with the settings that the round, or the run itself, asks for. */
final class SettingsRules {
  private SettingsRules() {}

  static List<Finding> minDuration(Subject test) {
    if (!test.hasResults()) {
      return List.of();
    }
    DetailLog log = test.log();
    long wanted =
        greater(
            test.rules() == null ? null : test.rules().minDurationMs(),
            test.evidence().requested().minDurationMs());
    OptionalLong effective = log.integer("effective_min_duration_ms");
    if (effective.isPresent() && effective.getAsLong() < wanted) {
      return List.of(
          new Finding(
              "MinDuration",
              "LoadGen ran with a minimum duration of "
                  + Wording.seconds(effective.getAsLong() / 1e3)
                  + ", must be "
                  + Wording.seconds(wanted / 1e3)
                  + ".",
              "Set spec.load.minDuration to "
                  + Wording.seconds(wanted / 1e3).replace(" ", "")
                  + " or more, and remove min_duration from spec.load.userConf.",
              Wording.seconds(effective.getAsLong() / 1e3),
              Wording.seconds(wanted / 1e3)));
    }
    Optional<Boolean> met = log.flag("result_min_duration_met");
    if (met.isEmpty()) {
      return List.of(untold("MinDuration", "result_min_duration_met"));
    }
    if (met.get()) {
      return List.of();
    }
    OptionalDouble lasted = durationSeconds(test);
    return List.of(
        new Finding(
            "MinDuration",
            "The test lasted "
                + (lasted.isPresent() ? Wording.seconds(lasted.getAsDouble()) : "less")
                + ", must be "
                + Wording.seconds(effective.orElse(wanted) / 1e3)
                + " or more.",
            test.offline()
                ? "Raise spec.load.targetQps to the rate that the server reaches, so that LoadGen issues more samples, or raise spec.load.minQueryCount."
                : test.evidence().openLoop()
                    ? "Remove spec.load.maxDuration and spec.load.maxQueryCount, which ended the test early."
                    : "Raise spec.load.minQueryCount.",
            lasted.isPresent() ? Wording.seconds(lasted.getAsDouble()) : null,
            Wording.seconds(effective.orElse(wanted) / 1e3)));
  }

  /** Every LoadGen says it of a test that has ended, so that its absence is no yes. */
  static Finding untold(String rule, String key) {
    return new Finding(
        rule,
        "LoadGen's log has no " + key + ", which it writes for every test.",
        "Judge the unmodified log that LoadGen wrote, with all lines.");
  }

  /** What LoadGen compares with the least duration, from what it logs. */
  private static OptionalDouble durationSeconds(Subject test) {
    DetailLog log = test.log();
    if (test.offline()) {
      OptionalDouble ns = log.number("result_max_latency_ns");
      return ns.isPresent() ? OptionalDouble.of(ns.getAsDouble() / 1e9) : ns;
    }
    OptionalDouble rate =
        log.number(
            test.evidence().openLoop()
                ? "result_scheduled_samples_per_sec"
                : "result_qps_with_loadgen_overhead");
    OptionalLong queries = log.integer("result_query_count");
    return rate.isPresent() && rate.getAsDouble() > 0 && queries.isPresent()
        ? OptionalDouble.of((queries.getAsLong() - 1) / rate.getAsDouble())
        : OptionalDouble.empty();
  }

  static List<Finding> tokenLatencies(Subject test) {
    // LoadGen logs the setting only where it is on.
    return !test.mustMeasureTokens() || !test.hasResults() || test.tokenLatencies()
        ? List.of()
        : List.of(
            new Finding(
                "TokenLatencies",
                ("LoadGen ran without token latencies, so that it counted no tokens; %s measures %s"
                        + " in tokens a second.")
                    .formatted(test.ruleset().name(), test.benchmarkId()),
                "Remove use_token_latencies from spec.load.userConf and spec.load.lgModelName, and"
                    + " run again."));
  }

  static List<Finding> targetLatency(Subject test) {
    Long most = test.rules() == null ? null : test.rules().maxTargetLatencyMs();
    double found = test.log().number("effective_target_latency_ns").orElse(0) / 1e6;
    return most == null || !test.ruleset().official() || !test.hasResults() || found <= most
        ? List.of()
        : List.of(
            new Finding(
                "TargetLatency",
                "LoadGen ran with a target latency of %s, must be %s or less."
                    .formatted(Wording.ms(found), Wording.ms(most)),
                "Remove target_latency from spec.load.userConf, and run again.",
                Wording.ms(found),
                Wording.ms(most)));
  }

  /** In the network division the name of the system under test says that it is one. */
  static List<Finding> networkName(Subject test) {
    String wanted = "Network SUT";
    String name = test.log().text("sut_name").orElse("");
    return test.evidence().division() != Division.NETWORK
            || test.evidence().accuracy()
            || name.contains(wanted)
        ? List.of()
        : List.of(
            new Finding(
                "NetworkName",
                "The system under test calls itself %s, must have %s in its name."
                    .formatted(name.isEmpty() ? "nothing" : name, wanted),
                "Submit to the closed or the open division, or let the system under test answer"
                    + " LoadGen with such a name.",
                name,
                wanted));
  }

  static List<Finding> minQueryCount(Subject test) {
    // Offline is one query, of as many samples as MinSamples asks for.
    OptionalLong least = test.log().integer("effective_min_query_count");
    if (test.offline()) {
      return !test.ruleset().official() || !test.hasResults() || least.orElse(1) >= 1
          ? List.of()
          : List.of(
              new Finding(
                  "MinQueryCount",
                  "LoadGen ran with at least " + least.getAsLong() + " queries, must be 1.",
                  "Judge the unmodified log that LoadGen wrote.",
                  Wording.count(least.getAsLong(), "queries"),
                  Wording.count(1, "query", "queries")));
    }
    return leastCount(
        test,
        "MinQueryCount",
        "queries",
        greater(null, test.evidence().requested().minQueryCount()),
        least,
        test.log().integer("result_query_count"));
  }

  static List<Finding> minSamples(Subject test) {
    // Held against the count before it is padded to whole datasets, as the checker does.
    return test.offline()
        ? leastCount(
            test,
            "MinSamples",
            "samples",
            greater(
                test.rules() == null || !test.asClosed() ? null : test.rules().minSampleCount(),
                test.evidence().requested().minQueryCount()),
            test.log().integer("effective_samples_per_query"),
            test.log().issuedSamples())
        : List.of();
  }

  private static List<Finding> leastCount(
      Subject test,
      String rule,
      String noun,
      long wanted,
      OptionalLong effective,
      OptionalLong issued) {
    if (!test.hasResults()) {
      return List.of();
    }
    if (effective.isPresent() && effective.getAsLong() < wanted) {
      return List.of(
          new Finding(
              rule,
              "LoadGen ran with at least %s %s, must be %s."
                  .formatted(effective.getAsLong(), noun, wanted),
              "Set spec.load.minQueryCount to "
                  + wanted
                  + " or more, and remove min_query_count from spec.load.userConf.",
              Wording.count(effective.getAsLong(), noun),
              Wording.count(wanted, noun)));
    }
    Optional<Boolean> met = test.log().flag("result_min_queries_met");
    if (met.isEmpty()) {
      return List.of(untold(rule, "result_min_queries_met"));
    }
    if (met.get()) {
      return List.of();
    }
    return List.of(
        new Finding(
            rule,
            "LoadGen issued %s %s, must be %s or more."
                .formatted(issued.orElse(0), noun, effective.orElse(wanted)),
            "Remove spec.load.maxDuration and spec.load.maxQueryCount, which ended the test early.",
            Wording.count(issued.orElse(0), noun),
            Wording.count(effective.orElse(wanted), noun)));
  }

  static List<Finding> performanceSampleCount(Subject test) {
    Integer wanted = test.rules() == null ? null : test.rules().performanceSampleCount();
    boolean ownSet = test.audit() != null && test.audit().samples() != null;
    if (!test.ruleset().official() || wanted == null || ownSet || !test.hasResults()) {
      return List.of();
    }
    // LoadGen logs the setting even where the dataset is smaller.
    long used =
        Math.min(
            test.log().integer("effective_performance_sample_count").orElse(0),
            test.log().integer("qsl_reported_total_count").orElse(Long.MAX_VALUE));
    return used >= wanted
        ? List.of()
        : List.of(
            new Finding(
                "PerformanceSampleCount",
                "The test drew on %s, must be %s or more."
                    .formatted(Wording.count(used, "sample", "samples"), wanted),
                "Give spec.dataset the benchmark's whole dataset and remove spec.load.performanceSampleCount.",
                Wording.count(used, "samples"),
                Wording.count(wanted, "samples")));
  }

  static List<Finding> accuracySampleCount(Subject test) {
    Integer wanted = test.rules() == null ? null : test.rules().accuracySampleCount();
    if (!test.ruleset().official()
        || wanted == null
        || !test.evidence().accuracy()
        || !test.log().complete()) {
      return List.of();
    }
    long sent = test.log().issuedSamples().orElse(0);
    // Before 6.0 LoadGen knew no such setting.
    long set = test.log().integer("effective_accuracy_sample_count").orElse(sent);
    if (sent == wanted && set == wanted) {
      return List.of();
    }
    long found = sent == wanted ? set : sent;
    return List.of(
        new Finding(
            "AccuracySampleCount",
            (sent == wanted ? "LoadGen was set to send " : "The test sent ")
                + Wording.count(found, "sample", "samples")
                + ", must be "
                + wanted
                + ".",
            "Give spec.dataset the benchmark's whole accuracy dataset and nothing more, and remove"
                + " accuracy_sample_count_override from spec.load.userConf.",
            Wording.count(found, "samples"),
            Wording.count(wanted, "samples")));
  }

  static List<Finding> equalIssue(Subject test) {
    if (!test.ruleset().official()
        || test.rules() == null
        || !test.rules().equalIssue()
        || !test.hasResults()
        || test.log().flag("effective_sample_concatenate_permutation").orElse(false)) {
      return List.of();
    }
    return List.of(
        new Finding(
            "EqualIssue",
            "LoadGen did not issue each sample equally often (sample_concatenate_permutation is false), "
                + test.ruleset().name()
                + " asks for it.",
            "Remove sample_concatenate_permutation from spec.load.userConf and spec.load.lgModelName."));
  }

  static List<Finding> sampleChoice(Subject test) {
    if (!test.ruleset().official() || !test.hasResults()) {
      return List.of();
    }
    return List.of("performance_issue_unique", "performance_issue_same").stream()
        .filter(key -> test.log().flag("effective_" + key).orElse(false))
        .map(
            key ->
                new Finding(
                    "SampleChoice",
                    "LoadGen ran with " + key + ", which is only allowed in an audit.",
                    "Remove " + key + " from spec.load.userConf."))
        .toList();
  }

  static List<Finding> generation(Subject test) {
    RunPlan.Sampling asked = test.evidence().generation();
    if (!test.ruleset().official() || asked == null || test.rules() == null) {
      return List.of();
    }
    BenchmarkRules benchmark = test.ruleset().benchmark(test.benchmarkId());
    List<String> differing =
        new ArrayList<>(benchmark.generation(test.evidence().accuracy()).differences(asked));
    if (asked.guided() != null && !benchmark.guidedDecoding().allowed()) {
      differing.add("guidedDecoding is set, must not be");
    }
    asked.furtherSettings().forEach(other -> differing.add(other + " is set, must not be"));
    return differing.isEmpty()
        ? List.of()
        : List.of(
            new Finding(
                "Generation",
                "The generation settings are not what "
                    + test.ruleset().name()
                    + " says: "
                    + String.join(", ", differing)
                    + ".",
                "Remove them from spec.sampling, or set spec.ruleset to none."));
  }

  /** A note: the rules have not caught up with the reference, or the other way round. */
  static List<Finding> otherClient(Subject test) {
    OtherClient other =
        test.rules() == null ? null : test.ruleset().benchmark(test.benchmarkId()).otherClient();
    return other == null
        ? List.of()
        : List.of(
            new Finding(
                "OtherClient",
                test.ruleset().name()
                    + "'s reference runs "
                    + test.benchmarkId()
                    + " with "
                    + other.name()
                    + ", this test is LoadGen's: "
                    + other.source()
                    + ".",
                "Ask MLCommons before a submission which client it accepts."));
  }

  static List<Finding> seedsDiffer(Subject test) {
    Seeds seeds = test.ruleset().seeds();
    if (seeds == null || test.log().mode().isEmpty()) {
      return List.of();
    }
    List<String> differing = new ArrayList<>();
    compare(test.log(), "qsl_rng_seed", seeds.qsl(), differing);
    compare(test.log(), "sample_index_rng_seed", seeds.sampleIndex(), differing);
    compare(test.log(), "schedule_rng_seed", seeds.schedule(), differing);
    if (differing.isEmpty()) {
      return List.of();
    }
    return List.of(
        new Finding(
            "SeedsDiffer",
            "LoadGen "
                + test.log().loadGenVersion().orElse("of unknown version")
                + " ran with other seeds than "
                + test.ruleset().name()
                + ": "
                + String.join(", ", differing)
                + ".",
            "Set spec.ruleset to the round of this LoadGen, or use a runner with LoadGen "
                + test.ruleset().loadGen().version()
                + "."));
  }

  private static void compare(
      DetailLog log, String key, BigInteger wanted, List<String> differing) {
    String found = log.text("effective_" + key).orElse("absent");
    if (!log.unsigned("effective_" + key).map(wanted::equals).orElse(false)) {
      differing.add(key + " " + found + ", must be " + wanted);
    }
  }

  private static long greater(@Nullable Long first, @Nullable Long second) {
    return Math.max(first == null ? 0 : first, second == null ? 0 : second);
  }
}
