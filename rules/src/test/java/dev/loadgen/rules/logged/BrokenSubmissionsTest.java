package dev.loadgen.rules.logged;

import static dev.loadgen.rules.logged.SubmissionTree.OFFLINE;
import static dev.loadgen.rules.logged.SubmissionTree.OFFLINE_ACCURACY;
import static dev.loadgen.rules.logged.SubmissionTree.OFFLINE_AUDIT;
import static dev.loadgen.rules.logged.SubmissionTree.SERVER;
import static dev.loadgen.rules.logged.SubmissionTree.SERVER_ACCURACY;
import static dev.loadgen.rules.logged.SubmissionTree.SERVER_AUDIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.rules.Logs;
import dev.loadgen.rules.logged.SubmissionTree.Judged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A submission that is valid, and the same with one thing broken at a time. */
class BrokenSubmissionsTest {
  private static final String DETAIL = "mlperf_log_detail.txt";
  private static final String SUMMARY = "mlperf_log_summary.txt";

  private Path temporary;

  @BeforeEach
  void start(@TempDir Path folder) {
    temporary = folder;
  }

  /** Breaks one thing. */
  @FunctionalInterface
  private interface Fault {
    void in(SubmissionTree tree) throws IOException;
  }

  @Test
  void aWholeSubmissionIsValid() throws IOException {
    Judged judged = SubmissionTree.valid(temporary).judge(null, true);

    assertThat(judged.broken()).isEmpty();
    assertThat(judged.verdicts()).hasSize(6);
    assertThat(judged.submissions())
        .singleElement()
        .satisfies(all -> assertThat(all.scenarios()).containsExactly("Offline", "Server"));
    assertThat(judged.verdicts())
        .map(FolderVerdict.Judged.class::cast)
        .allSatisfy(
            test -> {
              assertThat(test.test().ruleset()).isEqualTo("v6.1");
              assertThat(test.test().benchmark()).isEqualTo("llama3.1-8b");
              assertThat(test.test().loadGen()).isEqualTo("6.0.17 @ d6147c7eb7");
            });
  }

