package dev.loadgen.runner.metrics;

import dev.loadgen.results.metrics.Kind;
import dev.loadgen.results.metrics.ServerMetrics;
import dev.loadgen.results.metrics.ServerMetrics.Point;
import dev.loadgen.results.metrics.ServerMetrics.Series;
import dev.loadgen.results.metrics.ServerMetrics.Total;
import dev.loadgen.results.metrics.Statistic;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns the readings of one replica into values over time. A counter that fell, or a series that
 * was not there before, began at zero in between. Not safe for use by several threads.
 */
final class ReplicaRecorder {
  private final String replica;
  private final List<Tracked> tracked;
  private final Map<String, Follower> followers = new LinkedHashMap<>();
  private boolean begun;
  private long first;
  private long last;

  ReplicaRecorder(String replica, List<Tracked> tracked) {
    this.replica = replica;
    this.tracked = tracked;
  }

  /**
   * Takes a reading.
   *
   * @param nanoTime when it was made; later than the one before
   */
  void read(long nanoTime, Exposition exposition) {
    if (begun && nanoTime <= last) {
      return;
    }
    for (Tracked metric : tracked) {
      for (SeriesSelector source : metric.sources()) {
        if (source.isIn(exposition)) {
          followers
              .computeIfAbsent(metric.name(), name -> follower(metric, source, exposition))
              .read(source, exposition, nanoTime);
          break;
        }
      }
    }
    if (!begun) {
      first = nanoTime;
    }
    last = nanoTime;
    begun = true;
  }

  private Follower follower(Tracked metric, SeriesSelector source, Exposition exposition) {
    Kind kind = metric.kind() == null ? source.kind(exposition) : metric.kind();
    return switch (kind) {
      case GAUGE -> new Gauge(metric);
      case COUNTER -> new Counter(metric);
      case HISTOGRAM -> new Histogram(metric);
    };
  }

  /**
   * Everything so far.
   *
   * @param origin the time that seconds count from, as {@link System#nanoTime}
   */
  ServerMetrics metrics(long origin) {
    List<Series> series = new ArrayList<>();
    List<Total> totals = new ArrayList<>();
    for (Tracked metric : tracked) {
      Follower follower = followers.get(metric.name());
      if (follower != null) {
        follower.report(origin, series, totals);
      }
    }
    return new ServerMetrics(series, totals);
  }

  private record Reading(long nanoTime, double value) {}

  /** One metric over time. */
  private abstract class Follower {
    private final Tracked metric;
    private final Kind kind;
    private final Map<Statistic, List<Reading>> readings = new LinkedHashMap<>();

    Follower(Tracked metric, Kind kind) {
      this.metric = metric;
      this.kind = kind;
    }

    abstract void read(SeriesSelector source, Exposition exposition, long nanoTime);

    abstract Map<Statistic, Double> totals();

    Merge merge() {
      return metric.merge();
    }

    void add(Statistic statistic, long nanoTime, double value) {
      readings
          .computeIfAbsent(statistic, key -> new ArrayList<>())
          .add(new Reading(nanoTime, value));
    }

    List<Reading> readings(Statistic statistic) {
      return readings.getOrDefault(statistic, List.of());
    }

    void report(long origin, List<Series> series, List<Total> totals) {
      readings.forEach(
          (statistic, all) ->
              series.add(
                  new Series(
                      replica,
                      metric.name(),
                      kind,
                      statistic,
                      unit(statistic),
                      all.stream()
                          .map(r -> new Point((r.nanoTime() - origin) / 1e9, r.value()))
                          .toList())));
      totals()
          .forEach(
              (statistic, value) ->
                  totals.add(
                      new Total(replica, metric.name(), kind, statistic, unit(statistic), value)));
    }

    private String unit(Statistic statistic) {
      return switch (statistic) {
        case RATE -> metric.unit().isEmpty() ? "1/s" : metric.unit() + "/s";
        case COUNT -> "";
        default -> metric.unit();
      };
    }
  }

  private final class Gauge extends Follower {
    Gauge(Tracked metric) {
      super(metric, Kind.GAUGE);
    }

    @Override
    void read(SeriesSelector source, Exposition exposition, long nanoTime) {
      Map<Map<String, String>, Double> values = source.scalars(exposition);
      if (!values.isEmpty()) {
        add(Statistic.VALUE, nanoTime, merge().of(values.values()));
      }
    }

    @Override
    Map<Statistic, Double> totals() {
      Map<Statistic, Double> totals = new LinkedHashMap<>();
      List<Reading> all = readings(Statistic.VALUE);
      if (!all.isEmpty()) {
        totals.put(
            Statistic.MEAN, all.stream().mapToDouble(Reading::value).average().orElseThrow());
        totals.put(Statistic.MAX, all.stream().mapToDouble(Reading::value).max().orElseThrow());
      }
      return totals;
    }
  }

  private final class Counter extends Follower {
    private final Map<Map<String, String>, Double> before = new HashMap<>();
    private double total;

    Counter(Tracked metric) {
      super(metric, Kind.COUNTER);
    }

    @Override
    void read(SeriesSelector source, Exposition exposition, long nanoTime) {
      double growth = 0;
      for (Map.Entry<Map<String, String>, Double> now : source.scalars(exposition).entrySet()) {
        Double was = before.put(now.getKey(), now.getValue());
        growth += was == null || was > now.getValue() ? now.getValue() : now.getValue() - was;
      }
      if (begun) {
        total += growth;
        add(Statistic.RATE, nanoTime, growth / ((nanoTime - last) / 1e9));
      }
    }

    @Override
    Map<Statistic, Double> totals() {
      Map<Statistic, Double> totals = new LinkedHashMap<>();
      if (last > first) {
        totals.put(Statistic.TOTAL, total);
        totals.put(Statistic.RATE, total / ((last - first) / 1e9));
      }
      return totals;
    }
  }

  private final class Histogram extends Follower {
    private final Map<Map<String, String>, Buckets> before = new HashMap<>();
    private Buckets total = Buckets.EMPTY;

    Histogram(Tracked metric) {
      super(metric, Kind.HISTOGRAM);
    }

    @Override
    void read(SeriesSelector source, Exposition exposition, long nanoTime) {
      Buckets growth = Buckets.EMPTY;
      for (Map.Entry<Map<String, String>, Buckets> now : source.histograms(exposition).entrySet()) {
        growth = growth.plus(now.getValue().since(before.put(now.getKey(), now.getValue())));
      }
      if (begun && growth.count() > 0) {
        total = total.plus(growth);
        statistics(growth).forEach((statistic, value) -> add(statistic, nanoTime, value));
      }
    }

    @Override
    Map<Statistic, Double> totals() {
      Map<Statistic, Double> totals = new LinkedHashMap<>();
      totals.put(Statistic.COUNT, total.count());
      if (total.count() > 0) {
        totals.putAll(statistics(total));
      }
      return totals;
    }

    private static Map<Statistic, Double> statistics(Buckets of) {
      Map<Statistic, Double> statistics = new LinkedHashMap<>();
      if (!Double.isNaN(of.sum())) {
        statistics.put(Statistic.MEAN, of.mean());
      }
      statistics.put(Statistic.P50, of.quantile(0.5));
      statistics.put(Statistic.P90, of.quantile(0.9));
      statistics.put(Statistic.P99, of.quantile(0.99));
      return statistics;
    }
  }
}
