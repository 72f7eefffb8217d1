package dev.loadgen.rules.logged;

import dev.loadgen.rules.log.DetailLog;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * LoadGen's {@code mlperf_log_summary.txt}: lines of a name and a value, each of which the detail
 * log has as well (results.cc, test_settings_internal.cc and logging.cc of LoadGen 5.1 to 6.0.17).
 */
final class LoadGenSummary {
  /** LoadGen's name of the file. */
  static final String FILE_NAME = "mlperf_log_summary.txt";

  private static final Pattern LINE = Pattern.compile("\\s*(\\S.*?)\\s*: (.*)");
  private static final Pattern ERRORS = Pattern.compile("(?im)^(No|\\d+) errors? encountered");

  /** Keys of the detail log by the names that the summary has for them. */
  private static final Map<String, String> KEYS = keys();

  /** Not in every summary of a test whose detail log has the key. */
  private static final Set<String> OPTIONAL = Set.of("target_latency (ns)");

  private final Map<String, List<String>> values = new LinkedHashMap<>();
  private final String text;

  LoadGenSummary(String text) {
    this.text = text;
    text.lines()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .forEach(
            line ->
                values
                    // 5.1 has another word for the same.
                    .computeIfAbsent(
                        line.group(1).replace("Time to Output Token", "Time per Output Token"),
                        none -> new ArrayList<>())
                    .add(line.group(2).strip()));
  }

  private static Map<String, String> keys() {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("Result is", "result_validity");
    keys.put("SUT name", "sut_name");
    keys.put("Scenario", "effective_scenario");
    keys.put("Mode", "effective_test_mode");
    keys.put("Samples per second", "result_samples_per_second");
    keys.put("Tokens per second", "result_tokens_per_second");
    keys.put("Completed samples per second", "result_completed_samples_per_sec");
    keys.put("Completed tokens per second", "result_completed_tokens_per_second");
    keys.put("Scheduled samples per second", "result_scheduled_samples_per_sec");
    keys.put("QPS w/ loadgen overhead", "result_qps_with_loadgen_overhead");
    keys.put("QPS w/o loadgen overhead", "result_qps_without_loadgen_overhead");
    keys.put("Performance constraints satisfied", "result_perf_constraints_met");
    keys.put("Min duration satisfied", "result_min_duration_met");
    keys.put("Min queries satisfied", "result_min_queries_met");
    keys.put("Early stopping satisfied", "early_stopping_met");
    for (String part : List.of("Min", "Max", "Mean")) {
      String key = part.toLowerCase(Locale.ROOT);
      keys.put(part + " latency (ns)", "result_" + key + "_latency_ns");
      keys.put(part + " First Token latency (ns)", "result_first_token_" + key + "_latency_ns");
      keys.put(part + " Time per Output Token (ns)", "result_time_to_output_token_" + key);
    }
    for (String part : List.of("50.00", "90.00", "95.00", "97.00", "99.00", "99.90")) {
      keys.put(part + " percentile latency (ns)", "result_" + part + "_percentile_latency_ns");
      keys.put(
          part + " percentile first token latency (ns)",
          "result_first_token_" + part + "_percentile_latency_ns");
      keys.put(
          part + " percentile time to output token (ns)",
          "result_time_per_output_token_" + part + "_percentile_ns");
    }
    keys.put("target_latency (ns)", "effective_target_latency_ns");
    keys.put("ttft_latency (ns)", "requested_server_ttft_latency");
    keys.put("tpot_latency (ns)", "requested_server_tpot_latency");
    keys.put("min_duration (ms)", "effective_min_duration_ms");
    keys.put("max_duration (ms)", "effective_max_duration_ms");
    for (String setting :
        List.of(
            "samples_per_query",
            "target_qps",
            "max_async_queries",
            "min_query_count",
            "max_query_count",
            "qsl_rng_seed",
            "sample_index_rng_seed",
            "schedule_rng_seed",
            "accuracy_log_rng_seed",
            "accuracy_log_probability",
            "accuracy_log_sampling_target",
            "print_timestamps",
            "performance_issue_unique",
            "performance_issue_same",
            "performance_issue_same_index",
            "performance_sample_count",
            "accuracy_sample_count")) {
      keys.put(setting, "effective_" + setting);
    }
    return keys;
  }

  /**
   * A value of the summary that is not the log's.
   *
   * @param found what it says; "nothing" if it does not have it
   * @param wanted what the log says
   */
  record Difference(String name, String found, String wanted) {}

  /**
   * Where the summary is not that of the test.
   *
   * @param log of a performance test that LoadGen has finished, or of an accuracy test, whose
   *     summary counts errors and has nothing else
   */
  List<Difference> differences(DetailLog log) {
    List<Difference> differences = new ArrayList<>();
    if (!log.accuracy()) {
      KEYS.forEach(
          (name, key) ->
              log.text(key)
                  .flatMap(wanted -> difference(name, wanted))
                  .ifPresent(differences::add));
    }
    Matcher errors = ERRORS.matcher(text);
    String found = !errors.find() ? "nothing" : errors.group(1).replace("No", "0");
    String wanted = String.valueOf(log.errorCount());
    if (!found.equals(wanted)) {
      differences.add(new Difference("errors encountered", found, wanted));
    }
    return differences;
  }

  private Optional<Difference> difference(String name, String wanted) {
    List<String> found = values.getOrDefault(name, List.of());
    if (found.isEmpty()) {
      return OPTIONAL.contains(name)
          ? Optional.empty()
          : Optional.of(new Difference(name, "nothing", wanted));
    }
    return found.stream()
        .filter(value -> !same(value, wanted))
        .map(value -> new Difference(name, value, wanted))
        .findFirst();
  }

  private static boolean same(String found, String wanted) {
    return switch (wanted) {
      case "true" -> found.equals("Yes") || found.equals("1");
      case "false" -> found.equals("NO") || found.equals("0");
      default -> found.equals(wanted) || sameNumber(found, wanted);
    };
  }

  /** The log has six digits of a rate, the summary two decimals. Times and counts are whole. */
  private static boolean sameNumber(String found, String wanted) {
    try {
      BigDecimal first = new BigDecimal(found);
      BigDecimal second = new BigDecimal(wanted);
      boolean whole = found.matches("\\d+") && wanted.matches("\\d+");
      double tolerance = whole ? 0 : 0.0051 + 5.1e-6 * Math.abs(second.doubleValue());
      return first.subtract(second).abs().doubleValue() <= tolerance;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
