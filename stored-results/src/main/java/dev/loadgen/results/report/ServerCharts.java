package dev.loadgen.results.report;

import dev.loadgen.results.metrics.Kind;
import dev.loadgen.results.metrics.ServerMetric;
import dev.loadgen.results.metrics.ServerMetrics;
import dev.loadgen.results.metrics.ServerMetrics.Point;
import dev.loadgen.results.metrics.ServerMetrics.Series;
import dev.loadgen.results.metrics.ServerMetrics.Total;
import dev.loadgen.results.metrics.Statistic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Charts of what the servers said of themselves, over the same time as the client's. */
final class ServerCharts {
  /** More points than these are averaged, so that long tests stay small and readable. */
  private static final int POINTS = 150;

  /** More replicas than these are drawn as thin lines of one colour around their mean. */
  private static final int REPLICAS = Chart.COLOURS;

  private static final int CELLS = 60;

  private final ServerMetrics metrics;
  private final TimeAxis time;
  private final List<String> replicas;

  ServerCharts(ServerMetrics metrics, TimeAxis time) {
    this.metrics = metrics;
    this.time = time;
    Set<String> names = new LinkedHashSet<>();
    metrics.series().forEach(series -> names.add(series.replica()));
    metrics.totals().forEach(total -> names.add(total.replica()));
    this.replicas = List.copyOf(names);
  }

  /** One chart a metric, in the order of the file; empty if there is nothing over time. */
  String charts() {
    StringBuilder charts = new StringBuilder();
    drawn()
        .forEach(
            (metric, series) -> {
              if (!isZero(series)) {
                charts.append(chart(metric, series));
              }
            });
    return charts.toString();
  }

  /** The metrics that were zero all the time, of which a chart would say no more; may be empty. */
  String zeroThroughout() {
    return drawn().entrySet().stream()
        .filter(metric -> isZero(metric.getValue()))
        .map(metric -> title(metric.getKey()))
        .collect(Collectors.joining(", "));
  }

  private static boolean isZero(List<Series> all) {
    return all.stream()
        .flatMap(series -> series.points().stream())
        .allMatch(point -> point.value() == 0);
  }

  private Map<String, List<Series>> drawn() {
    Map<String, List<Series>> byMetric = new LinkedHashMap<>();
    for (Series series : metrics.series()) {
      if (!series.points().isEmpty() && drawn(series)) {
        byMetric.computeIfAbsent(series.metric(), metric -> new ArrayList<>()).add(series);
      }
    }
    return byMetric;
  }

  /** Of a distribution the median and the tail; of anything else what there is. */
  private static boolean drawn(Series series) {
    return series.kind() != Kind.HISTOGRAM
        || series.statistic() == Statistic.P50
        || series.statistic() == Statistic.P99;
  }

  private String chart(String metric, List<Series> all) {
    boolean histogram = all.getFirst().kind() == Kind.HISTOGRAM;
    String unit = all.getFirst().unit();
    Scale scale = Scale.of(unit, largest(all));
    Axis y = Axis.upTo(largest(all) * scale.factor());
    Chart chart = Chart.of(title(metric), time.axis(), time.title(), y, scale.unit());
    if (replicas.size() > REPLICAS) {
      many(chart, all, scale);
    } else {
      for (Series series : all) {
        double[] xs = xs(series);
        double[] ys = ys(series, scale);
        int colour = replicas.indexOf(series.replica());
        if (histogram && series.statistic() == Statistic.P50) {
          chart.thinLine(colour, xs, ys);
        } else {
          chart.line(colour, xs, ys);
        }
      }
      IntStream.range(0, replicas.size())
          .filter(i -> all.stream().anyMatch(s -> s.replica().equals(replicas.get(i))))
          .forEach(i -> chart.key(i, replicas.get(i)));
    }
    if (histogram) {
      chart.fact(
          replicas.size() > REPLICAS
              ? "p99 between two readings"
              : "p99 bold, p50 thin, between two readings");
    }
    cells(chart, all, scale);
    return chart.figure();
  }

  private void many(Chart chart, List<Series> all, Scale scale) {
    for (Series series : all) {
      if (series.statistic() != Statistic.P50) {
        chart.thinLine(0, xs(series), ys(series, scale));
      }
    }
    TimeBins bins = new TimeBins(time.seconds(), POINTS);
    List<Series> tail = all.stream().filter(s -> s.statistic() != Statistic.P50).toList();
    double[] means =
        Arrays.stream(bins.group(seconds(tail), values(tail)))
            .mapToDouble(group -> group.isEmpty() ? Double.NaN : group.mean() * scale.factor())
            .toArray();
    double[] xs = IntStream.range(0, POINTS).mapToDouble(i -> time.of(bins.middle(i))).toArray();
    double[] known =
        IntStream.range(0, POINTS)
            .filter(i -> !Double.isNaN(means[i]))
            .mapToDouble(i -> xs[i])
            .toArray();
    chart.line(1, known, Arrays.stream(means).filter(m -> !Double.isNaN(m)).toArray());
    chart.key(0, replicas.size() + " replicas").key(1, "their mean");
  }

