package dev.loadgen.results.report;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Charts of what the client did over time: requests in flight, rates, tokens. */
final class LoadCharts {
  private final SampleColumns samples;
  private final TimeAxis time;
  private final TimeBins bins;

  LoadCharts(SampleColumns samples, TimeAxis time) {
    this.samples = samples;
    this.time = time;
    this.bins = TimeBins.ofSeconds(time.seconds());
  }

  String all() {
    return inFlight() + waiting() + rates() + tokens();
  }

  private String inFlight() {
    double[] starts = samples.starts();
    double[] ends = samples.endsOfSent();
    double[] mean = bins.spread(starts, ends, difference(ends, starts));
    Chart chart = chart("Requests in flight", max(mean), "requests, mean of each part");
    chart
        .steps(0, time.axis().max(), mean)
        .fact("at most " + Numbers.count((long) samples.mostInFlight()) + " at once");
    cells(chart, i -> Numbers.number(mean[i]) + " in flight");
    return chart.figure();
  }

  /** Nothing where samples are sent as they are issued. */
  private String waiting() {
    double[] issues = samples.issues();
    double[] starts = samples.starts();
    double[] mean = bins.spread(issues, starts, difference(starts, issues));
    if (max(mean) < 1) {
      return "";
    }
    Chart chart =
        chart("Issued, not yet sent", max(mean), "samples, mean of each part")
            .steps(0, time.axis().max(), mean)
            .fact("held back by the most requests in flight, or by a slow client");
    cells(chart, i -> Numbers.number(mean[i]) + " waiting");
    return chart.figure();
  }

  private String rates() {
    boolean atOnce = samples.issuedAtOnce();
    double[] issued = bins.rate(samples.issues());
    double[] completed = bins.rate(samples.completions());
    double[] failed = bins.rate(samples.failureTimes());
    double most = Math.max(max(completed), max(failed));
    Chart chart =
        chart("Samples a second", atOnce ? most : Math.max(most, max(issued)), "samples/s");
    if (atOnce) {
      chart.fact("all were issued at the start");
    } else {
      chart.key(0, "issued").steps(0, time.axis().max(), issued);
    }
    chart.key(2, "answered").steps(2, time.axis().max(), completed);
    if (max(failed) > 0) {
      chart.key(3, "failed").steps(3, time.axis().max(), failed);
    }
    cells(
        chart,
        i ->
            Numbers.number(issued[i])
                + " issued/s\n"
                + Numbers.number(completed[i])
                + " answered/s\n"
                + Numbers.number(failed[i])
                + " failed/s");
    return chart.figure();
  }

  private String tokens() {
    double[] tokens = samples.outputTokens();
    if (samples.completed() == 0) {
      return "";
    }
    double[] ends = samples.completions();
    double[] rate = bins.spread(samples.tokenStarts(), ends, tokens);
    double mean = Arrays.stream(tokens).filter(Double::isFinite).sum() / time.seconds();
    Chart chart =
        chart("Output tokens per second", max(rate), "tokens/s")
            .steps(0, time.axis().max(), rate)
            .mean("mean " + Numbers.number(mean), mean)
            .fact("an answer's tokens spread from its first token to its end");
    cells(chart, i -> Numbers.number(rate[i]) + " tokens/s");
    return chart.figure();
  }

  private Chart chart(String title, double most, String unit) {
    return Chart.of(title, time.axis(), time.title(), Axis.upTo(most), unit);
  }

  /** What a part of the time has to say. */
  private interface Reading {
    String of(int bin);
  }

  private void cells(Chart chart, Reading reading) {
    for (int i = 0; i < bins.count(); i++) {
      double end = bins.start(i) + bins.width();
      chart.cell(
          time.of(bins.start(i)),
          time.of(end),
          time.span(bins.start(i), end) + "\n" + reading.of(i));
    }
  }

  private static double[] difference(double[] later, double[] earlier) {
    return IntStream.range(0, later.length).mapToDouble(i -> later[i] - earlier[i]).toArray();
  }

  private static double max(double[] values) {
    return Arrays.stream(values).filter(Double::isFinite).max().orElse(0);
  }
}
