package dev.loadgen.runner;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The {@code user.conf} of a test: LoadGen's own file for settings that differ from its embedded
 * configuration, and a part of every MLPerf submission. It is kept in the results folder, so that
 * anybody's LoadGen can repeat the test.
 */
final class UserConf {
  /**
   * LoadGen looks a key up by model, then by {@code *}; a model that it does not know gets its
   * defaults for all models.
   */
  private static final String UNKNOWN_MODEL = "custom";

  /** A setting that LoadGen has since version 6. */
  static final String ACCURACY_SAMPLE_COUNT = "accuracy_sample_count_override";

  private static final Pattern ACCURACY_SAMPLE_COUNT_LINE =
      Pattern.compile("^\\s*[^#\\s]*\\." + ACCURACY_SAMPLE_COUNT + "\\s", Pattern.MULTILINE);

  private UserConf() {}

  /** Whether lines of the user's own set how many samples an accuracy test sends. */
  static boolean setsAccuracySampleCount(@Nullable String userConf) {
    return userConf != null && ACCURACY_SAMPLE_COUNT_LINE.matcher(userConf).find();
  }

  static String modelKey(RunPlan.Test test) {
    return test.modelKey() == null ? UNKNOWN_MODEL : test.modelKey();
  }

  /** LoadGen's scenario of a test: Interactive is Server with other limits. */
  static String scenario(RunPlan.Test test) {
    return test.scenario() == Scenario.Interactive
        ? Scenario.Server.name()
        : test.scenario().name();
  }

  /**
   * The file's content.
   *
   * @param performanceSamples samples of the dataset that a performance test uses
   * @param accuracySamples samples that an accuracy test sends; null where LoadGen has no such
   *     setting, and sends all that its library has
   */
  static String of(RunPlan.Test test, int performanceSamples, @Nullable Integer accuracySamples) {
    List<String> lines = new ArrayList<>();
    String prefix = modelKey(test) + "." + scenario(test) + ".";
    add(lines, prefix, "target_qps", decimal(test.targetQps()));
    add(lines, prefix, "min_duration", test.minDurationMs());
    add(lines, prefix, "max_duration", test.maxDurationMs());
    add(lines, prefix, "min_query_count", test.minQueryCount());
    add(lines, prefix, "max_query_count", test.maxQueryCount());
    add(lines, prefix, "performance_sample_count_override", performanceSamples);
    add(lines, prefix, ACCURACY_SAMPLE_COUNT, accuracySamples);
    if (test.coalesceQueries()) {
      add(lines, prefix, "coalesce_queries", 1);
    }
    add(lines, prefix, "use_token_latencies", test.tokenLatencies() ? 1 : 0);
    if (test.tokenLatencies()) {
      // LoadGen reads these two under Server, whatever the scenario.
      add(lines, modelKey(test) + ".Server.", "ttft_latency", whole(test.ttftLimitMs()));
      add(lines, modelKey(test) + ".Server.", "tpot_latency", whole(test.tpotLimitMs()));
    }
    // In other scenarios the key means an expectation, not a limit.
    if (scenario(test).equals(Scenario.Server.name())) {
      add(lines, prefix, "target_latency", whole(test.latencyLimitMs()));
    }
    if (test.userConf() != null) {
      lines.add(test.userConf().strip());
    }
    return String.join("\n", lines) + "\n";
  }

  private static void add(List<String> lines, String prefix, String key, @Nullable Object value) {
    if (value != null) {
      lines.add(prefix + key + " = " + value);
    }
  }

  private static @Nullable Long whole(@Nullable Double value) {
    return value == null ? null : Math.round(value);
  }

  private static @Nullable String decimal(@Nullable Double value) {
    return value == null ? null : String.format(Locale.ROOT, "%.6f", value);
  }
}
