package dev.loadgen.rules.logged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.fuzz.Fuzz;
import dev.loadgen.fuzz.Mutations;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Logs;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.Ruleset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever LoadGen's logs hold: they are read, and judged or called unknown. */
class LogsFuzzTest {
  private static final List<String> LOGS =
      List.of("v61-server", "v61-offline", "v61-accuracy", "server-late", "single-stream");
  private static final List<String> TEXTS = LOGS.stream().map(Logs::text).toList();
  private static final List<String> KEYS =
      List.of(
          "effective_scenario",
          "effective_test_mode",
          "effective_schedule_rng_seed",
          "requested_server_ttft_latency",
          "result_validity",
          "result_invalid_reason",
          "result_first_token_99.00_percentile_latency_ns",
          "result_completed_tokens_per_second",
          "generated_samples_per_query",
          "num_errors",
          "loadgen_version");
  private static final String CLAIMS =
      "{'rouge1': '38.7792', 'rouge2': '15.9075', 'rougeL': '24.4957', 'rougeLsum': '35.793',"
          + " 'gen_len': 8167644, 'gen_num': 13368}\nhash=0123\n";

  /** Lines of a log, of which some are lost, doubled or cut, and some have other values. */
  private static byte[] log(Mutations change) {
    List<String> lines = new ArrayList<>(Arrays.asList(change.oneOf(TEXTS).split("\n", -1)));
    for (int edits = 1 + change.below(6); edits > 0; edits--) {
      int at = change.below(lines.size());
      if (change.oneIn(2)) {
        String key = "\"" + change.oneOf(KEYS) + "\"";
        for (int i = 0; i < lines.size(); i++) {
          at = lines.get(i).contains(key) ? i : at;
        }
      }
      lines.set(at, change.oneIn(4) ? change.lines(lines.get(at)) : change.json(lines.get(at)));
    }
    String text = String.join("\n", lines);
    byte[] bytes = (change.oneIn(8) ? change.lines(text) : text).getBytes(StandardCharsets.UTF_8);
    return change.oneIn(8) ? change.bytes(bytes) : bytes;
  }

  @Test
  void detailLogs() {
    Fuzz.of("detail-log")
        .run(
            400,
            LogsFuzzTest::log,
            input -> {
              DetailLog log = DetailLog.parse(new String(input, StandardCharsets.UTF_8));
              assertThat(log.tests()).isNotNegative();
              KEYS.forEach(
                  key -> {
                    log.number(key).ifPresent(number -> assertThat(number).isFinite());
                    log.integer(key);
                    log.unsigned(key);
                    log.flag(key);
                  });
              assertThat(log.errors()).hasSizeLessThanOrEqualTo(100);
              assertThat(log.errorCount()).isNotNegative();
              if (log.complete() && !log.accuracy()) {
                assertThat(log.validity()).isNotEqualTo(DetailLog.Validity.ABSENT);
              }
              for (Scenario scenario : Scenario.values()) {
                log.headlineMetric(scenario)
                    .ifPresent(metric -> assertThat(metric.value()).isFinite());
              }
              log.issuedSamples();
              log.invalidReason();
              log.loadGenVersion();
              return true;
            });
  }

  @Test
  void foldersOfOthers(@TempDir Path folder) throws Exception {
    Path test = Files.createDirectories(folder.resolve("llama3.1-8b/Server/performance/run_1"));
    Path accuracy = Files.createDirectories(folder.resolve("llama3.1-8b/Offline/accuracy"));
    Fuzz.of("judged-folder")
        .run(
            250,
            change -> {
              for (Path path : List.of(test, accuracy)) {
                Files.write(path.resolve("mlperf_log_detail.txt"), log(change));
                Files.write(
                    path.resolve("mlperf_log_summary.txt"),
                    sometimes(change, "Result is : VALID\n"));
                Files.write(path.resolve("accuracy.txt"), sometimes(change, CLAIMS));
                Files.writeString(path.resolve("mlperf_log_accuracy.json"), "[\n]\n");
              }
              return Files.readAllBytes(test.resolve("mlperf_log_detail.txt"));
            },
            input -> {
              boolean judged = false;
              for (FolderVerdict verdict :
                  SubmissionTree.judge(
                          folder,
                          new FolderJudge.Question(
                              input.length % 2 == 0 ? Ruleset.named("v6.1") : null,
                              null,
                              null,
                              null,
                              input.length % 3 == 0,
                              SubmissionTree::answers))
                      .verdicts()) {
                switch (verdict) {
                  case FolderVerdict.Judged known -> {
                    Judgement judgement = known.judgement();
                    assertThat(judgement.findings().isEmpty())
                        .isEqualTo(judgement.verdict() == Verdict.Valid);
                    judged = true;
                  }
                  case FolderVerdict.Unknown unknown -> assertThat(unknown.problem()).isNotBlank();
                  case FolderVerdict.NotAsked other -> assertThat(other.why()).isNotBlank();
                }
              }
              return judged;
            });
  }

  private static byte[] sometimes(Mutations change, String text) {
    return (change.oneIn(2) ? text : change.text(text)).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void claimsOfOthers() {
    List<AccuracyGate> gates = Ruleset.named("v6.1").accuracyGates("llama3.1-8b", Scenario.Offline);
    Fuzz.of("claims")
        .run(
            2_000,
            change -> change.text(CLAIMS).getBytes(StandardCharsets.UTF_8),
            input -> {
              boolean claimed = false;
              for (AccuracyGate gate : gates) {
                claimed |= gate.claimed(new String(input, StandardCharsets.UTF_8)).isPresent();
              }
              return claimed;
            });
  }
}
