package dev.loadgen.rules.logged;

import dev.loadgen.rules.log.DetailLog;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The {@code mlperf_log_summary.txt} that LoadGen 6.0.17 writes beside a detail log. */
public final class SummaryText {
  private static final String RULE = "================================================\n";

  private final DetailLog log;
  private final StringBuilder text = new StringBuilder();

  private SummaryText(DetailLog log) {
    this.log = log;
  }

  /** The summary of a test whose log is this. */
  public static String of(DetailLog log) {
    return new SummaryText(log).write();
  }

  private String write() {
    if (!log.accuracy()) {
      results();
      parameters();
    }
    long errors = log.errorCount();
    return text.append("\nNo warnings encountered during test.\n\n")
        .append(
            switch ((int) errors) {
              case 0 -> "No errors encountered during test.\n";
              case 1 -> "1 ERROR encountered. See detailed log.\n";
              default -> errors + " ERRORS encountered. See detailed log.\n";
            })
        .toString();
  }

  private void results() {
    text.append(RULE).append("MLPerf Results Summary\n").append(RULE);
    line("SUT name : ", "sut_name");
    line("Scenario : ", "effective_scenario");
    line("Mode     : ", "effective_test_mode");
    decimals("Completed samples per second    : ", "result_completed_samples_per_sec");
    decimals("Completed tokens per second: ", "result_completed_tokens_per_second");
    line("Samples per second: ", "result_samples_per_second");
    line("Tokens per second: ", "result_tokens_per_second");
    line("Result is : ", "result_validity");
    met("  Performance constraints satisfied : ", "result_perf_constraints_met");
    met("  Min duration satisfied : ", "result_min_duration_met");
    met("  Min queries satisfied : ", "result_min_queries_met");
    met("  Early stopping satisfied: ", "early_stopping_met");
    text.append("TTFT Early Stopping Result:\n * Run successful.\n");
    text.append("\n").append(RULE).append("Additional Stats\n").append(RULE);
    decimals("Scheduled samples per second : ", "result_scheduled_samples_per_sec");
    decimals("QPS w/ loadgen overhead         : ", "result_qps_with_loadgen_overhead");
    decimals("QPS w/o loadgen overhead        : ", "result_qps_without_loadgen_overhead");
    for (String part : List.of("Min", "Max", "Mean")) {
      line(
          part + " latency (ns)                : ",
          "result_" + part.toLowerCase(Locale.ROOT) + "_latency_ns");
    }
    percentiles(" percentile latency (ns)   : ", "result_%s_percentile_latency_ns");
    text.append('\n');
    decimals(
        "Completed tokens per second                 : ", "result_completed_tokens_per_second");
    for (String part : List.of("Min", "Max", "Mean")) {
      line(
          part + " First Token latency (ns)                : ",
          "result_first_token_" + part.toLowerCase(Locale.ROOT) + "_latency_ns");
    }
    percentiles(
        " percentile first token latency (ns)   : ", "result_first_token_%s_percentile_latency_ns");
    text.append('\n');
    for (String part : List.of("Min", "Max", "Mean")) {
      line(
          part + " Time per Output Token (ns)                : ",
          "result_time_to_output_token_" + part.toLowerCase(Locale.ROOT));
    }
    percentiles(
        " percentile time to output token (ns)   : ",
        "result_time_per_output_token_%s_percentile_ns");
  }

  private void parameters() {
    text.append('\n').append(RULE).append("Test Parameters Used\n").append(RULE);
    line("samples_per_query : ", "effective_samples_per_query");
    line("target_qps : ", "effective_target_qps");
    if (log.flag("requested_use_token_latencies").orElse(false)) {
      line("ttft_latency (ns): ", "requested_server_ttft_latency");
      line("tpot_latency (ns): ", "requested_server_tpot_latency");
    } else {
      line("target_latency (ns): ", "effective_target_latency_ns");
    }
    line("max_async_queries : ", "effective_max_async_queries");
    line("min_duration (ms): ", "effective_min_duration_ms");
    line("max_duration (ms): ", "effective_max_duration_ms");
    for (String setting :
        List.of(
            "min_query_count",
            "max_query_count",
            "qsl_rng_seed",
            "sample_index_rng_seed",
            "schedule_rng_seed",
            "accuracy_log_rng_seed",
            "accuracy_log_probability",
            "accuracy_log_sampling_target")) {
      line(setting + " : ", "effective_" + setting);
    }
    for (String setting :
        List.of("print_timestamps", "performance_issue_unique", "performance_issue_same")) {
      log.flag("effective_" + setting)
          .ifPresent(on -> text.append(setting).append(" : ").append(on ? "1\n" : "0\n"));
    }
    for (String setting :
        List.of(
            "performance_issue_same_index", "performance_sample_count", "accuracy_sample_count")) {
      line(setting + " : ", "effective_" + setting);
    }
  }

  private void line(String name, String key) {
    log.text(key).ifPresent(value -> text.append(name).append(value).append('\n'));
  }

  private void decimals(String name, String key) {
    log.number(key)
        .ifPresent(value -> text.append(name).append(String.format(Locale.ROOT, "%.2f%n", value)));
  }

  private void met(String name, String key) {
    Optional<Boolean> met = log.flag(key);
    met.ifPresent(yes -> text.append(name).append(yes ? "Yes\n" : "NO\n"));
  }

  private void percentiles(String name, String pattern) {
    for (String percentile : List.of("50.00", "90.00", "95.00", "97.00", "99.00", "99.90")) {
      line(percentile + name, pattern.formatted(percentile));
    }
  }
}
