package dev.loadgen.runner.report;

import static dev.loadgen.runner.report.Html.escaped;

import dev.loadgen.api.v1alpha1.RunResult;
import dev.loadgen.api.v1alpha1.RunResult.Percentiles;
import dev.loadgen.api.v1alpha1.RunResult.ReplicaResult;
import dev.loadgen.api.v1alpha1.VerdictReason;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.runner.client.RequestFailure;
import dev.loadgen.runner.dispatch.SampleRecord;
import dev.loadgen.runner.report.Chart.Style;
import dev.loadgen.runner.results.Measurement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Writes {@code report.html}: verdict, result, charts, replicas, failures, environment, plan. */
public final class HtmlReport {
  private static final double NANOS_PER_MILLI = 1e6;

  private final RunPlan plan;
  private final RunSummary summary;
  private final @Nullable Measurement measurement;
  private final Map<String, Object> environment;

  /**
   * The report of one run.
   *
   * @param measurement null if the test did not begin
   * @param environment as in {@code environment.json}
   */
  public HtmlReport(
      RunPlan plan,
      RunSummary summary,
      @Nullable Measurement measurement,
      Map<String, Object> environment) {
    this.plan = plan;
    this.summary = summary;
    this.measurement = measurement;
    this.environment = environment;
  }

  /** The whole file. */
  public String html() {
    StringBuilder html = new StringBuilder();
    String name = escaped(plan.run().name());
    html.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.append("<title>")
        .append(name)
        .append("</title>\n<style>\n")
        .append(STYLE)
        .append("</style>\n</head>\n<body>\n");
    header(html, name);
    reasons(html);
    if (summary.result() != null) {
      result(html, summary.result());
    }
    if (measurement != null && !measurement.samples().isEmpty()) {
      charts(html, measurement);
      failures(html, measurement);
    }
    if (summary.result() != null) {
      replicas(html, summary.result());
    }
    details(html, "Environment", ContractJson.writePretty(environment));
    details(html, "Plan", ContractJson.writePretty(plan));
    return html.append("</body>\n</html>\n").toString();
  }

  private void header(StringBuilder html, String name) {
    String verdict =
        summary.failure() != null
            ? "Failed"
            : summary.verdict() == null ? "" : summary.verdict().name();
    html.append("<header>\n<h1>")
        .append(name)
        .append(" <span class=\"verdict ")
        .append(verdict)
        .append("\">");
    html.append(verdict).append("</span></h1>\n<p>");
    html.append(
        escaped(
            String.join(
                " · ",
                plan.test().benchmark(),
                plan.test().scenario().name(),
                plan.test().mode().name(),
                "ruleset " + plan.test().ruleset(),
                plan.server().engine().name() + " " + plan.server().endpointType().name(),
                plan.server().replicas().size() == 1
                    ? "1 replica"
                    : plan.server().replicas().size() + " replicas",
                summary.startedAt())));
    html.append("</p>\n");
    if (plan.test().ruleset().equals("none")) {
      html.append(
          "<p>Judged by ruleset <code>none</code>: LoadGen's own rules with the settings of this run.");
      html.append(" This is not an MLPerf result.</p>\n");
    }
    html.append("</header>\n");
  }

  private void reasons(StringBuilder html) {
    if (summary.failure() != null) {
      html.append("<section class=\"reasons\"><h2>")
          .append(escaped(summary.failure().reason()))
          .append("</h2><p>");
      html.append(escaped(summary.failure().message())).append("</p></section>\n");
    }
    if (summary.verdictReasons().isEmpty()) {
      return;
    }
    html.append("<section class=\"reasons\"><h2>Why</h2>\n<dl>\n");
    for (VerdictReason reason : summary.verdictReasons()) {
      html.append("<dt>")
          .append(escaped(reason.rule()))
          .append("</dt><dd>")
          .append(escaped(reason.message()));
      html.append("<br><span class=\"fix\">")
          .append(escaped(reason.fix()))
          .append("</span></dd>\n");
    }
    html.append("</dl></section>\n");
  }

  private static void result(StringBuilder html, RunResult result) {
    html.append("<section>\n<h2>Result</h2>\n<div class=\"figures\">\n");
    if (result.value() != null) {
      figure(html, number(result.value()), result.unit(), result.metric());
    }
    figure(
        html,
        number(result.tokensPerSecond()),
        "tokens/s",
        "output, first issue to last completion");
    figure(html, number(result.samplesPerSecond()), "samples/s", "first issue to last completion");
    figure(html, number(result.durationSeconds()), "s", "first issue to last completion");
    figure(
        html, String.format(Locale.ROOT, "%,d", result.completed()), "samples", "answered in full");
    figure(html, String.format(Locale.ROOT, "%,d", result.failed()), "samples", "failed");
    html.append(
        "</div>\n<table>\n<thead><tr><th>milliseconds</th><th>mean</th><th>p50</th><th>p90</th><th>p99</th>");
    html.append("<th>max</th></tr></thead>\n<tbody>\n");
    row(html, "Time to first token", result.ttft());
    row(html, "Time per output token", result.tpot());
    row(html, "Latency", result.latency());
    html.append("</tbody></table>\n");
    if (result.tokenCountSource() != null) {
      html.append("<p>").append(String.format(Locale.ROOT, "%,d", result.outputTokens()));
      html.append(" output tokens, counted by the server's <code>")
          .append(escaped(result.tokenCountSource()));
      html.append("</code>.</p>\n");
    }
    html.append("</section>\n");
  }

