package dev.loadgen.rules.logged;

import static dev.loadgen.rules.logged.SubmissionTree.DETAIL;
import static dev.loadgen.rules.logged.SubmissionTree.SERVER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.logged.SubmissionTree.Judged;
import dev.loadgen.rules.logged.SubmissionTree.Of;
import dev.loadgen.rules.ruleset.ScoreRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a round takes is not refused, and what it rests on is said. */
class AcceptedSubmissionsTest {
  private static final Of GPT_OSS = new Of("v6.1", Of.GPT_OSS);
  private static final Of LLAMA = new Of("v6.1", Of.LLAMA);

  private Path temporary;

  @BeforeEach
  void start(@TempDir Path folder) {
    temporary = folder;
  }

  static Stream<Arguments> accepted() {
    return Of.all().stream()
        .flatMap(
            of ->
                SubmissionCase.accepted().stream()
                    .filter(each -> each.applies().test(of))
                    .map(each -> Arguments.of(each, of)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("accepted")
  void noRuleIsBroken(SubmissionCase accepted, Of of) throws IOException {
    Judged judged = accepted.judge(of, null, temporary);

    assertThat(judged.broken()).as(judged.said()).isEmpty();
    assertThat(judged.verdicts())
        .filteredOn(FolderVerdict.Judged.class::isInstance)
        .map(FolderVerdict.Judged.class::cast)
        .isNotEmpty()
        .allSatisfy(
            test -> {
              assertThat(test.test().ruleset()).isEqualTo(of.round());
              assertThat(test.test().benchmark()).isEqualTo(of.benchmark());
            });
  }

  /** Without the word of the submitter nothing is known of scores, nor of answers that are cut. */
  @Test
  void whatIsClaimedIsNoEvidence() throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, GPT_OSS);

    Judged doubted = tree.judge(null, false);
    Judged believed = tree.judge(null, true);

    assertThat(doubted.broken())
        .containsOnly("AccuracyClaimed", "ComplianceClaimed")
        .hasSize(2 + 4);
    assertThat(doubted.said())
        .contains(
            "verify_output_len.txt claims that TEST09 passes, and it cannot be computed:"
                + " mlperf_log_accuracy.json is cut, as submissions require, so the answers are"
                + " missing.");
    assertThat(judged(believed))
        .allSatisfy(
            test ->
                assertThat(test.claimed())
                    .as(test.test().mode())
                    .isEqualTo(!test.test().mode().equals("Performance")));
    assertThat(believed.said())
        .contains("Accepted as claimed: The scores are those that accuracy.txt");
  }

  /** A hundred answers of TEST06 are not cut, so that it is known how they are. */
  @Test
  void whatCanBeComputedIsNotClaimed() throws IOException {
    Judged judged = SubmissionTree.valid(temporary, LLAMA).judge(null, false);

    assertThat(judged.broken()).containsExactly("AccuracyClaimed", "AccuracyClaimed");
  }

  /** Whoever has the whole log elsewhere can score it. */
  @ParameterizedTest
  @CsvSource({"990, 62, ''", "990, 60, ComplianceAccuracyMissed", "989, 62, ComplianceClaimed"})
  void scoresOfTheWholeLogAreEvidence(long samples, double score, String broken)
      throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, GPT_OSS);
    AccuracyScores scores =
        new AccuracyScores(samples, Map.of("exact_match", new ScoreRange(score, score)), List.of());

    Judged judged =
        SubmissionTree.judge(
            tree.folder("Server/TEST07"),
            new FolderJudge.Question(null, null, null, scores, false, SubmissionTree::answers));