  private void cells(Chart chart, List<Series> all, Scale scale) {
    TimeBins bins = new TimeBins(time.seconds(), CELLS);
    Map<Series, SortedValues[]> grouped = new LinkedHashMap<>();
    for (Series series : all) {
      grouped.put(series, bins.group(seconds(List.of(series)), values(List.of(series))));
    }
    for (int i = 0; i < CELLS; i++) {
      int bin = i;
      List<String> lines = new ArrayList<>();
      grouped.forEach(
          (series, groups) -> {
            if (!groups[bin].isEmpty() && lines.size() < REPLICAS) {
              lines.add(
                  series.replica()
                      + (series.kind() == Kind.HISTOGRAM ? " " + series.statistic().id() : "")
                      + "  "
                      + Numbers.number(groups[bin].mean() * scale.factor())
                      + Numbers.SPACE
                      + scale.unit());
            }
          });
      if (!lines.isEmpty()) {
        double end = bins.start(i) + bins.width();
        chart.cell(
            time.of(bins.start(i)),
            time.of(end),
            time.span(bins.start(i), end) + "\n" + String.join("\n", lines));
      }
    }
  }

  /** What the servers counted in the whole test. */
  String totals() {
    if (metrics.totals().isEmpty()) {
      return "";
    }
    List<String> columns = new ArrayList<>(List.of("whole test"));
    columns.addAll(replicas);
    Table table = new Table(columns.toArray(String[]::new));
    Map<String, Map<String, Total>> rows = new LinkedHashMap<>();
    for (Total total : metrics.totals()) {
      rows.computeIfAbsent(
              title(total.metric()) + ", " + statistic(total), name -> new LinkedHashMap<>())
          .put(total.replica(), total);
    }
    rows.forEach(
        (name, totals) ->
            table.row(
                name,
                replicas.stream()
                    .map(totals::get)
                    .map(total -> total == null ? "–" : value(total))
                    .toArray(String[]::new)));
    return table.toString();
  }

  private static String statistic(Total total) {
    return switch (total.statistic()) {
      case TOTAL -> "total";
      case RATE -> "a second";
      case COUNT -> "observations";
      case VALUE -> "value";
      case MEAN -> "mean";
      case MAX -> "most";
      case P50, P90, P99 -> total.statistic().id();
    };
  }

  private static String value(Total total) {
    if (total.statistic() == Statistic.COUNT) {
      return Numbers.count(Math.round(total.value()));
    }
    return switch (total.unit()) {
      case "seconds" -> Numbers.millis(total.value() * 1e3);
      case "ratio" -> Numbers.percent(total.value());
      // A mean of what is counted is no count.
      case "requests" ->
          total.statistic() == Statistic.MEAN
              ? Numbers.number(total.value())
              : Numbers.in(total.unit(), total.value());
      default -> Numbers.in(total.unit(), total.value());
    };
  }

  /** A metric of the vocabulary as words; the server's own name as it is. */
  private static String title(String metric) {
    if (ServerMetric.of(metric).isEmpty()) {
      return metric;
    }
    String words =
        metric
            .replace('_', ' ')
            .replaceAll("\\bttft\\b", "TTFT")
            .replaceAll("\\btpot\\b", "TPOT")
            .replaceAll("\\bkv\\b", "KV")
            .replaceAll("\\be2e\\b", "end-to-end");
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  /** How values of a unit are shown: the unit on the axis, and the factor to it. */
  private record Scale(String unit, double factor) {
    static Scale of(String unit, double largest) {
      return switch (unit) {
        case "seconds" -> {
          Unit of = Unit.ofMillis(largest * 1e3);
          yield new Scale(of.name(), of.factor() * 1e3);
        }
        case "ratio" -> new Scale("%", 100);
        default -> new Scale(unit, 1);
      };
    }
  }

  private double[] xs(Series series) {
    return thinned(series).stream().mapToDouble(point -> time.of(point.seconds())).toArray();
  }

  private double[] ys(Series series, Scale scale) {
    return thinned(series).stream().mapToDouble(point -> point.value() * scale.factor()).toArray();
  }

  /** The points within the test's time, neighbours averaged where there are very many. */
  private List<Point> thinned(Series series) {
    List<Point> within =
        series.points().stream()
            .filter(p -> p.seconds() >= 0 && p.seconds() <= time.seconds() + slack())
            .toList();
    int together = (within.size() + POINTS - 1) / POINTS;
    if (together <= 1) {
      return within;
    }
    List<Point> thinned = new ArrayList<>();
    for (int i = 0; i < within.size(); i += together) {
      List<Point> neighbours = within.subList(i, Math.min(within.size(), i + together));
      thinned.add(
          new Point(
              neighbours.stream().mapToDouble(Point::seconds).average().orElseThrow(),
              neighbours.stream().mapToDouble(Point::value).average().orElseThrow()));
    }
    return thinned;
  }

  /** The reading that ends the test comes a little after it, and is drawn at the end. */
  private double slack() {
    return 0.02 * time.seconds();
  }

  private static double[] seconds(List<Series> of) {
    return of.stream().flatMap(s -> s.points().stream()).mapToDouble(Point::seconds).toArray();
  }

  private static double[] values(List<Series> of) {
    return of.stream().flatMap(s -> s.points().stream()).mapToDouble(Point::value).toArray();
  }

  private static double largest(List<Series> all) {
    return all.stream()
        .flatMap(series -> series.points().stream())
        .mapToDouble(Point::value)
        .filter(Double::isFinite)
        .max()
        .orElse(0);
  }
}