  private static void figure(
      StringBuilder html, String value, @Nullable String unit, @Nullable String label) {
    html.append("<div><b>")
        .append(escaped(value))
        .append("</b> ")
        .append(escaped(unit == null ? "" : unit));
    html.append("<small>").append(escaped(label == null ? "" : label)).append("</small></div>\n");
  }

  private static void row(StringBuilder html, String name, @Nullable Percentiles p) {
    html.append("<tr><th>").append(name).append("</th>");
    if (p == null) {
      html.append("<td colspan=\"5\">not measured</td>");
    } else {
      for (Double value : List.of(p.mean(), p.p50(), p.p90(), p.p99(), p.max())) {
        html.append("<td>").append(number(value)).append("</td>");
      }
    }
    html.append("</tr>\n");
  }

  private void charts(StringBuilder html, Measurement measured) {
    List<SampleRecord> all = measured.samples();
    List<SampleRecord> answered = all.stream().filter(SampleRecord::succeeded).toList();
    List<SampleRecord> streamed =
        answered.stream().filter(sample -> sample.firstToken() != 0).toList();
    List<SampleRecord> spaced = streamed.stream().filter(sample -> sample.tokens() > 1).toList();
    long origin = all.stream().mapToLong(SampleRecord::issued).min().orElse(0);
    double seconds = Math.max(measured.durationSeconds(), 1e-3);
    ToDoubleFunction<SampleRecord> latency =
        sample -> (sample.ended() - sample.issued()) / NANOS_PER_MILLI;
    ToDoubleFunction<SampleRecord> ttft =
        sample -> (sample.firstToken() - sample.issued()) / NANOS_PER_MILLI;
    ToDoubleFunction<SampleRecord> tpot =
        sample -> (sample.ended() - sample.firstToken()) / NANOS_PER_MILLI / (sample.tokens() - 1);
    html.append("<section>\n<h2>Charts</h2>\n<div class=\"charts\">\n");
    if (!streamed.isEmpty()) {
      distribution(html, "Time to first token", streamed, ttft, plan.test().ttftLimitMs());
    }
    if (!spaced.isEmpty()) {
      distribution(html, "Time per output token", spaced, tpot, plan.test().tpotLimitMs());
    }
    if (!answered.isEmpty()) {
      distribution(html, "Latency", answered, latency, plan.test().latencyLimitMs());
      Chart over = new Chart("Latency over time", "seconds since the first query", "ms");
      over.with("latency", Style.DOTS, Series.overTime(answered, origin, latency));
      if (!streamed.isEmpty()) {
        over.with("TTFT", Style.DOTS, Series.overTime(streamed, origin, ttft));
      }
      html.append(over.svg());
    }
    html.append(
        new Chart("Samples in flight", "seconds since the first query", "samples")
            .with("in flight", Style.STEP, Series.inFlight(all, origin, seconds))
            .svg());
    html.append(
        new Chart("Output tokens", "seconds since the first query", "tokens/s")
            .with("tokens/s", Style.STEP, Series.tokenRate(all, origin, seconds))
            .svg());
    html.append("</div>\n</section>\n");
  }

  private static void distribution(
      StringBuilder html,
      String name,
      List<SampleRecord> samples,
      ToDoubleFunction<SampleRecord> value,
      @Nullable Double limit) {
    double[] sorted = samples.stream().mapToDouble(value).sorted().toArray();
    Chart chart =
        new Chart(name, "ms", "% of samples")
            .with(name, Style.LINE, Series.distribution(samples, value))
            .marked(
                "p99 " + number(sorted[Math.max(0, (int) Math.ceil(0.99 * sorted.length) - 1)]),
                sorted[Math.max(0, (int) Math.ceil(0.99 * sorted.length) - 1)]);
    // A limit far to the right would squeeze the curve into a corner.
    if (limit != null && limit <= 3 * sorted[sorted.length - 1]) {
      chart.marked("limit " + number(limit), limit);
    }
    html.append(chart.svg());
  }