    assertThat(String.join(", ", judged.broken())).isEqualTo(broken);
  }

  @Test
  void withoutLoadGensLogAnAuditIsClaimedWhateverItsAnswers() throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, LLAMA);
    tree.delete("Server/TEST06/performance");

    assertThat(tree.judge(null, false).broken()).containsOnlyOnce("ComplianceClaimed");
    assertThat(tree.judge(null, false).said()).contains("LoadGen's log is missing.");
    tree.change(
        "Server/TEST06/accuracy",
        SubmissionTree.ANSWERS,
        text -> text.replace("\"token_count\" : 3", "\"token_count\" : 2"));
    assertThat(tree.judge(null, true).broken()).containsExactly("TokenCountDiffers");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Server",
        "Server/performance",
        "Server/performance/run_1",
        "Server/accuracy",
        "Server/TEST07",
        "Server/TEST09"
      })
  void ofAPartNothingIsMissingThatIsBesideIt(String part) throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, GPT_OSS);

    Judged judged = SubmissionTree.judge(tree.folder(part), null, true);

    assertThat(judged.broken()).as(judged.said()).isEmpty();
  }

  @Test
  void ofAPartWhatIsMissingBelowItIsSaid() throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, GPT_OSS);
    tree.delete("Server/TEST07");
    tree.delete("Offline");

    assertThat(SubmissionTree.judge(tree.folder("Server"), null, true).broken())
        .containsExactly("TestMissing");
    assertThat(SubmissionTree.judge(tree.folder(""), null, true).broken())
        .containsExactly("ScenarioMissing", "TestMissing");
    assertThat(SubmissionTree.judge(tree.folder(SERVER), null, true).broken()).isEmpty();
  }

  /** Up to v5.1 audits lie in a tree beside the results. */
  @Test
  void ofTheResultsAloneNoAuditIsMissingThatLiesElsewhere() throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, new Of("v5.1", Of.LLAMA));

    assertThat(SubmissionTree.judge(tree.folder(""), null, true).broken()).isEmpty();
    assertThat(SubmissionTree.judge(tree.folder("Server/TEST06"), null, true).broken()).isEmpty();
  }

  @Test
  void anUnknownBenchmarkIsNamed() throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, GPT_OSS).named("deepseek-r1");

    assertThat(tree.judge(null, true).said())
        .contains(
            "the benchmark deepseek-r1, as its folder says, is not known here; known are"
                + " [llama3.1-8b, gpt-oss-120b, qwen3-vl-235b-a22b, custom], and --benchmark judges"
                + " it as one of them");
  }

  @Test
  void theRoundIsToldByTheSeeds() throws IOException {
    SubmissionTree tree =
        SubmissionTree.valid(temporary, LLAMA)
            .with(SERVER, "effective_schedule_rng_seed", "3936089224930324775")
            .with(SubmissionTree.OFFLINE, "effective_schedule_rng_seed", "12");

    Judged judged = tree.judge(null, true);

    assertThat(judged(judged)).anyMatch(test -> test.test().ruleset().equals("v6.0"));
    assertThat(judged.said())
        .contains(
            "its seeds do not belong to a known round; name one of [none, v5.1, v6.0,"
                + " v6.1] with --ruleset");
  }

  /** An audit of seeds that no round has is of the round of its scenario, and breaks its rules. */
  @Test
  void anAuditIsOfTheRoundOfItsScenario() throws IOException {
    SubmissionTree tree =
        SubmissionTree.valid(temporary, LLAMA)
            .with("Server/TEST06/performance/run_1", "effective_schedule_rng_seed", "0");

    assertThat(tree.judge(null, true).broken()).containsExactly("SeedsDiffer");
  }

  @Test
  void whatEndpointsRanIsThereAndNotJudged() throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, LLAMA);
    tree.delete("Server");
    tree.write("Server/performance", "result_summary.json", "{}");
    tree.write("Server/accuracy", "accuracy_results.json", "{}");

    Judged judged = tree.judge(null, true);

    assertThat(judged.broken()).containsExactly("unknown", "unknown");
    assertThat(judged.said()).contains("it is from MLCommons endpoints");
    assertThat(judged.submissions())
        .singleElement()
        .satisfies(all -> assertThat(all.scenarios()).containsExactly("Offline", "Server"));
  }

  @Test
  void aTestThatCannotBeReadIsNotMissingBesides() throws IOException {
    Judged judged =
        SubmissionTree.valid(temporary, LLAMA)
            .change(SERVER, DETAIL, text -> "no log")
            .judge(null, true);

    assertThat(judged.broken()).containsExactly("unknown");
    assertThat(judged.said()).contains("holds no line of LoadGen's");
  }

  @Test
  void whatNobodyAsksForCountsForNothing() throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, LLAMA);
    tree.write("Server/performance/ranging", DETAIL, "no log");
    tree.in(Division.OPEN);

    assertThat(tree.judge(null, true).verdicts())
        .filteredOn(FolderVerdict.NotAsked.class::isInstance)
        .extracting(Object::toString)
        .hasSize(3)
        .anyMatch(text -> text.contains("the open division asks for no compliance tests"))
        .anyMatch(text -> text.contains("a submission has its tests in performance/run_1"));
  }

  @Test
  void resultsThatWereTakenBackLeaveNoAuditsToJudge() throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary, new Of("v5.1", Of.LLAMA));
    tree.delete("Server");
    Files.createDirectories(tree.folder(""));

    assertThat(tree.judge(null, true).said()).contains("the results have no Server");
  }

  private static List<FolderVerdict.Judged> judged(Judged all) {
    return all.verdicts().stream()
        .filter(FolderVerdict.Judged.class::isInstance)
        .map(FolderVerdict.Judged.class::cast)
        .toList();
  }
}
