package dev.loadgen.rules.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.ruleset.Rule;
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

    assertThat(finding.effect()).isEqualTo(Verdict.Inconclusive);
    assertThat(finding.source()).isEqualTo(Rule.named("ClientLimited").source());
    assertThatThrownBy(() -> new Finding("NoSuchRule", "it was", "mend it"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no rule NoSuchRule in rules.yaml");
  }

  /** Whoever wants to know what a verdict can rest on reads one module. */
  @Test
  void everyRuleIsFoundHere() throws IOException {
    List<String> sources = mainSources(Path.of("src", "main", "java"));

    assertThat(Rule.all())
        .allSatisfy(
            rule ->
                assertThat(sources)
                    .as(rule.name())
                    .anyMatch(source -> source.contains('"' + rule.name() + '"')));
  }

  @Test
  void nobodyElseMakesFindings() throws IOException {
    List<String> finders = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path module : modules.filter(each -> !each.endsWith("rules")).toList()) {
        for (Path file : javaFiles(module.resolve(Path.of("src", "main", "java")))) {
          if (Files.readString(file).contains("new Finding(")) {
            finders.add(file.toString());
          }
        }
      }
    }

    assertThat(mainSources(Path.of("src", "main", "java")))
        .as("what is looked for")
        .anyMatch(source -> source.contains("new Finding("));
    assertThat(finders).isEmpty();
  }

  private static List<String> mainSources(Path folder) throws IOException {
    List<String> sources = new ArrayList<>();
    for (Path file : javaFiles(folder)) {
      sources.add(Files.readString(file));
    }
    return sources;
  }

  private static List<Path> javaFiles(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(each -> each.toString().endsWith(".java")).toList();
    }
  }
}
