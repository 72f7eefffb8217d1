package dev.loadgen.results.report;

import dev.loadgen.results.report.Comparison.Difference;
import dev.loadgen.results.report.Comparison.Metric;
import dev.loadgen.results.report.Comparison.Run;
import dev.loadgen.results.report.Comparison.Standing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Makes a page of runs side by side, with their distributions in one drawing. */
public final class HtmlComparison {
  private static final int CURVE_POINTS = 250;

  private HtmlComparison() {}

  /**
   * The whole file.
   *
   * @param compared the runs that the comparison is of
   */
  public static String html(Comparison comparison, List<ComparedRun> compared) {
    Page page = new Page("Comparison of " + compared.size() + " runs");
    header(page.header(), comparison);
    if (!comparison.incomparable().isEmpty()) {
      Html html = page.section("incomparable", "Not comparable");
      html.element("p", "The runs measured different things, so their numbers are not comparable.");
      html.markup(differences(comparison, comparison.incomparable()));
    }
    page.section("metrics", "Metrics").markup(metrics(comparison));
    charts(page, comparison, compared);
    if (!comparison.plans().isEmpty()) {
      page.section("plans", "Plans").markup(differences(comparison, comparison.plans()));
    }
    if (!comparison.provenance().isEmpty()) {
      page.section("provenance", "What was measured")
          .markup(differences(comparison, comparison.provenance()));
    }
    if (!comparison.environments().isEmpty()) {
      page.section("environments", "Environments")
          .markup(differences(comparison, comparison.environments()));
    }
    return page.html("Made from results folders, by loadgen-operator.");
  }

  private static void header(Html html, Comparison comparison) {
    html.open("header").element("h1", "Comparison");
    Table runs = new Table("", "run\t", "verdict\t", "results\t");
    for (Run run : comparison.runs()) {
      runs.row(
          run.label(),
          run.name(),
          run.verdict(),
          run.path() + (run.planKnown() ? "" : " (only a summary: its plan is not known)"));
    }
    html.markup(runs).close("header");
  }

  private static String metrics(Comparison comparison) {
    List<String> columns = new ArrayList<>(List.of(""));
    for (Run run : comparison.runs()) {
      columns.add(run.label());
      if (columns.size() > 2) {
        columns.add(run.label() + " to " + comparison.runs().get(0).label());
      }
    }
    Table table = new Table(columns.toArray(String[]::new));
    for (Metric metric : comparison.metrics()) {
      List<String> cells = new ArrayList<>();
      for (int i = 0; i < metric.values().size(); i++) {
        Double value = metric.values().get(i);
        cells.add(value == null ? "–" : Numbers.in(metric.unit(), value));
        if (i > 0) {
          cells.add(change(metric, i));
        }
      }
      table.row(metric.name(), cells.toArray(String[]::new));
    }
    return table.toString();
  }

  private static String change(Metric metric, int i) {
    Standing standing = metric.standing().get(i);
    Double percent = metric.differencePercent().get(i);
    String change = percent == null ? "" : String.format(Locale.ROOT, "%+.1f", percent) + " %";
    return switch (standing) {
      case BETTER -> Table.GOOD + change + " better";
      case WORSE -> Table.BAD + change + " worse";
      case SAME -> "same";
      case UNKNOWN -> change.isEmpty() ? "–" : change;
    };
  }

  private static String differences(Comparison comparison, List<Difference> differences) {
    List<String> columns = new ArrayList<>(List.of(""));
    comparison.runs().forEach(run -> columns.add(run.label() + "\t"));
    Table table = new Table(columns.toArray(String[]::new));
    for (Difference difference : differences) {
      table.row(
          difference.field(),
          difference.values().stream()
              .map(value -> value == null ? "–" : value)
              .toArray(String[]::new));
    }
    return table.toString();
  }

  private static void charts(Page page, Comparison comparison, List<ComparedRun> compared) {
    List<Series> series = new ArrayList<>();
    for (int i = 0; i < compared.size(); i++) {
      StoredRun stored = compared.get(i).stored();
      SampleColumns samples = stored == null ? null : stored.samples();
      if (samples != null && samples.completed() > 0) {
        series.add(new Series(i, comparison.runs().get(i).label(), samples));
      }
    }
    if (series.isEmpty()) {
      return;
    }
    Html html = page.section("distributions", "Distributions");
    html.open("div", "class", "charts");
    html.markup(curves("Time to first token", series, SampleColumns::timesToFirstToken));
    html.markup(curves("Time per output token", series, SampleColumns::timesPerOutputToken));
    html.markup(curves("Latency", series, SampleColumns::latencies));
    html.close("div");
    Html over = page.section("time", "Over time");
    over.open("div", "class", "charts").markup(tokens(series)).markup(inFlight(series));
    over.close("div");
  }

