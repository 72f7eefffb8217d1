package dev.loadgen.rules.log;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.contract.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * LoadGen's {@code mlperf_log_detail.txt}: lines of {@code :::MLLOG} and a JSON object with key,
 * value and metadata. Keys are LoadGen's own (test_settings_internal.cc, loadgen.cc, results.cc of
 * 6.0.17). Anything else in the file is passed over; memory is bounded whatever the file holds.
 * Immutable.
 */
public final class DetailLog {
  /** The warning by which LoadGen says that it has read an {@code audit.config}. */
  public static final String AUDIT_FOUND = "Found Audit Config";

  /** LoadGen's default name of the file. */
  public static final String FILE_NAME = "mlperf_log_detail.txt";

  // The longest line that anybody reads is a few hundred bytes; only the list of loaded samples is
  // longer, and grows with the dataset.
  private static final int LINE_BYTES = 64 * 1024;
  private static final int VALUE_CHARS = 4096;
  private static final int KEYS = 1024;
  private static final Pattern KEPT =
      Pattern.compile(
          "(requested|effective|result|early_stopping|generated|qsl|sut|loadgen|test)_|num_errors$");
  private static final int MESSAGES = 100;

  /** What stands for bytes that are none. */
  private static final char NO_UTF_8 = '\uFFFD';

  private static final byte[] PREFIX = ":::MLLOG".getBytes(StandardCharsets.US_ASCII);

  /** What LoadGen logs of every performance test since 5.1, and somebody judges by. */
  private static final List<String> ALWAYS =
      List.of(
          "sut_name",
          "qsl_reported_total_count",
          "effective_scenario",
          "effective_test_mode",
          "effective_samples_per_query",
          "effective_target_latency_ns",
          "effective_target_latency_percentile",
          "effective_min_duration_ms",
          "effective_min_query_count",
          "effective_performance_sample_count",
          "effective_performance_issue_unique",
          "effective_performance_issue_same",
          "effective_sample_concatenate_permutation",
          "generated_samples_per_query",
          "result_validity",
          "result_min_duration_met",
          "result_min_queries_met",
          "result_query_count",
          "early_stopping_met");

  private static final Map<String, List<String>> RESULTS =
      Map.of(
          "Offline",
          List.of("result_samples_per_second", "result_tokens_per_second"),
          "Server",
          List.of("result_completed_samples_per_sec", "result_completed_tokens_per_second"));

  // C++ streams print these where JSON has no number, for example a rate over no time.
  private static final Pattern NOT_A_NUMBER =
      Pattern.compile("(\"value\": )(-?)(nan|inf)", Pattern.CASE_INSENSITIVE);

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Map<String, JsonNode> values = new LinkedHashMap<>();
  private final List<String> errors = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final Set<String> contradictions = new LinkedHashSet<>();
  private long entries;
  private long unreadableLines;
  private long strangeNumbers;
  private boolean begun;
  private boolean foreignStart;
  private long errorLines;
  private long generatedSets;
  private long finishedSets;
  private long pendingQueries;
  private long generatedSamples;
  private long starts;

  private DetailLog() {}

