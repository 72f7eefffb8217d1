package dev.loadgen.rules.forecast;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.ScenarioRules;
import dev.loadgen.rules.ruleset.Seeds;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * LoadGen's settings of a planned test, by LoadGen's own keys: its defaults (test_settings.h,
 * mlperf.conf), then what the plan says, then the lines of the run's own user.conf, then those of
 * an audit, as LoadGen applies them.
 */
final class PlannedSettings {
  /** Least duration of every scenario in mlperf.conf. */
  private static final long MIN_DURATION_MS = 600_000;

  /** Queries a second of Server and Offline in mlperf.conf. */
  private static final double TARGET_QPS = 1;

  /** 1000 over the 10 ms that mlperf.conf expects of a query in SingleStream. */
  private static final double SINGLE_STREAM_QPS = 100;

  private static final Pattern LINE =
      Pattern.compile("\\s*([^.\\s#]+)\\.([^.\\s#]+)\\.(\\w+)\\s*=\\s*([^\\s#]+)\\s*(#.*)?");

  private final Map<String, Double> values = new HashMap<>();

  private PlannedSettings() {}

  static PlannedSettings of(ForecastInput input) {
    PlannedSettings settings = new PlannedSettings();
    ScenarioRules rules = input.rules();
    settings.put(
        "target_qps",
        input.test().targetQps(),
        input.scenario() == Scenario.SingleStream ? SINGLE_STREAM_QPS : TARGET_QPS);
    settings.put("min_duration", input.test().minDurationMs(), MIN_DURATION_MS);
    settings.put("max_duration", input.test().maxDurationMs(), 0);
    settings.put(
        "min_query_count",
        input.test().minQueryCount(),
        Objects.requireNonNullElse(
            rules.embeddedMinQueryCount(), LoadSettings.DEFAULT_MIN_QUERY_COUNT));
    settings.put("max_query_count", input.test().maxQueryCount(), 0);
    settings.put(
        "performance_sample_count_override",
        input.test().performanceSampleCount(),
        Objects.requireNonNullElse(rules.performanceSampleCount(), 0));
    settings.put(
        "accuracy_sample_count_override",
        null,
        Objects.requireNonNullElse(rules.accuracySampleCount(), 0));
    boolean known = Objects.equals(input.test().modelKey(), rules.modelKey());
    settings.put("sample_concatenate_permutation", null, known && rules.equalIssue() ? 1 : 0);
    settings.put("target_latency_percentile", null, 99);
    settings.put("ttft_latency", input.limits().ttftMs(), orZero(rules.limits().ttftMs()));
    settings.put("tpot_latency", input.limits().tpotMs(), orZero(rules.limits().tpotMs()));
    settings.put("target_latency", input.limits().latencyMs(), orZero(rules.limits().latencyMs()));
    settings.userConf(input);
    AuditRules audit = input.audit();
    if (audit != null) {
      audit.audit().forEach((key, value) -> settings.values.put(key, value.doubleValue()));
    }
    return settings;
  }

  private static double orZero(@Nullable Double limit) {
    return Objects.requireNonNullElse(limit, 0.0);
  }

  private void put(String key, @Nullable Number value, Number otherwise) {
    values.put(key, (value == null ? otherwise : value).doubleValue());
  }

  private void userConf(ForecastInput input) {
    String conf = input.test().userConf();
    if (conf == null) {
      return;
    }
    String model = Objects.requireNonNullElse(input.test().modelKey(), "*");
    for (String line : conf.lines().toList()) {
      Matcher entry = LINE.matcher(line);
      if (!entry.matches()
          || !(entry.group(1).equals("*") || entry.group(1).equals(model))
          || !(entry.group(2).equals("*") || entry.group(2).equals(input.loadGenScenario()))) {
        continue;
      }
      // A value that is not a number is refused by LoadGen when the test begins.
      parsed(entry.group(4)).ifPresent(value -> values.put(entry.group(3), value));
    }
  }

  private static OptionalDouble parsed(@Nullable String text) {
    try {
      return OptionalDouble.of(Double.parseDouble(String.valueOf(text)));
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }

  double number(String key) {
    return values.getOrDefault(key, 0.0);
  }

  long integer(String key) {
    return (long) number(key);
  }

  boolean flag(String key) {
    return number(key) != 0;
  }

  LoadSettings load(ForecastInput input, int datasetSize) {
    Seeds seeds = input.ruleset().seeds();
    return LoadSettingsBuilder.builder()
        .scenario(input.scenario())
        .accuracy(input.accuracy())
        .targetQps(number("target_qps"))
        .minDurationMs(integer("min_duration"))
        .maxDurationMs(integer("max_duration"))
        .minQueryCount(integer("min_query_count"))
        .maxQueryCount(integer("max_query_count"))
        .datasetSize(datasetSize)
        .performanceSampleCount(integer("performance_sample_count_override"))
        .accuracySampleCount(integer("accuracy_sample_count_override"))
        .sampleConcatenatePermutation(flag("sample_concatenate_permutation"))
        .scheduleSeed(seeds == null ? null : seeds.schedule())
        .build();
  }
}
