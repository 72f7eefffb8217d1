package dev.loadgen.results.report;

import dev.loadgen.contract.RunResult;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Charts of one measured value of each sample: how it is distributed, and how it changes. */
final class LatencyCharts {
  private static final int BARS = 60;
  private static final int CURVE_POINTS = 250;

  /** So many values are drawn one by one. */
  private static final int FEW = 250;

  /** A value's largest may lie so far beyond its p99 before the axis stops short of it. */
  private static final double TAIL = 2.5;

  private LatencyCharts() {}

  /**
   * Histogram and cumulative share of latencies.
   *
   * @param percentiles as the summary has them, which the labels show; null: as the values have
   *     them
   * @param limit in milliseconds at p99; null if there is none
   */
  static String distribution(
      String title,
      SortedValues millis,
      RunResult.@Nullable Percentiles percentiles,
      @Nullable Double limit) {
    double p50 = percentiles == null ? millis.percentile(50) : percentiles.p50();
    double p90 = percentiles == null ? millis.percentile(90) : percentiles.p90();
    double p99 = percentiles == null ? millis.percentile(99) : percentiles.p99();
    double reach = reach(millis, limit);
    Unit unit = Unit.ofMillis(reach);
    Axis x = Axis.around(unit.of(millis.min()), unit.of(reach));
    Chart chart =
        histogram(title, millis, x, unit, BARS)
            .percentile("p50", unit.of(p50))
            .percentile("p90", unit.of(p90))
            .percentile("p99", unit.of(p99))
            .fact("p50 " + Numbers.number(unit.of(p50)))
            .fact("p90 " + Numbers.number(unit.of(p90)))
            .fact("p99 " + Numbers.number(unit.of(p99)) + Numbers.SPACE + unit.name());
    if (limit != null) {
      if (unit.of(limit) <= x.max()) {
        chart.limitAcross("limit", unit.of(limit));
      }
      chart.fact(
          "limit %s, kept by %s"
              .formatted(Numbers.millis(limit), Numbers.percent(millis.shareUpTo(limit))));
    }
    int beyond = millis.countAbove(x.max() / unit.factor());
    if (beyond > 0) {
      chart.fact(
          Numbers.count((long) beyond) + " beyond the axis, up to " + Numbers.millis(millis.max()));
    }
    return chart.figure();
  }

  static String tokens(String title, SortedValues tokens) {
    Axis x = Axis.around(tokens.min(), tokens.max());
    double range = x.max() - x.min();
    int bars = range >= 1 && range <= 2 * BARS ? (int) Math.round(range) : BARS;
    return histogram(title, tokens, x, new Unit("tokens", 1), bars)
        .percentile("p50", tokens.percentile(50))
        .percentile("p99", tokens.percentile(99))
        .fact("mean " + Numbers.number(tokens.mean()))
        .fact("p50 " + Numbers.number(tokens.percentile(50)))
        .fact("p99 " + Numbers.number(tokens.percentile(99)))
        .fact("max " + Numbers.number(tokens.max()))
        .figure();
  }

  private static Chart histogram(String title, SortedValues values, Axis x, Unit unit, int bars) {
    double from = x.min() / unit.factor();
    double to = x.max() / unit.factor();
    int[] counts = values.histogram(from, to, bars);
    double[] shares = Arrays.stream(counts).mapToDouble(c -> 100.0 * c / values.size()).toArray();
    Axis y = Axis.upTo(Arrays.stream(shares).max().orElse(0));
    String width = Numbers.number((x.max() - x.min()) / bars) + Numbers.SPACE + unit.name();
    Chart chart =
        Chart.of(
                title,
                x,
                unit.name(),
                y,
                "% of answers per bar of " + width,
                new Axis(0, 100, 20),
                "% up to here")
            .key(0, "histogram")
            .key(1, "cumulative")
            .bars(0, x.min(), x.max(), shares);
    curve(chart, values, unit);
    for (int i = 0; i < bars; i++) {
      double start = x.min() + (x.max() - x.min()) * i / bars;
      double end = x.min() + (x.max() - x.min()) * (i + 1) / bars;
      chart.cell(
          start,
          end,
          Numbers.number(start)
              + "–"
              + Numbers.number(end)
              + Numbers.SPACE
              + unit.name()
              + "\n"
              + Numbers.count((long) counts[i])
              + " answers\n"
              + Numbers.percent(values.shareUpTo(end / unit.factor()))
              + " up to here");
    }
    return chart;
  }