  private static void failures(StringBuilder html, Measurement measured) {
    Map<RequestFailure.Kind, Measurement.Failures> failures = measured.failures();
    if (failures.isEmpty()) {
      return;
    }
    html.append("<section>\n<h2>Failures</h2>\n<table>\n<thead><tr><th>kind</th><th>samples</th>");
    html.append("<th class=\"text\">the first one</th></tr></thead>\n<tbody>\n");
    failures.forEach(
        (kind, seen) ->
            html.append(
                String.format(
                    Locale.ROOT,
                    "<tr><th>%s</th><td>%,d</td><td class=\"text\">%s</td></tr>%n",
                    kind,
                    seen.count(),
                    escaped(seen.example()))));
    html.append("</tbody></table>\n</section>\n");
  }

  private void replicas(StringBuilder html, RunResult result) {
    if (result.replicas() == null) {
      return;
    }
    html.append(
        "<section>\n<h2>Replicas</h2>\n<table>\n<thead><tr><th>replica</th><th>answered</th><th>failed</th>");
    html.append(
        "<th>output tokens</th><th>latency p50 ms</th><th>latency p99 ms</th></tr></thead>\n<tbody>\n");
    for (ReplicaResult replica : result.replicas()) {
      html.append(
          String.format(
              Locale.ROOT,
              "<tr><th>%s</th><td>%,d</td><td>%,d</td><td>%,d</td><td>%s</td><td>%s</td></tr>%n",
              escaped(replica.name()),
              replica.completed(),
              replica.failed(),
              replica.outputTokens(),
              number(replica.latencyP50()),
              number(replica.latencyP99())));
    }
    html.append("</tbody></table>\n</section>\n");
  }

  private static void details(StringBuilder html, String title, String content) {
    html.append("<details><summary>")
        .append(title)
        .append("</summary><pre>")
        .append(escaped(content));
    html.append("</pre></details>\n");
  }

  private static String number(@Nullable Double value) {
    if (value == null) {
      return "–";
    }
    double size = Math.abs(value);
    return String.format(
        Locale.ROOT, size >= 1000 ? "%,.0f" : size >= 100 ? "%,.1f" : "%,.2f", value);
  }

  private static final String STYLE =
      """
      :root { color-scheme: light dark; --ink: #1d2330; --soft: #667085; --line: #e3e6ec; --page: #fff; --card: #f7f8fa;
        --c1: #2563eb; --c2: #d97706; --good: #15803d; --bad: #b91c1c; --open: #a16207; }
      @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #2c3442; --page: #12161d;
        --card: #1a202a; --c1: #6ea8fe; --c2: #f0a94b; --good: #4ade80; --bad: #f87171; --open: #facc15; } }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 1200px;
        margin: 0 auto; padding: 24px; }
      h1 { font-size: 26px; margin: 0; } h2 { font-size: 17px; margin: 28px 0 10px; } header p { color: var(--soft); margin: 4px 0; }
      .verdict { font-size: 15px; vertical-align: middle; padding: 3px 10px; border-radius: 12px; border: 1.5px solid; }
      .Valid { color: var(--good); } .Invalid, .Failed { color: var(--bad); } .Inconclusive { color: var(--open); }
      .reasons dt { font-weight: 600; } .reasons dd { margin: 0 0 10px; } .fix { color: var(--soft); }
      .figures { display: flex; flex-wrap: wrap; gap: 12px; margin-bottom: 16px; }
      .figures div { background: var(--card); border-radius: 8px; padding: 10px 16px; }
      .figures b { font-size: 22px; } .figures small { display: block; color: var(--soft); }
      table { border-collapse: collapse; } td, th { padding: 5px 14px; border-bottom: 1px solid var(--line); text-align: right;
        font-variant-numeric: tabular-nums; } th:first-child, .text { text-align: left; } thead th { color: var(--soft); font-weight: 500; }
      .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 16px; }
      svg { width: 100%; background: var(--card); border-radius: 8px; } svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
      svg .title { font-size: 13px; font-weight: 600; fill: var(--ink); } svg .grid { stroke: var(--line); } svg .axis { stroke: var(--soft); }
      svg .line { fill: none; stroke-width: 1.8; } svg .line.c1 { stroke: var(--c1); } svg .line.c2 { stroke: var(--c2); }
      svg .dots.c1, svg .key.c1 { fill: var(--c1); } svg .dots.c2, svg .key.c2 { fill: var(--c2); } svg .dots { fill-opacity: .55; }
      svg .marker { stroke: var(--bad); stroke-dasharray: 4 3; } svg .mark { fill: var(--bad); }
      pre { background: var(--card); border-radius: 8px; padding: 12px; overflow-x: auto; font-size: 12.5px; }
      summary { cursor: pointer; font-weight: 600; margin-top: 20px; }
      @media print { body { padding: 0; } details { display: none; } svg, .figures div { break-inside: avoid; } }
      """;
}