  static Stream<Arguments> faults() {
    return Stream.of(
        fault("LoadGenInvalid", "LoadGen says INVALID", BrokenSubmissionsTest::invalid),
        with("LoadGenErrors", SERVER, "num_errors", "3"),
        change(
            "LoadGenErrors",
            OFFLINE_ACCURACY,
            DETAIL,
            text -> text.replaceFirst("\"is_error\": false", "\"is_error\": true")),
        with("EqualIssue", SERVER, "effective_sample_concatenate_permutation", "false"),
        with("SeedsDiffer", SERVER, "effective_qsl_rng_seed", "1"),
        with("SeedsDiffer", OFFLINE, "effective_sample_index_rng_seed", "1"),
        with("SeedsDiffer", OFFLINE_ACCURACY, "effective_qsl_rng_seed", "18446744073709551615"),
        with("SeedsDiffer", SERVER, "effective_schedule_rng_seed", "3936089224930324775"),
        with("PerformanceSampleCount", SERVER, "effective_performance_sample_count", "13367"),
        with("MinDuration", SERVER, "effective_min_duration_ms", "599999"),
        with("MinDuration", OFFLINE, "result_min_duration_met", "false"),
        with("MinQueryCount", SERVER, "result_min_queries_met", "false"),
        with("MinSamples", OFFLINE, "effective_samples_per_query", "13367"),
        with("Ttft", SERVER, "result_first_token_99.00_percentile_latency_ns", "2000000000"),
        with("Ttft", SERVER, "requested_server_ttft_latency", "2001000000"),
        with("Tpot", SERVER, "result_time_per_output_token_99.00_percentile_ns", "100000000"),
        with("EarlyStopping", SERVER, "early_stopping_met", "false"),
        with("EarlyStopping", SERVER, "effective_target_latency_percentile", "0.9"),
        with("SampleChoice", SERVER, "effective_performance_issue_unique", "true"),
        with("SampleChoice", OFFLINE, "effective_performance_issue_same", "true"),
        with("LogOfOtherTest", SERVER, "effective_scenario", "\"Offline\""),
        with("LogOfOtherTest", OFFLINE, "effective_test_mode", "\"AccuracyOnly\""),
        with("LogOfOtherTest", SERVER_ACCURACY, "effective_test_mode", "\"PerformanceOnly\""),
        change("LogIncomplete", SERVER, DETAIL, text -> text.substring(0, text.length() / 2)),
        change("LogIncomplete", OFFLINE_ACCURACY, DETAIL, text -> Logs.without(text, "power_end")),
        change("LogOfSeveralTests", SERVER, DETAIL, text -> text + text),
        change("SummaryDiffers", SERVER, SUMMARY, text -> text.replace("VALID", "INVALID")),
        fault("SummaryDiffers", "no summary", tree -> delete(tree, SERVER + "/" + SUMMARY)),
        change(
            "AccuracyMissed",
            OFFLINE_ACCURACY,
            "accuracy.txt",
            text -> text.replace("38.7792", "38.39")),
        change(
            "AccuracyMissed",
            SERVER_ACCURACY,
            "accuracy.txt",
            text -> text.replace("8167644", "8984409")),
        change(
            "AccuracyPartlyScored",
            SERVER_ACCURACY,
            "accuracy.txt",
            text -> text.replace("'rouge2'", "'rouge3'")),
        change("AccuracyNotScored", SERVER_ACCURACY, "accuracy.txt", text -> "hash=0123"),
        fault(
            "AccuracyNotScored",
            "no accuracy.txt",
            tree -> delete(tree, OFFLINE_ACCURACY + "/accuracy.txt")),
        fault(
            "AnswersMissing",
            "no answers",
            tree -> delete(tree, OFFLINE_ACCURACY + "/mlperf_log_accuracy.json")),
        withAll("AccuracySampleCount", OFFLINE_ACCURACY, "generated_samples_per_query", "5000")
            .and("effective_accuracy_sample_count", "5000")
            .arguments(),
        fault("TestMissing", "no accuracy test", tree -> delete(tree, SERVER_ACCURACY)),
        fault("TestMissing", "no performance test", tree -> delete(tree, OFFLINE)),
        fault("ScenarioMissing", "no Offline", tree -> delete(tree, "Offline")),
        fault("ScenarioMissing", "no Server", tree -> delete(tree, "Server")),
        fault("TestMissing", "no TEST06", tree -> delete(tree, "Server/TEST06")),
        with("AuditSettings", SERVER_AUDIT, "requested_accuracy_log_sampling_target", "99"),
        with("SeedsDiffer", OFFLINE_AUDIT, "effective_qsl_rng_seed", "1"),
        fault(
            "AuditNotRead",
            "a performance test in place of an audit",
            tree -> tree.change(SERVER_AUDIT, DETAIL, text -> Logs.text("v61-server"))),
        fault(
            "AuditInEffect",
            "an audit in place of a performance test",
            tree -> tree.change(SERVER, DETAIL, text -> Logs.text("audit-test06-server"))),
        fault("FolderName", "lower case", tree -> rename(tree, "Server", "server")),
        fault(
            "Ttft",
            "Server's limits under the name of Interactive",
            tree -> rename(tree, "Server", "Interactive")));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("faults")
  void whatIsBrokenIsFound(String rule, String what, Fault fault) throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary);

    fault.in(tree);

