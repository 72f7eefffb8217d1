package dev.loadgen.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RuleTest {
  @Test
  void everyRuleIsASentenceWithASource() {
    assertThat(Rule.all())
        .hasSizeGreaterThan(30)
        .allSatisfy(
            rule -> {
              assertThat(rule.name()).matches("([A-Z][a-z0-9]+)+");
              assertThat(rule.asks()).matches("[A-Z].*\\.");
              assertThat(rule.source()).isNotBlank();
            });
  }

  @Test
  void aFindingBreaksARuleOfTheCatalogue() {
    Finding finding = new Finding("ClientLimited", "it was", "use more CPU");

    assertThat(finding.effect()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(finding.source()).isEqualTo(Rule.named("ClientLimited").source());
    assertThatThrownBy(() -> new Finding("NoSuchRule", "it was", "mend it"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no rule NoSuchRule in rules.yaml");
  }

  @Test
  void everyRuleIsFoundBySomebody() throws IOException {
    List<String> sources = new ArrayList<>();
    for (String module : List.of("rules", "stored-results", "runner", "operator")) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          sources.add(Files.readString(file));
        }
      }
    }

    assertThat(Rule.all())
        .allSatisfy(
            rule ->
                assertThat(sources)
                    .as(rule.name())
                    .anyMatch(source -> source.contains('"' + rule.name() + '"')));
  }
}
