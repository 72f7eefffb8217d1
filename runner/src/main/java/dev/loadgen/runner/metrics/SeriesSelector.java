package dev.loadgen.runner.metrics;

import dev.loadgen.results.metrics.Kind;
import dev.loadgen.runner.metrics.Exposition.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The series of one name, of those labels that are requested.
 *
 * @param name a series' name, or a histogram's without {@code _bucket}
 * @param labels that a series must have; it may have others
 */
record SeriesSelector(String name, Map<String, String> labels) {
  /**
   * Labels that tell apart the processes of one engine. Each of these has its own account of the
   * same requests, so they are not added up.
   */
  private static final Set<String> PROCESSES =
      Set.of("tp_rank", "pp_rank", "moe_ep_rank", "ep_rank", "pid");

  static SeriesSelector named(String name) {
    return new SeriesSelector(name, Map.of());
  }

  /**
   * Reads {@code name} or {@code name{label="value"}}.
   *
   * @throws IllegalArgumentException if it is neither
   */
  static SeriesSelector parse(String text) {
    Sample series = PrometheusText.series(text);
    return new SeriesSelector(series.name(), series.labels());
  }

  @Override
  public String toString() {
    return new Sample(name, labels, 0).series();
  }

  /** Whether a server has any of it, as the kind that it is. */
  boolean isIn(Exposition exposition) {
    return matches(exposition, name).iterator().hasNext()
        || matches(exposition, name + "_bucket").iterator().hasNext();
  }

  /** What it is, by the server's account or, where it has none, by its name. */
  Kind kind(Exposition exposition) {
    if (!exposition.named(name + "_bucket").isEmpty()) {
      return Kind.HISTOGRAM;
    }
    String type = exposition.types().get(name);
    if (type == null && name.endsWith("_total")) {
      type = exposition.types().getOrDefault(name.substring(0, name.length() - 6), "counter");
    }
    return "counter".equals(type) ? Kind.COUNTER : Kind.GAUGE;
  }

  Map<Map<String, String>, Double> scalars(Exposition exposition) {
    Map<Map<String, String>, Double> values = new LinkedHashMap<>();
    for (Sample sample : matches(exposition, name)) {
      if (!Double.isNaN(sample.value())) {
        values.merge(engine(sample), sample.value(), Math::max);
      }
    }
    return values;
  }

  Map<Map<String, String>, Buckets> histograms(Exposition exposition) {
    // By all labels first: buckets of two processes must not be mixed.
    Map<Map<String, String>, TreeMap<Double, Double>> counts = new LinkedHashMap<>();
    for (Sample sample : matches(exposition, name + "_bucket")) {
      counts
          .computeIfAbsent(without(sample, Set.of("le")), key -> new TreeMap<>())
          .put(bound(sample), sample.value());
    }
    Map<Map<String, String>, Double> sums = new LinkedHashMap<>();
    for (Sample sample : matches(exposition, name + "_sum")) {
      sums.put(sample.labels(), sample.value());
    }
    Map<Map<String, String>, Buckets> histograms = new LinkedHashMap<>();
    counts.forEach(
        (labels, cumulative) ->
            histograms.merge(
                without(labels, PROCESSES),
                Buckets.of(cumulative, sums.getOrDefault(labels, Double.NaN)),
                (one, other) -> one.count() >= other.count() ? one : other));
    return histograms;
  }

  private List<Sample> matches(Exposition exposition, String series) {
    List<Sample> all = exposition.named(series);
    if (labels.isEmpty()) {
      return all;
    }
    List<Sample> matching = new ArrayList<>();
    for (Sample sample : all) {
      if (sample.labels().entrySet().containsAll(labels.entrySet())) {
        matching.add(sample);
      }
    }
    return matching;
  }

  private static double bound(Sample bucket) {
    String le = bucket.labels().get("le");
    if (le == null) {
      throw new IllegalArgumentException(bucket.series() + " has no label le");
    }
    try {
      return le.equalsIgnoreCase("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(le);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(bucket.series() + ": le is not a number", e);
    }
  }

  private static Map<String, String> engine(Sample sample) {
    return without(sample, PROCESSES);
  }

  private static Map<String, String> without(Sample sample, Set<String> names) {
    return without(sample.labels(), names);
  }

  private static Map<String, String> without(Map<String, String> labels, Set<String> names) {
    Map<String, String> rest = new TreeMap<>(labels);
    rest.keySet().removeAll(names);
    return rest;
  }
}