    assertThat(tree.judge("v6.1", true).broken()).as(what).contains(rule);
  }

  @Test
  void scoresThatAreClaimedAreNoEvidence() throws IOException {
    Judged judged = SubmissionTree.valid(temporary).judge(null, false);

    assertThat(judged.broken()).containsExactly("AccuracyClaimed", "AccuracyClaimed");
  }

  @Test
  void theRoundIsToldByTheSeeds() throws IOException {
    SubmissionTree tree =
        SubmissionTree.valid(temporary)
            .with(SERVER, "effective_schedule_rng_seed", "3936089224930324775")
            .with(OFFLINE, "effective_schedule_rng_seed", "12");

    assertThat(tree.judge(null, true).verdicts())
        .anySatisfy(
            verdict ->
                assertThat(verdict)
                    .isInstanceOfSatisfying(
                        FolderVerdict.Judged.class,
                        judged -> assertThat(judged.test().ruleset()).isEqualTo("v6.0")))
        .anySatisfy(
            verdict ->
                assertThat(verdict.toString())
                    .contains(
                        "its seeds are those of no round that is known here; name one of [none, v5.1, v6.0, v6.1] with --ruleset"));
  }

  @Test
  void whatEndpointsRanIsThereAndNotJudged() throws IOException {
    SubmissionTree tree = SubmissionTree.valid(temporary);
    delete(tree, "Server");
    for (String file :
        List.of("performance/result_summary.json", "accuracy/accuracy_results.json")) {
      Path path = tree.folder("Server").resolve(file);
      Files.createDirectories(path.getParent());
      Files.writeString(path, "{}");
    }

    Judged judged = tree.judge(null, true);

    assertThat(judged.broken()).containsExactly("unknown", "unknown");
    assertThat(judged.verdicts())
        .filteredOn(FolderVerdict.Unknown.class::isInstance)
        .hasSize(2)
        .allSatisfy(
            verdict -> assertThat(verdict.toString()).contains("it is of MLCommons endpoints"));
    assertThat(judged.submissions())
        .singleElement()
        .satisfies(all -> assertThat(all.scenarios()).containsExactly("Offline", "Server"));
  }

  @Test
  void aTestThatCannotBeReadIsNotMissingBesides() throws IOException {
    Judged judged =
        SubmissionTree.valid(temporary).change(SERVER, DETAIL, text -> "no log").judge(null, true);

    assertThat(judged.broken()).containsExactly("unknown");
    assertThat(judged.verdicts())
        .filteredOn(FolderVerdict.Unknown.class::isInstance)
        .singleElement()
        .asString()
        .contains("holds no line of LoadGen's");
  }

  private record With(String rule, String folder, List<String> keysAndValues) {
    With and(String key, String value) {
      return new With(
          rule, folder, Stream.concat(keysAndValues.stream(), Stream.of(key, value)).toList());
    }

    Arguments arguments() {
      return fault(
          rule,
          folder + " " + keysAndValues,
          tree -> {
            for (int i = 0; i < keysAndValues.size(); i += 2) {
              tree.with(folder, keysAndValues.get(i), keysAndValues.get(i + 1));
            }
          });
    }
  }

  private static With withAll(String rule, String folder, String key, String value) {
    return new With(rule, folder, List.of(key, value));
  }

  private static Arguments with(String rule, String folder, String key, String value) {
    return withAll(rule, folder, key, value).arguments();
  }

  private static Arguments change(
      String rule, String folder, String file, java.util.function.UnaryOperator<String> change) {
    return fault(rule, folder + "/" + file, tree -> tree.change(folder, file, change));
  }

  private static Arguments fault(String rule, String what, Fault fault) {
    return Arguments.of(rule, what, fault);
  }

  private static void invalid(SubmissionTree tree) throws IOException {
    tree.with(SERVER, "result_validity", "\"INVALID\"")
        .change(SERVER, SUMMARY, text -> text.replace("VALID", "INVALID"));
  }

  private static void delete(SubmissionTree tree, String below) throws IOException {
    try (Stream<Path> files = Files.walk(tree.folder(below))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void rename(SubmissionTree tree, String from, String to) throws IOException {
    Files.move(tree.folder(from), tree.folder(to));
  }
}
