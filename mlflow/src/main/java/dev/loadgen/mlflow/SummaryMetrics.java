package dev.loadgen.mlflow;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The numbers of LoadGen's {@code mlperf_log_summary.txt} as metrics {@code loadgen_*}. Names are
 * those that users of the MLPerf harness in Python know, so that old and new runs of one experiment
 * can be compared. Latencies come in nanoseconds, as LoadGen prints them, and in milliseconds.
 */
final class SummaryMetrics {
  private static final Pattern EXTREME =
      Pattern.compile(
          "(Min|Max|Mean) (latency|First Token latency|Time per Output Token) \\(ns\\)",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern PERCENTILE =
      Pattern.compile(
          "([0-9]+\\.[0-9]+) percentile (latency|first token latency|time to output token)"
              + " \\(ns\\)");
  private static final Pattern TARGET_PERCENTILE =
      Pattern.compile("([0-9]+\\.[0-9]+)th (first token )?percentile latency \\(ns\\)");

  /** Parameters that have a name of their own; all others are called {@code loadgen_param_*}. */
  private static final Set<String> NAMED =
      Set.of(
          "samples_per_query",
          "target_qps",
          "ttft_latency_ns",
          "tpot_latency_ns",
          "max_async_queries",
          "min_duration_ms",
          "max_duration_ms",
          "min_query_count",
          "max_query_count",
          "performance_sample_count");

  /** Seeds do not fit a double, and the others belong to audits. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "qsl_rng_seed",
          "sample_index_rng_seed",
          "schedule_rng_seed",
          "accuracy_log_rng_seed",
          "accuracy_log_probability",
          "accuracy_log_sampling_target",
          "print_timestamps",
          "performance_issue_unique",
          "performance_issue_same",
          "performance_issue_same_index");

  private enum Section {
    RESULTS,
    ADDITIONAL_STATS,
    PARAMETERS
  }

  private final Map<String, Double> metrics = new LinkedHashMap<>();
  private Section section = Section.RESULTS;

  private SummaryMetrics() {}

  /** The metrics of a summary; empty for a text that is none, as after an accuracy test. */
  static Map<String, Double> metrics(String text) {
    SummaryMetrics summary = new SummaryMetrics();
    text.lines().map(String::strip).forEach(summary::line);
    return summary.metrics;
  }

  private void line(String line) {
    if (line.equals("Additional Stats")) {
      section = Section.ADDITIONAL_STATS;
    } else if (line.equals("Test Parameters Used")) {
      section = Section.PARAMETERS;
    }
    int colon = line.indexOf(':');
    if (colon < 0) {
      return;
    }
    String key = line.substring(0, colon).strip();
    String value = line.substring(colon + 1).strip();
    switch (section) {
      case RESULTS -> result(key, value);
      case ADDITIONAL_STATS -> statistic(key, value);
      case PARAMETERS -> parameter(key, value);
    }
  }

  private void result(String key, String value) {
    switch (key) {
      case "Scenario" -> metrics.put("loadgen_scenario_server", value.equals("Server") ? 1.0 : 0.0);
      case "Result is" -> metrics.put("loadgen_result_valid", value.equals("VALID") ? 1.0 : 0.0);
      case "Samples per second" -> put("loadgen_samples_per_second", value);
      case "Completed samples per second" -> {
        put("loadgen_completed_samples_per_second", value);
        put("loadgen_samples_per_second", value);
      }
      case "Tokens per second", "Tokens per second (inferred)" ->
          put("loadgen_tokens_per_second", value);
      case "Completed tokens per second", "Completed tokens per second (inferred)" -> {
        put("loadgen_completed_tokens_per_second", value);
        put("loadgen_tokens_per_second", value);
      }
      default -> {
        // The latency by which SingleStream is measured.
        Matcher target = TARGET_PERCENTILE.matcher(key);
        if (target.matches()) {
          nanoseconds(
              percentile(target.group(1)) + (target.group(2) == null ? "_latency" : "_ttft"),
              value);
        }
      }
    }
  }

  private void statistic(String key, String value) {
    Matcher extreme = EXTREME.matcher(key);
    Matcher percentile = PERCENTILE.matcher(key);
    if (extreme.matches()) {
      nanoseconds(
          extreme.group(1).toLowerCase(Locale.ROOT) + "_" + quantity(extreme.group(2)), value);
    } else if (percentile.matches()) {
      nanoseconds(percentile(percentile.group(1)) + "_" + quantity(percentile.group(2)), value);
    } else if (key.equals("Scheduled samples per second")) {
      put("loadgen_scheduled_samples_per_second", value);
    }
  }

  private void parameter(String key, String value) {
    String name = key.toLowerCase(Locale.ROOT).replace(' ', '_').replaceAll("[()]", "");
    if (NAMED.contains(name)) {
      put("loadgen_" + name, value);
    } else if (!LEFT_OUT.contains(name)) {
      put("loadgen_param_" + name, value);
    }
  }

  private static String quantity(String words) {
    return switch (words.toLowerCase(Locale.ROOT)) {
      case "first token latency" -> "ttft";
      case "time per output token", "time to output token" -> "tpot";
      default -> "latency";
    };
  }

  /** {@code 99.00} is p99, {@code 99.90} is p999. */
  private static String percentile(String number) {
    return "p" + number.replaceFirst("\\.?0*$", "").replace(".", "");
  }

  private void nanoseconds(String name, String value) {
    put("loadgen_" + name + "_ns", value);
    Double nanos = metrics.get("loadgen_" + name + "_ns");
    if (nanos != null) {
      metrics.put("loadgen_" + name + "_ms", nanos / 1e6);
    }
  }

  /** What is no finite number, such as a rate over no time, is no metric. */
  private void put(String name, String value) {
    try {
      double number = Double.parseDouble(value);
      if (Double.isFinite(number)) {
        metrics.put(name, number);
      }
    } catch (NumberFormatException e) {
      // A line of words: the summary has some between its numbers.
    }
  }
}