  /**
   * Reads a file. A file that holds no log, or the first half of one, is read as far as it goes:
   * see {@link #complete()}.
   *
   * @throws UnreadableLogException if the file does not exist or cannot be read
   */
  public static DetailLog read(Path file) throws UnreadableLogException {
    try (InputStream in = Files.newInputStream(file)) {
      return read(in);
    } catch (NoSuchFileException e) {
      throw new UnreadableLogException(
          file + ": no such file; LoadGen did not start, or wrote its logs elsewhere", e);
    } catch (IOException e) {
      throw new UnreadableLogException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /** Reads the text of a log. */
  public static DetailLog parse(String text) {
    DetailLog log = new DetailLog();
    text.lines().forEach(line -> log.line(line.getBytes(StandardCharsets.UTF_8)));
    return log;
  }

  private static DetailLog read(InputStream in) throws IOException {
    DetailLog log = new DetailLog();
    byte[] line = new byte[LINE_BYTES];
    int length = 0;
    byte[] block = new byte[LINE_BYTES];
    for (int n = in.read(block); n >= 0; n = in.read(block)) {
      for (int i = 0; i < n; i++) {
        byte b = block[i];
        if (b == '\n') {
          log.line(line, length);
          length = 0;
        } else {
          if (length < LINE_BYTES) {
            line[length] = b;
          }
          length = Math.min(length + 1, LINE_BYTES + 1);
        }
      }
    }
    log.line(line, length);
    return log;
  }

  private void line(byte[] line) {
    line(line, line.length);
  }

  private void line(byte[] line, int length) {
    boolean first = !begun;
    begun = true;
    if (!startsWithPrefix(line, length)) {
      foreignStart |= first;
      return;
    }
    if (length > LINE_BYTES) {
      // The list of loaded samples; nothing is lost.
      entries++;
      return;
    }
    String json = new String(line, PREFIX.length, length - PREFIX.length, StandardCharsets.UTF_8);
    if (json.indexOf(NO_UTF_8) >= 0) {
      unreadableLines++;
      return;
    }
    JsonNode entry = tree(json);
    if (entry == null) {
      entry = withoutStrangeNumbers(json);
      strangeNumbers += entry == null ? 0 : 1;
    }
    if (entry == null || !entry.path("key").isTextual()) {
      unreadableLines++;
      return;
    }
    entries++;
    accept(entry.path("key").textValue(), entry.path("value"), entry.path("metadata"));
  }

  private static boolean startsWithPrefix(byte[] line, int length) {
    if (length < PREFIX.length) {
      return false;
    }
    for (int i = 0; i < PREFIX.length; i++) {
      if (line[i] != PREFIX[i]) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private static @Nullable JsonNode withoutStrangeNumbers(String json) {
    Matcher matcher = NOT_A_NUMBER.matcher(json);
    // Kept as text, so that a number is absent rather than wrong.
    return matcher.find() ? tree(matcher.replaceFirst("$1\"$2$3\"")) : null;
  }

  private void accept(String key, JsonNode value, JsonNode metadata) {
    if (!metadata.path("is_error").isBoolean()) {
      unreadableLines++;
    }
    if (metadata.path("is_error").asBoolean()) {
      errorLines++;
      keep(errors, value);
    } else if (metadata.path("is_warning").asBoolean()) {
      keep(warnings, value);
    }
    switch (key) {
      case "generated_query_count" -> pendingQueries = value.asLong();
      case "generated_samples_per_query" -> {
        generatedSets++;
        generatedSamples += pendingQueries * value.asLong();
      }
      case "power_end" -> finishedSets++;
      case "loadgen_version" -> starts++;
      default -> {}
    }
    if (value.isValueNode()
        && value.asText().length() <= VALUE_CHARS
        && KEPT.matcher(key).lookingAt()
        && (values.size() < KEYS || values.containsKey(key))) {
      JsonNode first = values.putIfAbsent(key, value);
      if (first != null && key.startsWith("generated_")) {
        // An accuracy test has several sets of samples.
        values.put(key, value);
      } else if (first != null && !first.equals(value) && contradictions.size() < MESSAGES) {
        contradictions.add(key);
      }
    }
  }

  private static void keep(List<String> messages, JsonNode value) {
    if (messages.size() < MESSAGES) {
      String text = value.isTextual() ? value.textValue() : value.toString();
      messages.add(text.length() <= VALUE_CHARS ? text : text.substring(0, VALUE_CHARS));
    }
  }

  /** Lines of {@code :::MLLOG} that were understood; 0 means that the file is no detail log. */
  public long entries() {
    return entries;
  }

  /**
   * Lines of {@code :::MLLOG} that were not understood, or do not say whether they are an error;
   * the last line of a log that was cut.
   */
  public long unreadableLines() {
    return unreadableLines;
  }

  /** Whether the file begins with something else, at which the submission checker stops. */
  public boolean foreignStart() {
    return foreignStart;
  }

  /** Lines with a value such as {@code nan}, which is no JSON and stops the submission checker. */
  public long strangeNumbers() {
    return strangeNumbers;
  }

  /** Keys that the log has twice with different values; the first counts. */
  public List<String> contradictions() {
    return List.copyOf(contradictions);
  }

  /**
   * What a finished log of a performance test lacks of what LoadGen writes into every one.
   *
   * @param tokens whether token latencies were measured
   */
  public List<String> missing(boolean tokens) {
    List<String> results = RESULTS.getOrDefault(scenario().orElse(""), List.of());
    return Stream.concat(
            ALWAYS.stream(),
            results.stream().filter(key -> tokens || !key.contains("tokens_per_second")))
        .filter(key -> !isThere(key))
        .toList();
  }

  private boolean isThere(String key) {
    JsonNode value = values.get(key);
    if (value == null) {
      return false;
    }
    if (key.equals("sut_name") || key.endsWith("_scenario") || key.endsWith("_mode")) {
      return value.isTextual();
    }
    if (key.endsWith("_met") || key.contains("_issue_") || key.endsWith("_permutation")) {
      return value.isBoolean();
    }
    return key.equals("result_validity") || number(key).isPresent();
  }

  /** Tests that begin in the log: 1, unless logs were joined or are damaged. */
  public long tests() {
    return starts;
  }

  /** The value of a key as text; empty if the log has no such key. */
  public Optional<String> text(String key) {
    return Optional.ofNullable(values.get(key)).map(JsonNode::asText);
  }

  /** The value of a key as a number; empty if the log has no such key or it is not a number. */
  public OptionalDouble number(String key) {
    JsonNode value = values.get(key);
    return value != null && value.isNumber() && Double.isFinite(value.doubleValue())
        ? OptionalDouble.of(value.doubleValue())
        : OptionalDouble.empty();
  }

  /** The value of a key as a whole number; empty if there is none or it does not fit. */
  public OptionalLong integer(String key) {
    return unsigned(key)
        .filter(value -> value.bitLength() < Long.SIZE)
        .map(value -> OptionalLong.of(value.longValue()))
        .orElse(OptionalLong.empty());
  }

  /** The value of a key as a whole number of any size, such as a seed. */
  public Optional<BigInteger> unsigned(String key) {
    JsonNode value = values.get(key);
    if (value == null || !value.isNumber()) {
      return Optional.empty();
    }
    if (value.isIntegralNumber()) {
      return Optional.of(value.bigIntegerValue());
    }
    double number = value.doubleValue();
    return number == Math.rint(number) && Math.abs(number) < 0x1p53
        ? Optional.of(BigDecimal.valueOf(number).toBigInteger())
        : Optional.empty();
  }

  /** The value of a key as a truth value; empty if there is none. */
  public Optional<Boolean> flag(String key) {
    JsonNode value = values.get(key);
    return value != null && value.isBoolean()
        ? Optional.of(value.booleanValue())
        : Optional.empty();
  }

  /** LoadGen's version, such as {@code 6.0.17 @ d6147c7eb7}. */
  public Optional<String> loadGenVersion() {
    return text("loadgen_version");
  }

  /** LoadGen's name of a scenario: Interactive is Server with other limits. */
  public static String nameOf(Scenario scenario) {
    return (scenario == Scenario.Interactive ? Scenario.Server : scenario).name();
  }

  /** LoadGen's scenario: SingleStream, MultiStream, Server or Offline. Interactive is Server. */
  public Optional<String> scenario() {
    return text("effective_scenario");
  }

  /** LoadGen's mode, such as PerformanceOnly or AccuracyOnly. */
  public Optional<String> mode() {
    return text("effective_test_mode");
  }

  /** Whether the test was an accuracy test. */
  public boolean accuracy() {
    return mode().filter("AccuracyOnly"::equals).isPresent();
  }

  /** LoadGen's own verdict; a test in accuracy mode has none. */
  public Validity validity() {
    return switch (text("result_validity").orElse("")) {
      case "VALID" -> Validity.VALID;
      case "INVALID" -> Validity.INVALID;
      default -> Validity.ABSENT;
    };
  }

  /** LoadGen's own verdict on a test. */
  public enum Validity {
    /** LoadGen's conditions hold. */
    VALID,
    /** At least one does not. */
    INVALID,
    /** The log has no verdict. */
    ABSENT
  }

  /** Why LoadGen calls the test invalid; empty if it does not, or gives no reason. */
  public Optional<String> invalidReason() {
    return text("result_invalid_reason").map(String::strip).filter(reason -> !reason.isEmpty());
  }

  /** Errors in the log, by LoadGen's own count where that is greater than the lines found. */
  public long errorCount() {
    return Math.max(errorLines, integer("num_errors").orElse(0));
  }

  /** The first errors, at most 100. */
  public List<String> errors() {
    return List.copyOf(errors);
  }

  /** The first warnings, at most 100. */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** Whether LoadGen read an {@code audit.config}. */
  public boolean auditWasRead() {
    return warnings.stream().anyMatch(warning -> warning.startsWith(AUDIT_FOUND));
  }

  /**
   * Whether LoadGen finished the log: results and error count in performance mode; in accuracy
   * mode, which has no results, the end of every set of samples up to the last.
   */
  public boolean complete() {
    if (mode().isEmpty()) {
      return false;
    }
    if (!accuracy()) {
      return validity() != Validity.ABSENT && values.containsKey("num_errors");
    }
    OptionalLong wanted = accuracySamples();
    return generatedSets > 0
        && finishedSets == generatedSets
        && wanted.isPresent()
        && generatedSamples >= wanted.getAsLong();
  }

  private OptionalLong accuracySamples() {
    OptionalLong library = integer("qsl_reported_total_count");
    OptionalLong effective = integer("effective_accuracy_sample_count");
    if (library.isPresent() && effective.isPresent()) {
      return OptionalLong.of(Math.min(library.getAsLong(), effective.getAsLong()));
    }
    return effective.isPresent() ? effective : library;
  }

  /**
   * Samples that LoadGen says it issued; empty if the log does not say, as before the test's end.
   */
  public OptionalLong issuedSamples() {
    if (accuracy()) {
      return complete() ? OptionalLong.of(generatedSamples) : OptionalLong.empty();
    }
    OptionalLong queries = integer("result_query_count");
    OptionalLong perQuery = integer("generated_samples_per_query");
    return queries.isPresent() && perQuery.isPresent()
        ? OptionalLong.of(queries.getAsLong() * perQuery.getAsLong())
        : OptionalLong.empty();
  }

  /** A latency percentile in ms, of whole queries; empty if the log has none. */
  public OptionalDouble latencyMs(double percentile) {
    return milliseconds("result_%.2f_percentile_latency_ns", percentile);
  }

  /** A TTFT percentile in ms; empty if LoadGen did not measure it. */
  public OptionalDouble ttftMs(double percentile) {
    return milliseconds("result_first_token_%.2f_percentile_latency_ns", percentile);
  }

  /** A TPOT percentile in ms; empty if LoadGen did not measure it. */
  public OptionalDouble tpotMs(double percentile) {
    return milliseconds("result_time_per_output_token_%.2f_percentile_ns", percentile);
  }

  private OptionalDouble milliseconds(String pattern, double percentile) {
    OptionalDouble ns = number(String.format(Locale.ROOT, pattern, percentile));
    return ns.isPresent() ? OptionalDouble.of(ns.getAsDouble() / 1e6) : ns;
  }

  /**
   * The number by which a scenario is measured: tokens a second where LoadGen counted tokens, else
   * samples a second; in SingleStream the 90th percentile of latency. Empty if the log has none, as
   * in accuracy mode.
   */
  public Optional<Metric> headlineMetric(Scenario scenario) {
    return switch (scenario) {
      case Offline ->
          metric("tokens_per_second", "tokens/s")
              .or(() -> metric("samples_per_second", "samples/s"));
      case Server, Interactive ->
          metric("completed_tokens_per_second", "tokens/s")
              .or(() -> metric("completed_samples_per_sec", "samples/s"));
      case SingleStream -> {
        OptionalDouble latency = latencyMs(90);
        yield latency.isPresent()
            ? Optional.of(new Metric("90.00_percentile_latency", latency.getAsDouble(), "ms"))
            : Optional.empty();
      }
    };
  }

  private Optional<Metric> metric(String name, String unit) {
    OptionalDouble value = number("result_" + name);
    return value.isPresent()
        ? Optional.of(new Metric(name, value.getAsDouble(), unit))
        : Optional.empty();
  }
}
