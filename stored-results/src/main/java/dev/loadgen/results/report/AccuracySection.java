package dev.loadgen.results.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.ScoreRange;
import org.jspecify.annotations.Nullable;

/** The scores of an accuracy run, each beside what its round asks for. */
final class AccuracySection {
  private AccuracySection() {}

  /**
   * The section's content.
   *
   * @param accuracy {@code accuracy.json}
   */
  static String html(JsonNode accuracy) {
    Html html = new Html();
    html.element(
        "p",
        accuracy.path("evaluator").asText()
            + ", over "
            + Numbers.count(accuracy.path("samples").asLong())
            + " samples.",
        "class",
        "soft");
    Table scores = new Table("score", "value", "asked for");
    accuracy.path("scores").forEach(score -> row(scores, score));
    html.markup(scores);
    accuracy.path("notes").forEach(note -> html.element("p", note.asText()));
    if (!accuracy.path("parts").isEmpty()) {
      html.markup(parts(accuracy.path("parts")));
    }
    if (!accuracy.path("counts").isEmpty()) {
      html.markup(Settings.html("Counts", accuracy.path("counts")));
    }
    return html.toString();
  }

  private static void row(Table table, JsonNode score) {
    String name = score.path("name").asText();
    // Where a part of the answers could not be scored, a score is a range.
    double least = score.path("value").asDouble(score.path("atLeast").asDouble());
    double most = score.path("value").asDouble(score.path("atMost").asDouble());
    String value =
        least == most
            ? Numbers.number(least)
            : Numbers.number(least) + " to " + Numbers.number(most);
    Double min = number(score.path("minimum"));
    Double max = number(score.path("maximum"));
    if (min == null && max == null) {
      table.row(name, value, "–");
      return;
    }
    AccuracyGate gate = new AccuracyGate(name, null, min, max, score.path("source").asText(), null);
    String sign =
        switch (gate.check(new ScoreRange(least, most))) {
          case MET -> Table.GOOD;
          case MISSED -> Table.BAD;
          case UNKNOWN -> Table.OPEN;
        };
    table.row(name, value, sign + gate.bounds());
  }

  private static @Nullable Double number(JsonNode node) {
    return node.isNumber() ? node.doubleValue() : null;
  }

  private static String parts(JsonNode parts) {
    Table table = new Table("part", "right", "not scored", "answers", "times asked");
    for (JsonNode part : parts) {
      table.row(
          part.path("name").asText(),
          Numbers.count(part.path("correct").asLong()),
          Numbers.count(part.path("unknown").asLong()),
          Numbers.count(part.path("total").asLong()),
          Numbers.count(part.path("repeats").asLong()));
    }
    return table.toString();
  }
}
