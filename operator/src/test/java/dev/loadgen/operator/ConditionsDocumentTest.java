package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Reasons;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/conditions.md} and the Javadoc of {@link Reasons} together. {@code
 * hack/update.sh} writes the tables; the text before the first of them is written by hand.
 */
@Tag("generated")
class ConditionsDocumentTest {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final Path SOURCE =
      ROOT.resolve("contract/src/main/java/dev/loadgen/contract/Reasons.java");

  private static final Pattern ITEM =
      Pattern.compile(
          "^ {2}// (?<heading>[^\\n]+)$|/\\*\\*(?<doc>(?:(?!\\*/).)*)\\*/\\s+public static final String \\w+ = \"(?<reason>\\w+)\";",
          Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern SENTENCE = Pattern.compile("(?<meaning>.+?\\.) (?<step>[A-Z].*)");

  /** One reason: what it means, and what the user does next. */
  private record Reason(String name, String meaning, String step) {}

  @Test
  void theTablesAreThoseOfTheReasons() throws IOException {
    GeneratedSection.assertCurrent("docs/conditions.md", "\n## Reasons: ", tables());
  }

  @Test
  void everyConstantIsInATable() throws IOException {
    String tables = tables();

    for (Field field : Reasons.class.getFields()) {
      assertThat(Modifier.isStatic(field.getModifiers())).isTrue();
    }
    assertThat(
            Arrays.stream(Reasons.class.getFields())
                .map(ConditionsDocumentTest::valueOf)
                .map(value -> "| `" + value + "` |"))
        .isNotEmpty()
        .allSatisfy(cell -> assertThat(tables).contains(cell));
  }

  private static String valueOf(Field constant) {
    try {
      return String.valueOf(constant.get(null));
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  private static String tables() throws IOException {
    StringBuilder tables = new StringBuilder();
    String heading = "";
    List<Reason> reasons = new ArrayList<>();
    Matcher item = ITEM.matcher(Files.readString(SOURCE));
    while (item.find()) {
      if (item.group("heading") != null) {
        append(tables, heading, reasons);
        heading = item.group("heading");
        reasons.clear();
      } else {
        reasons.add(reason(item.group("reason"), item.group("doc")));
      }
    }
    append(tables, heading, reasons);
    return tables.toString();
  }

  private static Reason reason(String name, String doc) {
    String text =
        doc.replaceAll("(?m)^\\s*\\*", " ")
            .replaceAll("\\s+", " ")
            .replaceAll("\\{@code ([^}]*)\\}", "`$1`")
            .strip();
    Matcher sentence = SENTENCE.matcher(text);
    assertThat(sentence.matches()).as(name + " says a meaning and a next step").isTrue();
    return new Reason(name, sentence.group("meaning"), sentence.group("step"));
  }

  private static void append(StringBuilder tables, String heading, List<Reason> reasons) {
    if (reasons.isEmpty()) {
      return;
    }
    tables.append(tables.isEmpty() ? "" : "\n");
    tables.append("## Reasons: ").append(heading).append("\n\n");
    tables.append("| reason | meaning | next step |\n| --- | --- | --- |\n");
    for (Reason reason : reasons) {
      tables
          .append("| `")
          .append(reason.name())
          .append("` | ")
          .append(reason.meaning())
          .append(" | ")
          .append(reason.step())
          .append(" |\n");
    }
  }
}
