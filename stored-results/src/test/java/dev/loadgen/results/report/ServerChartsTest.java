package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.results.metrics.Kind;
import dev.loadgen.results.metrics.ServerMetrics;
import dev.loadgen.results.metrics.ServerMetrics.Point;
import dev.loadgen.results.metrics.ServerMetrics.Series;
import dev.loadgen.results.metrics.ServerMetrics.Total;
import dev.loadgen.results.metrics.Statistic;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ServerChartsTest {
  private static final TimeAxis TIME = new TimeAxis(600);

  private final List<Series> series = new ArrayList<>();
  private final List<Total> totals = new ArrayList<>();

  /** A value every five seconds, before, during and after the test. */
  private void add(
      String replica, String metric, Kind kind, Statistic statistic, String unit, double value) {
    List<Point> points = new ArrayList<>();
    for (int second = -10; second <= 620; second += 5) {
      points.add(new Point(second, value));
    }
    series.add(new Series(replica, metric, kind, statistic, unit, points));
  }

  private String charts() {
    return new ServerCharts(new ServerMetrics(series, totals), TIME).charts();
  }

  private static List<String> titles(String charts) {
    return Pattern.compile("(?<=<h3>).*?(?=</h3>)")
        .matcher(charts)
        .results()
        .map(MatchResult::group)
        .toList();
  }

  @Test
  void eachMetricHasOneChartWithALineForEachReplica() {
    add("a", "requests_running", Kind.GAUGE, Statistic.VALUE, "requests", 7);
    add("b", "requests_running", Kind.GAUGE, Statistic.VALUE, "requests", 8);
    add("a", "kv_cache_usage", Kind.GAUGE, Statistic.VALUE, "ratio", 0.5);
    add("a", "vllm:own_<name>", Kind.GAUGE, Statistic.VALUE, "", 3);

    String charts = charts();

    assertThat(titles(charts))
        .containsExactly("Requests running", "KV cache usage", "vllm:own_&lt;name&gt;");
    String running = charts.substring(0, charts.indexOf("</figure>"));
    assertThat(running).contains("line k0", "line k1", ">a<", ">b<", "a  7.00", "b  8.00");
    assertThat(charts).contains("a  50.00\u202f%").doesNotContain("NaN");
  }

  @Test
  void distributionsAreDrawnByMedianAndTail() {
    add("a", "ttft", Kind.HISTOGRAM, Statistic.MEAN, "seconds", 0.3);
    add("a", "ttft", Kind.HISTOGRAM, Statistic.P50, "seconds", 0.25);
    add("a", "ttft", Kind.HISTOGRAM, Statistic.P99, "seconds", 0.75);

    String charts = charts();

    assertThat(titles(charts)).containsExactly("TTFT");
    assertThat(charts)
        .contains("line thin k0", "line k0", "a p50  250.0\u202fms", "a p99  750.0\u202fms")
        .doesNotContain("a mean");
  }

  @Test
  void whatIsZeroAllTheTimeIsSaidAndNotDrawn() {
    add("a", "requests_waiting", Kind.GAUGE, Statistic.VALUE, "requests", 0);
    add("a", "kv_cache_usage", Kind.GAUGE, Statistic.VALUE, "ratio", 0);
    add("b", "kv_cache_usage", Kind.GAUGE, Statistic.VALUE, "ratio", 0.01);
    add("a", "vllm:own_<name>", Kind.GAUGE, Statistic.VALUE, "", 0);

    assertThat(titles(charts())).containsExactly("KV cache usage");
    assertThat(new ServerCharts(new ServerMetrics(series, totals), TIME).zeroThroughout())
        .isEqualTo("Requests waiting, vllm:own_<name>");
  }

  @Test
  void nothingOutsideTheTestIsDrawn() {
    series.add(
        new Series(
            "a",
            "requests_waiting",
            Kind.GAUGE,
            Statistic.VALUE,
            "requests",
            List.of(new Point(-5, 1), new Point(0, 2), new Point(601, 3), new Point(700, 4))));

    // Two points, of which the one just after the end is drawn at it.
    assertThat(charts()).containsPattern("d=\"M[0-9.]+ [0-9.]+L[0-9.]+ [0-9.]+\"");
  }

  @Test
  void manyReplicasAreDrawnAroundTheirMean() {
    for (int i = 0; i < 40; i++) {
      add("replica-" + i, "requests_running", Kind.GAUGE, Statistic.VALUE, "requests", i);
    }

    assertThat(charts()).contains("40 replicas", "their mean").hasSizeLessThan(200_000);
  }

  @Test
  void longTestsStaySmall() {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      points.add(new Point(i * 0.03, i % 7));
    }
    series.add(
        new Series("a", "requests_running", Kind.GAUGE, Statistic.VALUE, "requests", points));

    assertThat(charts()).hasSizeLessThan(30_000);
  }

  @Test
  void totalsHaveARowEach() {
    totals.add(
        new Total("a", "generation_tokens", Kind.COUNTER, Statistic.TOTAL, "tokens", 12_345));
    totals.add(new Total("b", "ttft", Kind.HISTOGRAM, Statistic.P99, "seconds", 1.5));

    String table = new ServerCharts(new ServerMetrics(series, totals), TIME).totals();

    assertThat(table.replaceAll("<[^>]*>", " ").replaceAll("\\s+", " "))
        .contains("Generation tokens, total 12\u202f345\u202ftokens –", "TTFT, p99 – 1500\u202fms");
  }

  @Test
  void countsAreWholeAndTheirMeansAreNot() {
    totals.add(new Total("a", "ttft", Kind.HISTOGRAM, Statistic.COUNT, "", 208));
    totals.add(new Total("a", "requests_running", Kind.GAUGE, Statistic.MEAN, "requests", 0.4));
    totals.add(new Total("a", "requests_running", Kind.GAUGE, Statistic.MAX, "requests", 18));

    String table = new ServerCharts(new ServerMetrics(series, totals), TIME).totals();

    assertThat(table.replaceAll("<[^>]*>", " ").replaceAll("\\s+", " "))
        .contains("observations 208 ", "Requests running, mean 0.400 ", "most 18 ");
  }

  @Test
  void oneReadingIsADotThatCanBeSeen() {
    series.add(
        new Series(
            "a",
            "requests_waiting",
            Kind.GAUGE,
            Statistic.VALUE,
            "requests",
            List.of(new Point(5, 2))));

    assertThat(charts()).contains("class=\"dots k0\"").doesNotContain("class=\"line k0\"");
  }

  @Test
  void serversThatSaidNothingHaveNeither() {
    assertThat(charts()).isEmpty();
    assertThat(new ServerCharts(ServerMetrics.NONE, TIME).totals()).isEmpty();
  }
}
