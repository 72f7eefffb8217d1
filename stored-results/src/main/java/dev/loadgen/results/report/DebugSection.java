package dev.loadgen.results.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;

/** What a run in debug mode has kept besides: statistics of tokens, and phases of requests. */
final class DebugSection {
  private DebugSection() {}

  /**
   * The section's content.
   *
   * @param tokens {@code debug/token-statistics.json}: distributions by what they are of
   * @param phases {@code debug/phases.json}: distributions in milliseconds by phase
   */
  static String html(JsonNode tokens, JsonNode phases) {
    Html html = new Html();
    if (!phases.isEmpty()) {
      html.markup(distributions("phase of a request, ms", phases));
    }
    if (!tokens.isEmpty()) {
      html.markup(distributions("tokens", tokens));
      html.open("div", "class", "charts");
      html.markup(histogram("Input tokens per sample", "tokens", tokens.path("input")));
      html.markup(
          histogram(
              "Output tokens per input token", "output over input", tokens.path("outputPerInput")));
      html.close("div");
    }
    return html.toString();
  }

  private static String distributions(String heading, JsonNode named) {
    Table table = new Table(heading, "samples", "mean", "p50", "p90", "p99", "max");
    for (Map.Entry<String, JsonNode> entry : named.properties()) {
      JsonNode of = entry.getValue();
      table.row(
          entry.getKey(),
          Numbers.count(of.path("count").asLong()),
          Numbers.number(of.path("mean").asDouble()),
          Numbers.number(of.path("p50").asDouble()),
          Numbers.number(of.path("p90").asDouble()),
          Numbers.number(of.path("p99").asDouble()),
          Numbers.number(of.path("max").asDouble()));
    }
    return table.toString();
  }

  private static String histogram(String title, String unit, JsonNode distribution) {
    JsonNode bins = distribution.path("histogram");
    double min = distribution.path("min").asDouble();
    double max = distribution.path("max").asDouble();
    double count = distribution.path("count").asDouble();
    if (bins.size() < 2 || !(max > min)) {
      return "";
    }
    double[] shares =
        IntStream.range(0, bins.size())
            .mapToDouble(i -> 100 * bins.get(i).path("count").asDouble() / count)
            .toArray();
    Axis y = Axis.upTo(Arrays.stream(shares).max().orElse(0));
    return Chart.of(title, Axis.around(min, max), unit, y, "% of samples per bar")
        .bars(0, min, max, shares)
        .fact("mean " + Numbers.number(distribution.path("mean").asDouble()))
        .fact("p99 " + Numbers.number(distribution.path("p99").asDouble()))
        .fact("max " + Numbers.number(max))
        .figure();
  }
}
