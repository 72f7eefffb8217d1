package dev.loadgen.rules.logged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.logged.SubmissionTree.Judged;
import dev.loadgen.rules.logged.SubmissionTree.Of;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A submission that is valid, and the same with one thing broken at a time: every benchmark of
 * every round. {@code hack/checker} has the same judged by MLCommons' own submission checker.
 */
class BrokenSubmissionsTest {
  static Stream<Arguments> broken() {
    return Of.all().stream()
        .flatMap(
            of ->
                SubmissionCase.broken().stream()
                    .filter(each -> each.applies().test(of))
                    .map(each -> Arguments.of(each, of)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("broken")
  void whatIsBrokenIsFound(SubmissionCase broken, Of of, @TempDir Path folder) throws IOException {
    Judged judged = broken.judge(of, of.round(), folder);

    assertThat(judged.broken()).as(judged.said()).contains(broken.rule());
  }

  /** These are no want of evidence, which a claim could make up for. */
  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "Offline without token latencies",
        "the summary of another test",
        "a target latency above the bound",
        "no hash",
        "a verify file that says FAIL"
      })
  void itIsInvalidWhetherClaimsAreBelievedOrNot(String title, @TempDir Path folder)
      throws IOException {
    SubmissionCase broken =
        SubmissionCase.broken().stream()
            .filter(each -> each.title().equals(title))
            .findFirst()
            .orElseThrow();
    SubmissionTree tree = SubmissionTree.valid(folder, new Of("v6.1", Of.GPT_OSS));
    broken.change().in(tree);

    for (boolean believed : new boolean[] {false, true}) {
      assertThat(tree.judge(null, believed).verdicts())
          .map(FolderVerdict.Judged.class::cast)
          .filteredOn(test -> test.judgement().verdict() == Verdict.Invalid)
          .isNotEmpty()
          .allSatisfy(
              test ->
                  assertThat(test.judgement().findings().getFirst().rule())
                      .isEqualTo(broken.rule()));
    }
  }
}