  private static void curve(Chart chart, SortedValues values, Unit unit) {
    double[] xs = new double[CURVE_POINTS + 2];
    double[] ys = new double[CURVE_POINTS + 2];
    xs[0] = unit.of(values.min());
    for (int i = 1; i <= CURVE_POINTS; i++) {
      ys[i] = 100.0 * i / CURVE_POINTS;
      xs[i] = unit.of(values.percentile(ys[i]));
    }
    xs[CURVE_POINTS + 1] = Double.NaN;
    ys[CURVE_POINTS + 1] = Double.NaN;
    chart.secondLine(1, xs, ys);
  }

  /** Where the axis of a distribution ends: at the largest value, unless few lie far out. */
  private static double reach(SortedValues millis, @Nullable Double limit) {
    double p99 = millis.percentile(99);
    double reach = millis.max() <= TAIL * p99 ? millis.max() : 1.5 * p99;
    // A limit far to the right would squeeze the bars into a corner.
    return limit != null && limit <= 2 * reach ? Math.max(reach, limit * 1.02) : reach;
  }

  /**
   * A latency by the time of each sample: median and 99th percentile of parts of the time, or each
   * value where there are few.
   *
   * @param times in seconds
   * @param millis NaN is no value
   * @param what the times are, such as {@code by time of issue}
   */
  static String overTime(
      String title,
      TimeAxis time,
      double[] times,
      double[] millis,
      @Nullable Double limit,
      String what) {
    SortedValues all = SortedValues.of(millis);
    if (all.size() <= FEW) {
      return few(title, time, times, millis, all, limit, what);
    }
    TimeBins bins = TimeBins.ofValues(time.seconds(), all.size());
    SortedValues[] groups = bins.group(times, millis);
    double[] p50 = percentile(groups, 50);
    double[] p99 = percentile(groups, 99);
    double highest = Arrays.stream(p99).filter(Double::isFinite).max().orElse(0);
    double lowest = Arrays.stream(p50).filter(Double::isFinite).min().orElse(0);
    boolean limitFits = limit != null && limit <= 1.5 * highest;
    Unit unit = Unit.ofMillis(highest);
    Axis y =
        Axis.around(
            unit.of(lowest),
            unit.of(limit != null && limitFits ? Math.max(limit, highest) : highest));
    double[] xs = new double[bins.count()];
    Arrays.setAll(xs, i -> time.of(bins.middle(i)));
    double[] low = scaled(p50, unit);
    double[] high = scaled(p99, unit);
    Chart chart =
        Chart.of(title, time.axis(), time.title(), y, unit.name())
            .band(0, xs, low, high)
            .line(1, xs, high)
            .line(0, xs, low)
            .key(0, "p50")
            .key(1, "p99")
            .fact(what)
            .fact(String.format(Locale.ROOT, "%d parts", bins.count()));
    limit(chart, unit, limit, limitFits);
    for (int i = 0; i < groups.length; i++) {
      double end = bins.start(i) + bins.width();
      chart.cell(
          time.of(bins.start(i)),
          time.of(end),
          time.span(bins.start(i), end)
              + "\n"
              + (groups[i].isEmpty()
                  ? "no answers"
                  : "p50 "
                      + Numbers.millis(p50[i])
                      + "\np99 "
                      + Numbers.millis(p99[i])
                      + "\n"
                      + Numbers.count((long) groups[i].size())
                      + " answers"));
    }
    return chart.figure();
  }

  private static String few(
      String title,
      TimeAxis time,
      double[] times,
      double[] millis,
      SortedValues all,
      @Nullable Double limit,
      String what) {
    boolean limitFits = limit != null && limit <= 1.5 * all.max();
    Unit unit = Unit.ofMillis(all.max());
    Axis y =
        Axis.around(
            unit.of(all.min()),
            unit.of(limit != null && limitFits ? Math.max(limit, all.max()) : all.max()));
    Chart chart =
        Chart.of(title, time.axis(), time.title(), y, unit.name())
            .dots(0, Arrays.stream(times).map(time::of).toArray(), scaled(millis, unit))
            .fact("each answer " + what);
    limit(chart, unit, limit, limitFits);
    return chart.figure();
  }

  private static void limit(Chart chart, Unit unit, @Nullable Double limit, boolean fits) {
    if (limit != null && fits) {
      chart.limit("limit " + Numbers.millis(limit), unit.of(limit));
    } else if (limit != null) {
      chart.fact("limit " + Numbers.millis(limit) + ", above the axis");
    }
  }

  private static double[] percentile(SortedValues[] groups, double percent) {
    return Arrays.stream(groups)
        .mapToDouble(group -> group.isEmpty() ? Double.NaN : group.percentile(percent))
        .toArray();
  }

  private static double[] scaled(double[] values, Unit unit) {
    return Arrays.stream(values).map(unit::of).toArray();
  }
}
