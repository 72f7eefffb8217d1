package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.loadgen.rules.text.Wording;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One of a round's compliance tests for a benchmark: a performance test with settings of its own,
 * whose answers LoadGen logs, and what is then asked of them. It asks for one of tokens, accuracy
 * and output length.
 *
 * @param audit LoadGen's settings, by the keys of an {@code audit.config}
 * @param samples samples that the dataset has and the test uses; null: as any performance test
 * @param answers least answers in the accuracy log
 * @param tokens what the tokens of each answer are held against; null: nothing
 * @param accuracy what the answers' score is held against; null: nothing
 * @param outputLength what the mean length of the answers is held against; null: nothing
 * @param sources where the numbers come from
 */
public record AuditRules(
    @JsonProperty(required = true) Map<String, Long> audit,
    @Nullable Integer samples,
    @JsonProperty(required = true) long answers,
    @Nullable Tokens tokens,
    @Nullable AccuracyGate accuracy,
    @Nullable OutputLength outputLength,
    @JsonProperty(required = true) List<String> sources) {
  /** Copies the collections and checks that the test asks for one thing. */
  public AuditRules {
    audit = Collections.unmodifiableMap(new LinkedHashMap<>(audit));
    sources = List.copyOf(sources);
    if (Stream.of(tokens, accuracy, outputLength).filter(Objects::nonNull).count() != 1) {
      throw new IllegalArgumentException(
          "a compliance test has one of tokens, accuracy and outputLength");
    }
    if (answers < 1 || (samples != null && samples < 1)) {
      throw new IllegalArgumentException("samples and answers of a compliance test are positive");
    }
  }

  /**
   * The tokens of each answer are those that were reported.
   *
   * @param endOfSequence ids that end an answer
   * @param source where the ids come from
   */
  public record Tokens(
      @JsonProperty(required = true) List<Integer> endOfSequence,
      @JsonProperty(required = true) String source) {
    /** Copies the list. */
    public Tokens {
      endOfSequence = List.copyOf(endOfSequence);
    }
  }

  /**
   * Bounds on the mean number of tokens of an answer.
   *
   * @param min inclusive
   * @param max inclusive
   * @param source where the numbers come from
   */
  public record OutputLength(
      @JsonProperty(required = true) double min,
      @JsonProperty(required = true) double max,
      @JsonProperty(required = true) String source) {
    /** Whether a mean is within the bounds. */
    public boolean holds(double mean) {
      return mean >= min && mean <= max;
    }

    /** The bounds in words. */
    public String bounds() {
      return "at least " + Wording.number(min) + " and at most " + Wording.number(max);
    }
  }

  /** A setting of the audit; null if it leaves the setting as it is. */
  public @Nullable Long setting(String key) {
    return audit.get(key);
  }

  /** Under which key LoadGen's detail log has a setting of an audit. */
  public static String logged(String key) {
    return "requested_" + (key.equals("min_duration") ? "min_duration_ms" : key);
  }

  /** Whether LoadGen sends each sample of the set once. */
  public boolean sendsEachSampleOnce() {
    return Long.valueOf(1).equals(audit.get("performance_issue_unique"));
  }

  /** The {@code audit.config} for LoadGen. */
  public String auditConfig() {
    return audit.entrySet().stream()
        .map(setting -> "*.*." + setting.getKey() + " = " + setting.getValue() + "\n")
        .collect(Collectors.joining());
  }
}
