package dev.loadgen.rules.forecast;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.check.EarlyStopping;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.Seeds;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The log that LoadGen would write of a planned test if every sample were answered at once. */
final class IdealLog {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** LoadGen's key of errors that it meets while a test runs. */
  private static final String ERROR = "error_runtime";

  /** LoadGen's key of warnings. */
  private static final String WARNING = "generic_warning";

  private final Map<String, Object> entries = new LinkedHashMap<>();

  IdealLog(
      ForecastInput input,
      PlannedSettings settings,
      LoadSettings planned,
      ExpectedLoad load,
      long queries) {
    boolean offline = input.scenario() == Scenario.Offline;
    entries.put("loadgen_version", input.ruleset().loadGen().version());
    entries.put("sut_name", "planned");
    entries.put("requested_use_token_latencies", input.test().tokenLatencies());
    entries.put("requested_server_ttft_latency", nanoseconds(settings.number("ttft_latency")));
    entries.put("requested_server_tpot_latency", nanoseconds(settings.number("tpot_latency")));
    entries.put("effective_target_latency_ns", nanoseconds(settings.number("target_latency")));
    entries.put("effective_scenario", input.loadGenScenario());
    // The runner sets the mode after it has read user.conf.
    entries.put("effective_test_mode", input.accuracy() ? "AccuracyOnly" : "PerformanceOnly");
    AuditRules audit = input.audit();
    if (audit != null) {
      entries.put(WARNING, DetailLog.AUDIT_FOUND);
      audit.audit().forEach((key, value) -> entries.put(AuditRules.logged(key), value));
    }
    Seeds seeds = input.ruleset().seeds();
    if (seeds != null) {
      entries.put("effective_qsl_rng_seed", seeds.qsl());
      entries.put("effective_sample_index_rng_seed", seeds.sampleIndex());
      entries.put("effective_schedule_rng_seed", seeds.schedule());
    }
    entries.put("effective_min_duration_ms", planned.minDurationMs());
    entries.put("effective_min_query_count", planned.minQueryCount());
    entries.put("effective_sample_concatenate_permutation", planned.sampleConcatenatePermutation());
    entries.put("effective_performance_issue_unique", settings.flag("performance_issue_unique"));
    entries.put("effective_performance_issue_same", settings.flag("performance_issue_same"));
    entries.put("effective_performance_sample_count", planned.performanceSampleCount());
    entries.put("effective_accuracy_sample_count", planned.accuracySet());
    entries.put(
        "effective_target_latency_percentile", settings.number("target_latency_percentile") / 100);
    entries.put("qsl_reported_total_count", planned.datasetSize());
    entries.put(
        "effective_samples_per_query",
        offline
            ? Math.max(
                planned.minQueryCount(),
                (long) (1.1 * (planned.minDurationMs() / 1e3) * planned.targetQps()))
            : 1);
    entries.put("generated_query_count", queries);
    entries.put("generated_samples_per_query", load.samples() / Math.max(1, queries));
    if (input.accuracy()) {
      entries.put("power_end", "");
      return;
    }
    entries.put("result_query_count", queries);
    // How fast it will be is not known.
    for (String rate :
        List.of(
            "result_samples_per_second",
            "result_tokens_per_second",
            "result_completed_samples_per_sec",
            "result_completed_tokens_per_second")) {
      entries.put(rate, 0);
    }
    for (String latency :
        new String[] {
          "result_%.2f_percentile_latency_ns",
          "result_first_token_%.2f_percentile_latency_ns",
          "result_time_per_output_token_%.2f_percentile_ns"
        }) {
      if (input.streaming() || latency.equals("result_%.2f_percentile_latency_ns")) {
        entries.put(String.format(Locale.ROOT, latency, input.limits().percentileOrDefault()), 0);
      }
    }
    entries.put("result_min_duration_met", true);
    entries.put("result_min_queries_met", true);
    boolean open = input.loadGenScenario().equals("Server");
    entries.put(
        "early_stopping_met",
        !open || EarlyStopping.lateBudget(queries, percentile(settings)) >= 0);
    entries.put("result_validity", "VALID");
    entries.put("num_errors", load.cutShort() ? 1 : 0);
    if (load.cutShort()) {
      entries.put(ERROR, "Ending early: Max query count or duration reached.");
    }
  }

  private static double percentile(PlannedSettings settings) {
    double percent = settings.number("target_latency_percentile");
    return percent > 0 && percent < 100 ? percent : 99;
  }

  private static long nanoseconds(double ms) {
    return Math.round(ms * 1e6);
  }

  DetailLog read() {
    return DetailLog.parse(
        entries.entrySet().stream()
            .map(entry -> ":::MLLOG " + json(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining("\n")));
  }

  private static String json(String key, Object value) {
    try {
      return JSON.writeValueAsString(
          Map.of(
              "key",
              key,
              "value",
              value,
              "metadata",
              Map.of("is_error", key.equals(ERROR), "is_warning", key.equals(WARNING))));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("numbers and words are always JSON", e);
    }
  }
}
