package dev.loadgen.rules.logged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.rules.ruleset.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/submission-checker.md} names rules and submissions that exist, and all of these. */
class CheckerPageTest {
  private static final Path PAGE = Path.of("../docs/submission-checker.md");

  /** In these nothing is unusual. */
  private static final Set<String> PLAIN = Set.of("nothing", "open: as closed");

  private static final Map<String, SubmissionCase> CASES =
      Stream.concat(SubmissionCase.accepted().stream(), SubmissionCase.broken().stream())
          .collect(Collectors.toMap(SubmissionCase::title, Function.identity(), (a, b) -> b));

  /** A row of a table: a check, its rules here, and submissions that show it. */
  private record Row(String check, List<String> rules, List<String> submissions) {
    static Row of(String line) {
      List<String> cells = Arrays.stream(line.split("\\|")).map(String::strip).toList();
      return new Row(
          cells.get(1),
          Arrays.stream(cells.get(3).split(", ")).map(rule -> rule.replace("`", "")).toList(),
          List.of(cells.get(4).split("; ")));
    }
  }

  private static List<Row> rows() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .filter(line -> line.matches("\\|( [^|]+ \\|){4}"))
        .filter(line -> !line.startsWith("| check |") && !line.startsWith("| --- |"))
        .map(Row::of)
        .toList();
  }

  @Test
  void everyRowNamesRulesAndSubmissionsThatExist() throws IOException {
    Set<String> rules = Rule.all().stream().map(Rule::name).collect(Collectors.toSet());
    rules.add("unknown");

    assertThat(rows())
        .hasSizeGreaterThan(30)
        .allSatisfy(
            row -> {
              assertThat(rules).as(row.check()).containsAll(row.rules());
              assertThat(CASES.keySet()).as(row.check()).containsAll(row.submissions());
            });
  }

  @Test
  void everySubmissionStandsBesideItsRule() throws IOException {
    Set<String> named = new HashSet<>(PLAIN);
    for (Row row : rows()) {
      for (String title : row.submissions()) {
        SubmissionCase submission = CASES.get(title);
        if (submission != null
            && (submission.rule().isEmpty() || row.rules().contains(submission.rule()))) {
          named.add(title);
        }
      }
    }

    assertThat(named).containsExactlyInAnyOrderElementsOf(CASES.keySet());
  }
}