  private record Series(int colour, String label, SampleColumns samples) {}

  private static String curves(
      String title, List<Series> series, Function<SampleColumns, double[]> measured) {
    List<SortedValues> values =
        series.stream().map(one -> SortedValues.of(measured.apply(one.samples()))).toList();
    double lowest =
        values.stream().filter(v -> !v.isEmpty()).mapToDouble(SortedValues::min).min().orElse(0);
    double reach =
        values.stream()
            .filter(v -> !v.isEmpty())
            .mapToDouble(v -> Math.min(v.max(), 1.5 * v.percentile(99)))
            .max()
            .orElse(Double.NaN);
    if (Double.isNaN(reach)) {
      return "";
    }
    Unit unit = Unit.ofMillis(reach);
    Axis x = Axis.around(unit.of(lowest), unit.of(reach));
    Chart chart = Chart.of(title, x, unit.name(), new Axis(0, 100, 20), "% of answers up to here");
    for (int i = 0; i < series.size(); i++) {
      SortedValues of = values.get(i);
      if (!of.isEmpty()) {
        chart.key(
            series.get(i).colour(),
            series.get(i).label() + " p99 " + Numbers.millis(of.percentile(99)));
        curve(chart, series.get(i).colour(), of, unit, x);
      }
    }
    int cells = 50;
    for (int i = 0; i < cells; i++) {
      double start = x.min() + (x.max() - x.min()) * i / cells;
      double end = x.min() + (x.max() - x.min()) * (i + 1) / cells;
      StringBuilder text = new StringBuilder("up to " + Numbers.number(end) + " " + unit.name());
      for (int j = 0; j < series.size(); j++) {
        if (!values.get(j).isEmpty()) {
          text.append('\n').append(series.get(j).label()).append("  ");
          text.append(Numbers.percent(values.get(j).shareUpTo(end / unit.factor())));
        }
      }
      chart.cell(start, end, text.toString());
    }
    return chart.figure();
  }

  /** Ends where the axis ends, so that no curve runs up along its edge. */
  private static void curve(Chart chart, int colour, SortedValues values, Unit unit, Axis x) {
    double[] xs = new double[CURVE_POINTS + 1];
    double[] ys = new double[CURVE_POINTS + 1];
    xs[0] = unit.of(values.min());
    for (int i = 1; i <= CURVE_POINTS; i++) {
      ys[i] = 100.0 * i / CURVE_POINTS;
      double at = unit.of(values.percentile(ys[i]));
      xs[i] = at <= x.max() ? at : Double.NaN;
    }
    chart.line(colour, xs, ys);
  }

  private static String tokens(List<Series> series) {
    return overTime(
        "Output tokens per second",
        "tokens/s",
        series,
        (samples, bins) ->
            bins.spread(samples.tokenStarts(), samples.completions(), samples.outputTokens()));
  }

  private static String inFlight(List<Series> series) {
    return overTime(
        "Requests in flight",
        "requests, mean of each part",
        series,
        (samples, bins) -> {
          double[] starts = samples.starts();
          double[] ends = samples.endsOfSent();
          double[] lengths = new double[starts.length];
          Arrays.setAll(lengths, i -> ends[i] - starts[i]);
          return bins.spread(starts, ends, lengths);
        });
  }

  /** What is measured of a run in each part of its time. */
  private interface Measure {
    double[] of(SampleColumns samples, TimeBins bins);
  }

  private static String overTime(String title, String unit, List<Series> series, Measure measure) {
    TimeAxis time =
        new TimeAxis(series.stream().mapToDouble(one -> one.samples().seconds()).max().orElse(1));
    List<double[]> values = new ArrayList<>();
    double most = 0;
    for (Series one : series) {
      double[] of = measure.of(one.samples(), TimeBins.ofSeconds(one.samples().seconds()));
      values.add(of);
      most = Math.max(most, Arrays.stream(of).max().orElse(0));
    }
    Chart chart = Chart.of(title, time.axis(), time.title(), Axis.upTo(most), unit);
    for (int i = 0; i < series.size(); i++) {
      Series one = series.get(i);
      chart.key(one.colour(), one.label());
      chart.steps(one.colour(), time.of(one.samples().seconds()), values.get(i));
    }
    return chart.figure();
  }
}
