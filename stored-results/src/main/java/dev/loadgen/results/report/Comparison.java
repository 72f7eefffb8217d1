package dev.loadgen.results.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.RunResult.Percentiles;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs side by side. Differences are relative to the first run.
 *
 * @param runs which runs, in the order in which they were named
 * @param incomparable what makes their numbers speak of different things, such as another model
 * @param plans what else was asked for differently
 * @param provenance in what the servers and the runners themselves differ, and how they were
 *     started
 * @param environments in what the clients' surroundings differ
 * @param metrics what was measured
 */
public record Comparison(
    List<Run> runs,
    List<Difference> incomparable,
    List<Difference> plans,
    List<Difference> provenance,
    List<Difference> environments,
    List<Metric> metrics) {
  /**
   * Mean answers that differ in length by more than this share are different work: latency and
   * tokens a second follow from the length. Sampling alone moves the mean of some thousand answers
   * by less.
   */
  private static final double SAME_LENGTH = 0.02;

  /** Below this share nothing is called better or worse: a tenth of a percent is what is shown. */
  private static final double SAME = 0.0005;

  private static final List<String> INCOMPARABLE =
      List.of(
          "server.model",
          "test.benchmark",
          "test.scenario",
          "test.mode",
          "test.compliance",
          "dataset.",
          "sampling.");

  /**
   * One run.
   *
   * @param label by which the others of these types name it: A, B, ...
   * @param planKnown whether its plan was read
   */
  public record Run(String label, String name, String path, String verdict, boolean planKnown) {}

  /** A setting and its value in each run; null where it is not set. */
  public record Difference(String field, List<@Nullable String> values) {}

  /** Which direction is better. */
  public enum Better {
    /** More is better. */
    HIGHER,
    /** Less is better. */
    LOWER,
    /** It says something, but neither is better. */
    NEITHER
  }

  /** How a run's value stands to the first run's. */
  public enum Standing {
    /** Better by more than a twentieth of a percent. */
    BETTER,
    /** Worse by as much. */
    WORSE,
    /** Neither. */
    SAME,
    /** Not to be said. */
    UNKNOWN
  }

  /**
   * A number of each run.
   *
   * @param values null where a run does not have it
   */
  public record Metric(String name, String unit, Better better, List<@Nullable Double> values) {
    /** Differences from the first run in percent; null where there is none to be told. */
    @JsonProperty
    public List<@Nullable Double> differencePercent() {
      List<@Nullable Double> differences = new ArrayList<>();
      for (Double value : values) {
        Double share = difference(values.get(0), value);
        differences.add(share == null ? null : share * 100);
      }
      return differences;
    }

    /** How each run stands to the first. */
    @JsonProperty
    public List<Standing> standing() {
      return values.stream().map(value -> standing(values.get(0), value)).toList();
    }

    private Standing standing(@Nullable Double first, @Nullable Double value) {
      if (first == null || value == null || better == Better.NEITHER) {
        return Standing.UNKNOWN;
      }
      Double share = difference(first, value);
      if (share == null ? first.equals(value) : Math.abs(share) < SAME) {
        return Standing.SAME;
      }
      return value > first == (better == Better.HIGHER) ? Standing.BETTER : Standing.WORSE;
    }
  }

  private static @Nullable Double difference(@Nullable Double first, @Nullable Double value) {
    return first == null || value == null || first == 0 ? null : (value - first) / Math.abs(first);
  }

  /** Compares two or more runs. */
  public static Comparison of(List<ComparedRun> compared) {
    List<Run> runs = new ArrayList<>();
    for (ComparedRun run : compared) {
      String label = Character.toString('A' + runs.size());
      runs.add(new Run(label, run.name(), run.path(), run.verdict(), run.stored() != null));
    }
    List<Difference> settings = differences(compared.stream().map(ComparedRun::plan).toList());
    List<Difference> incomparable =
        new ArrayList<>(settings.stream().filter(Comparison::decides).toList());
    answerLengths(compared, incomparable);
    tokenCountSources(compared, incomparable);
    return new Comparison(
        List.copyOf(runs),
        List.copyOf(incomparable),
        settings.stream().filter(difference -> !decides(difference)).toList(),
        differences(compared.stream().map(ComparedRun::provenance).toList()),
        differences(compared.stream().map(ComparedRun::environment).toList()),
        metrics(compared.stream().map(run -> run.summary().result()).toList()));
  }

  private static boolean decides(Difference difference) {
    return INCOMPARABLE.stream().anyMatch(difference.field()::startsWith);
  }

  /** Differences between the runs of which the values are known. */
  private static List<Difference> differences(List<Map<String, String>> of) {
    Set<String> names = new LinkedHashSet<>();
    of.forEach(values -> names.addAll(values.keySet()));
    List<Difference> differences = new ArrayList<>();
    for (String name : names) {
      List<@Nullable String> values = new ArrayList<>();
      of.forEach(run -> values.add(run.get(name)));
      long different =
          of.stream()
              .filter(run -> !run.isEmpty())
              .map(run -> run.getOrDefault(name, ""))
              .distinct()
              .count();
      if (different > 1) {
        differences.add(new Difference(name, values));
      }
    }
    return differences;
  }

  private static void answerLengths(List<ComparedRun> compared, List<Difference> incomparable) {
    List<@Nullable Double> lengths = new ArrayList<>();
    compared.forEach(run -> lengths.add(answerLength(run.summary().result())));
    double shortest = lengths.stream().filter(Objects::nonNull).mapToDouble(l -> l).min().orElse(0);
    double longest = lengths.stream().filter(Objects::nonNull).mapToDouble(l -> l).max().orElse(0);
    if (longest - shortest > SAME_LENGTH * longest) {
      List<@Nullable String> values = new ArrayList<>();
      lengths.forEach(length -> values.add(length == null ? null : Numbers.number(length)));
      incomparable.add(new Difference("output tokens per answer", values));
    }
  }

  private static void tokenCountSources(List<ComparedRun> compared, List<Difference> incomparable) {
    List<@Nullable String> sources = new ArrayList<>();
    for (ComparedRun run : compared) {
      RunResult result = run.summary().result();
      sources.add(result == null ? null : result.tokenCountSource());
    }
    if (sources.stream().filter(Objects::nonNull).distinct().count() > 1) {
      incomparable.add(new Difference("source of token counts", sources));
    }
  }

  private static @Nullable Double answerLength(@Nullable RunResult result) {
    return result == null
            || result.outputTokens() == null
            || result.completed() == null
            || result.completed() == 0
        ? null
        : (double) result.outputTokens() / result.completed();
  }

  private static List<Metric> metrics(List<@Nullable RunResult> results) {
    List<Metric> metrics = new ArrayList<>();
    headline(results, metrics);
    add(metrics, results, "output tokens", "tokens/s", Better.HIGHER, RunResult::tokensPerSecond);
    add(metrics, results, "samples", "samples/s", Better.HIGHER, RunResult::samplesPerSecond);
    latency(metrics, results, "TTFT", RunResult::ttft);
    latency(metrics, results, "TPOT", RunResult::tpot);
    latency(metrics, results, "latency", RunResult::latency);
    add(metrics, results, "answered", "samples", Better.NEITHER, r -> wide(r.completed()));
    add(metrics, results, "failed", "samples", Better.LOWER, r -> wide(r.failed()));
    add(metrics, results, "sent again", "requests", Better.LOWER, r -> wide(r.retries()));
    add(
        metrics,
        results,
        "output tokens per answer",
        "tokens",
        Better.NEITHER,
        Comparison::answerLength);
    add(metrics, results, "duration", "s", Better.NEITHER, RunResult::durationSeconds);
    accuracy(results, metrics);
    return List.copyOf(metrics);
  }

  /** LoadGen's own number, one row for each metric that a run has. */
  private static void headline(List<@Nullable RunResult> results, List<Metric> metrics) {
    Set<String> names = new LinkedHashSet<>();
    Map<String, String> units =
        results.stream()
            .filter(result -> result != null && result.metric() != null)
            .collect(
                Collectors.toMap(RunResult::metric, RunResult::unit, (first, second) -> first));
    results.stream()
        .filter(result -> result != null && result.metric() != null)
        .forEach(result -> names.add(result.metric()));
    for (String name : names) {
      String unit = units.getOrDefault(name, "");
      add(
          metrics,
          results,
          name,
          unit,
          // A rate, or the latency of SingleStream.
          unit.endsWith("/s") ? Better.HIGHER : Better.LOWER,
          result -> name.equals(result.metric()) ? result.value() : null);
    }
  }

  private static void latency(
      List<Metric> metrics,
      List<@Nullable RunResult> results,
      String name,
      Function<RunResult, @Nullable Percentiles> of) {
    one(metrics, results, name + " mean", of, Percentiles::mean);
    one(metrics, results, name + " p50", of, Percentiles::p50);
    one(metrics, results, name + " p90", of, Percentiles::p90);
    one(metrics, results, name + " p99", of, Percentiles::p99);
    one(metrics, results, name + " max", of, Percentiles::max);
  }

  private static void one(
      List<Metric> metrics,
      List<@Nullable RunResult> results,
      String name,
      Function<RunResult, @Nullable Percentiles> of,
      Function<Percentiles, Double> part) {
    add(
        metrics,
        results,
        name,
        "ms",
        Better.LOWER,
        result -> {
          Percentiles percentiles = of.apply(result);
          return percentiles == null ? null : part.apply(percentiles);
        });
  }

  private static void accuracy(List<@Nullable RunResult> results, List<Metric> metrics) {
    Set<String> names = new TreeSet<>();
    for (RunResult result : results) {
      if (result != null && result.accuracy() != null) {
        result.accuracy().forEach(score -> names.add(score.name()));
      }
    }
    for (String name : names) {
      // The length of answers says something, but a longer answer is no better one.
      boolean length = name.startsWith("GEN_LEN") || name.equals("tokens_per_sample");
      add(
          metrics,
          results,
          name,
          "",
          length ? Better.NEITHER : Better.HIGHER,
          result -> score(result, name));
    }
  }

  private static @Nullable Double score(RunResult result, String name) {
    if (result.accuracy() == null) {
      return null;
    }
    return result.accuracy().stream()
        .filter(score -> score.name().equals(name))
        .map(AccuracyScore::value)
        .findFirst()
        .orElse(null);
  }

  /** Adds a row unless no run has the number. */
  private static void add(
      List<Metric> metrics,
      List<@Nullable RunResult> results,
      String name,
      String unit,
      Better better,
      Function<RunResult, @Nullable Double> value) {
    List<@Nullable Double> values = new ArrayList<>();
    for (RunResult result : results) {
      values.add(result == null ? null : value.apply(result));
    }
    if (values.stream().anyMatch(Objects::nonNull)) {
      metrics.add(new Metric(name, unit, better, values));
    }
  }

  private static @Nullable Double wide(@Nullable Long count) {
    return count == null ? null : (double) count;
  }
}
