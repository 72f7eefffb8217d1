package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.api.v1alpha1.EventReasons;
import dev.loadgen.contract.Reasons;
import dev.loadgen.reconcile.ScrapedMetrics;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Holds the tables of {@code docs/monitoring.md} to what the operator serves, to the Javadoc of
 * {@link EventReasons} and to the alerts. {@code hack/update.sh} writes them; the text before the
 * first of them is written by hand.
 */
@Tag("generated")
class MonitoringDocumentTest {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final Path REASONS =
      ROOT.resolve("crds/src/main/java/dev/loadgen/api/v1alpha1/EventReasons.java");
  private static final String FIRST = "\n## Metrics of the operator\n";
  private static final Pattern REASON =
      Pattern.compile(
          "/\\*\\*(?<doc>(?:(?!\\*/).)*)\\*/\\s+public static final String \\w+ ="
              + " \"(?<reason>\\w+)\";",
          Pattern.DOTALL);

  @Test
  void theTablesAreThoseOfTheCode() throws IOException {
    GeneratedSection.assertCurrent(
        "docs/monitoring.md", FIRST, metrics() + "\n" + events() + "\n" + alerts());
  }

  @Test
  void noReasonOfAnEventIsThatOfACondition() throws IOException {
    String conditions =
        Files.readString(ROOT.resolve("contract/src/main/java/dev/loadgen/contract/Reasons.java"));
    Matcher reason = REASON.matcher(Files.readString(REASONS));
    int found = 0;
    while (reason.find()) {
      found++;
      assertThat(conditions).doesNotContain("\"" + reason.group("reason") + "\"");
    }

    assertThat(found).isEqualTo(EventReasons.class.getFields().length).isPositive();
    assertThat(conditions).contains("\"" + Reasons.TEST_ENDED + "\"");
  }

  private static String metrics() {
    StringBuilder table = new StringBuilder(FIRST.strip());
    table.append("\n\n| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n");
    try (OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC())) {
      ScrapedMetrics.of(metrics.scrape())
          .families()
          .forEach(
              (name, family) -> {
                if (name.startsWith("loadgen_operator_") && !name.endsWith("_max")) {
                  String labels =
                      String.join(
                          ", ",
                          family.labels().stream()
                              .filter(label -> !label.equals("le"))
                              .map(label -> "`" + label + "`")
                              .toList());
                  row(table, "`" + name + "`", family.type(), labels, family.help());
                }
              });
    }
    return table.toString();
  }

  private static String events() throws IOException {
    StringBuilder table = new StringBuilder("## Events that no condition has\n\n");
    table.append("| reason | meaning |\n| --- | --- |\n");
    Matcher reason = REASON.matcher(Files.readString(REASONS));
    while (reason.find()) {
      String meaning =
          reason.group("doc").replaceAll("(?m)^\\s*\\*", " ").replaceAll("\\s+", " ").strip();
      row(table, "`" + reason.group("reason") + "`", meaning);
    }
    return table.toString();
  }

  private static String alerts() throws IOException {
    StringBuilder table = new StringBuilder("## Alerts\n\n");
    table.append("| alert | severity | when | for |\n| --- | --- | --- | --- |\n");
    for (JsonNode alert : MonitoringFilesTest.alerts()) {
      row(
          table,
          "`" + alert.path("alert").asText() + "`",
          alert.at("/labels/severity").asText(),
          alert.at("/annotations/summary").asText(),
          alert.path("for").asText());
    }
    return table.toString();
  }

  private static void row(StringBuilder table, String... cells) {
    table.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }
}
