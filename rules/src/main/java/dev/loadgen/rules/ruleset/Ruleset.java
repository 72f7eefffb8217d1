package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.loadgen.contract.Scenario;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one MLPerf round, or {@code none}: LoadGen's own settings and whatever duration a
 * run asks for. Immutable; read from {@code dev/loadgen/rules/rulesets/NAME.yaml} on the class
 * path, named in {@code index.txt} beside it.
 *
 * @param name {@code none}, or the round, such as {@code v6.1}
 * @param description one sentence
 * @param official whether a Valid verdict speaks of an MLPerf round
 * @param loadGen the LoadGen to run with, which carries the round's configuration
 * @param seeds the round's seeds; null: any
 * @param auditsFolder the tree beside {@code results} that has a submission's compliance tests;
 *     null: they lie among the results
 * @param strictOpen whether the round's submission checker holds tests of the open division to the
 *     least samples of Offline and to the limits of Interactive; null is no
 * @param prefixCaching whether a server may take prompts from a cache that other queries filled
 * @param benchmarks rules by benchmark id
 */
public record Ruleset(
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) String description,
    @JsonProperty(required = true) boolean official,
    @JsonProperty(required = true) LoadGenRelease loadGen,
    @Nullable Seeds seeds,
    @Nullable String auditsFolder,
    @Nullable Boolean strictOpen,
    @JsonProperty(required = true) Permission prefixCaching,
    @JsonProperty(required = true) Map<String, BenchmarkRules> benchmarks) {
  /** Name of the ruleset without rules of a round. */
  public static final String NONE = "none";

  /** Copies the map. */
  public Ruleset {
    benchmarks = Collections.unmodifiableMap(new LinkedHashMap<>(benchmarks));
  }

  /**
   * The ruleset of a name.
   *
   * @throws UnknownRulesetException if there is none; the message lists the known names
   */
  public static Ruleset named(String name) {
    Ruleset found = RulesetFiles.ALL.get(name);
    if (found == null) {
      throw new UnknownRulesetException(name, names());
    }
    return found;
  }

  /**
   * The benchmark whose folder of a submission has a name.
   *
   * @param folder an id, or another name that the submission checker takes for it
   */
  public Optional<String> benchmarkOf(String folder) {
    return benchmarks.entrySet().stream()
        .filter(each -> each.getKey().equals(folder) || each.getValue().aliases().contains(folder))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Whether minimums and limits of the closed division hold in the open division, too. */
  @Override
  public Boolean strictOpen() {
    return Boolean.TRUE.equals(strictOpen);
  }

  /** The known names, {@code none} first, then rounds from old to new. */
  public static List<String> names() {
    return List.copyOf(RulesetFiles.ALL.keySet());
  }

  /**
   * The rules of a benchmark. A benchmark that is not part of the round has rules without
   * scenarios, which say why in {@link BenchmarkRules#absence()}.
   *
   * @param id such as {@code llama3.1-8b}, or {@code custom}
   * @throws IllegalArgumentException if no such benchmark is known; the message lists the known ids
   */
  public BenchmarkRules benchmark(String id) {
    BenchmarkRules found = benchmarks.get(id);
    if (found == null) {
      throw new IllegalArgumentException(
          "benchmark %s is not known to ruleset %s; known are %s"
              .formatted(id, name, String.join(", ", benchmarks.keySet())));
    }
    return found;
  }

  /**
   * The compliance tests of a benchmark by name. Outside of a round they are those of the newest
   * round, unless the ruleset has its own.
   *
   * @param benchmark as for {@link #benchmark}
   */
  public Map<String, AuditRules> complianceTests(String benchmark) {
    Map<String, AuditRules> own = benchmark(benchmark).compliance();
    if (official || !own.isEmpty()) {
      return own;
    }
    return RulesetFiles.ALL.values().stream()
        .filter(Ruleset::official)
        .reduce((older, newer) -> newer)
        .map(newest -> newest.benchmarks().get(benchmark))
        .map(BenchmarkRules::compliance)
        .orElse(Map.of());
  }

  /**
   * A compliance test of a benchmark.
   *
   * @param benchmark as for {@link #benchmark}
   * @param test such as {@code TEST06}
   * @throws IllegalArgumentException if the benchmark has no such test; the message lists those
   *     that it has
   */
  public AuditRules complianceTest(String benchmark, String test) {
    Map<String, AuditRules> known = complianceTests(benchmark);
    AuditRules found = known.get(test);
    if (found == null) {
      throw new IllegalArgumentException(
          test
              + " is not a compliance test of "
              + benchmark
              + " in "
              + name
              + (known.isEmpty()
                  ? ", which has none"
                  : "; it has " + String.join(", ", known.keySet())));
    }
    return found;
  }

  /**
   * Whether the answers of a test may end for their length, at the most tokens that the run asks
   * for.
   *
   * @param benchmark as for {@link #benchmark}
   * @param accuracy whether the test is an accuracy test
   */
  public boolean boundsAnswers(String benchmark, boolean accuracy) {
    return !official || benchmark(benchmark).generation(accuracy).bounds();
  }

  /**
   * The bounds on the accuracy scores of a test; none outside of a round.
   *
   * @param benchmark as for {@link #benchmark}
   */
  public List<AccuracyGate> accuracyGates(String benchmark, Scenario scenario) {
    return official
        ? benchmark(benchmark).accuracyGates().stream()
            .filter(gate -> gate.scenario() == null || gate.scenario() == scenario)
            .toList()
        : List.of();
  }
}
