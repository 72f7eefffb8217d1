package dev.loadgen.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loadgen judge} of logs that another harness's LoadGen wrote. */
class JudgeCommandTest {
  private static final Path LOGS = Path.of("../rules/src/test/resources/dev/loadgen/rules/logs");

  private Path folder;
  private TestTerminal terminal;

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
    terminal = new TestTerminal(temporary);
  }

  private Path test(String name, String below) throws IOException {
    Path test = Files.createDirectories(folder.resolve(below));
    Files.copy(LOGS.resolve(name + ".txt"), test.resolve("mlperf_log_detail.txt"));
    Path summary = LOGS.resolve(name + "-summary.txt");
    Files.writeString(
        test.resolve("mlperf_log_summary.txt"),
        Files.exists(summary)
            ? Files.readString(summary)
            : "\nNo warnings encountered during test.\n\nNo errors encountered during test.\n");
    return test;
  }

  private void change(Path test, String from, String to) throws IOException {
    Path log = test.resolve("mlperf_log_detail.txt");
    String text = Files.readString(log);
    assertThat(text).contains(from);
    Files.writeString(log, text.replace(from, to));
  }

  @Test
  void aValidTestIsZero() throws IOException {
    test("v61-server", "llama3.1-8b/Server/performance/run_1");

    int status = terminal.loadgen("judge", folder.toString());

    assertThat(terminal.out())
        .contains("llama3.1-8b/Server/performance/run_1  llama3.1-8b  Server    Performance  v6.1")
        .contains("222.29 tokens/s")
        .endsWith("\nValid\n");
    assertThat(status).as(terminal.err()).isZero();
  }

  @Test
  void aBrokenRuleIsOneAndIsExplained() throws IOException {
    Path test = test("v61-server", "anywhere");
    change(
        test,
        "\"result_first_token_99.00_percentile_latency_ns\", \"value\": 102459381",
        "\"result_first_token_99.00_percentile_latency_ns\", \"value\": 2345000000");

    int status = terminal.loadgen("judge", test.toString(), "--benchmark", "llama3.1-8b");

    assertThat(terminal.out())
        .contains(
            "Ttft: time to first token p99 is 2345 ms, must be below 2000 ms.",
            "fix:    Lower spec.load.targetQps or speed up the server.",
            "source: mlperf.conf of LoadGen")
        .endsWith("\nInvalid\n");
    assertThat(status).as(terminal.err()).isEqualTo(1);
  }

  @Test
  void jsonHasValueAndLimit() throws IOException {
    Path test = test("v61-server", "anywhere");
    change(test, "\"num_errors\", \"value\": 0", "\"num_errors\", \"value\": 2");

    int status =
        terminal.loadgen(
            "judge", test.toString(), "--benchmark", "llama3.1-8b", "--output", "json");

    JsonNode json = new ObjectMapper().readTree(terminal.out());
    assertThat(json.path("verdict").asText()).isEqualTo("Invalid");
    JsonNode judged = json.path("tests").get(0);
    assertThat(judged.path("folder").asText()).isEqualTo(".");
    assertThat(judged.path("loadGen").asText()).isEqualTo("6.0.17 @ d6147c7eb7");
    JsonNode reason = judged.path("reasons").get(0);
    assertThat(reason.path("rule").asText()).isEqualTo("LoadGenErrors");
    assertThat(reason.path("value").asText()).isEqualTo("2");
    assertThat(reason.path("limit").asText()).isEqualTo("0");
    assertThat(reason.path("source").asText()).contains("accuracy_check.py");
    assertThat(status).isEqualTo(1);
  }

  @Test
  void anotherRulesetIsAnotherVerdict() throws IOException {
    Path test = test("v61-server", "llama3.1-8b/Server/performance/run_1");

    int status = terminal.loadgen("judge", test.toString(), "--ruleset", "v6.0");

    assertThat(terminal.out()).contains("SeedsDiffer");
    assertThat(status).isEqualTo(1);
  }

  @Test
  void whatCannotBeJudgedIsTwo() throws IOException {
    Path unknown = test("v61-server", "anywhere");

    assertThat(terminal.loadgen("judge", unknown.toString())).isEqualTo(2);
    assertThat(terminal.out())
        .contains("the folder does not name its benchmark; name one of [llama3.1-8b,")
        .endsWith("\nUnknown\n");

    Path accuracy = test("v61-accuracy", "llama3.1-8b/Offline/accuracy");
    Files.writeString(accuracy.resolve("mlperf_log_accuracy.json"), "[ ]");
    terminal.clear();
    assertThat(terminal.loadgen("judge", accuracy.toString())).isEqualTo(2);
    assertThat(terminal.out()).contains("AccuracyNotScored").endsWith("\nInconclusive\n");
  }

  @Test
  void scoresOfEvaluateAreEvidence() throws IOException {
    Path accuracy = test("v61-accuracy", "llama3.1-8b/Offline/accuracy");
    Files.writeString(accuracy.resolve("mlperf_log_accuracy.json"), "[ ]");
    Path scores = folder.resolve("scores.json");
    Files.writeString(
        scores,
        """
        {"samples": 13368, "notes": [], "scores": [
          {"name": "ROUGE1", "value": 38.8}, {"name": "ROUGE2", "value": 15.9},
          {"name": "ROUGEL", "value": 24.5}, {"name": "ROUGELSUM", "atLeast": 35.5, "atMost": 36},
          {"name": "GEN_LEN", "value": 8167644}]}
        """);

    int status = terminal.loadgen("judge", accuracy.toString(), "--scores", scores.toString());

    assertThat(terminal.out()).endsWith("\nValid\n");
    assertThat(status).as(terminal.err()).isZero();
  }

  /** A scenario's accuracy test, and an audit of which there is no more than its verify file. */
  private Path claimed(String below) throws IOException {
    Path scenario = folder.resolve(below);
    Path accuracy = test("v61-accuracy", below + "/accuracy");
    Files.writeString(accuracy.resolve("mlperf_log_accuracy.json"), "[ ]");
    Files.writeString(
        accuracy.resolve("accuracy.txt"),
        "{'rouge1': '38.8', 'rouge2': '15.9', 'rougeL': '24.5', 'rougeLsum': '35.5', 'gen_len':"
            + " 8167644}\nhash=0123\n");
    Path audit = Files.createDirectories(scenario.resolve("TEST06"));
    Files.writeString(
        audit.resolve("verify_accuracy.txt"),
        "First token check pass: Skipped\nEOS check pass: True\nSample length check pass: True\n");
    return scenario;
  }

  @Test
  void aVerdictThatRestsOnClaimsSaysSo() throws IOException {
    Path scenario = claimed("llama3_1-8b/Offline");

    assertThat(terminal.loadgen("judge", scenario.toString())).isEqualTo(2);
    assertThat(terminal.out())
        .contains("ComplianceClaimed", "AccuracyClaimed", "--accept-claimed-scores")
        .endsWith("\nInconclusive\n");

    terminal.clear();
    assertThat(terminal.loadgen("judge", scenario.toString(), "--accept-claimed-scores")).isZero();
    assertThat(terminal.out())
        .contains("TEST06    llama3.1-8b  Offline   TEST06    v6.1     Valid (claimed)")
        .contains("note: Accepted as claimed: verify_accuracy.txt claims that TEST06 passes")
        .endsWith("\nValid (claimed)\n");

    terminal.clear();
    assertThat(
            terminal.loadgen(
                "judge", scenario.toString(), "--accept-claimed-scores", "--output", "json"))
        .isZero();
    JsonNode json = new ObjectMapper().readTree(terminal.out());
    assertThat(json.path("verdict").asText()).isEqualTo("Valid");
    assertThat(json.path("claimed").asBoolean()).isTrue();
    assertThat(json.path("tests").get(0).path("claimed").asBoolean()).isTrue();
  }

  @Test
  void whatNobodyAsksForIsListed() throws IOException {
    Path scenario = claimed("open/org/results/system/llama3.1-8b/Offline");

    assertThat(terminal.loadgen("judge", scenario.toString())).isEqualTo(1);
    assertThat(terminal.out())
        .contains("TEST06    -            -         -         -        not asked")
        .contains("note: the open division asks for no compliance tests")
        .contains("TestMissing: Offline has no performance test.")
        .doesNotContain("ComplianceClaimed", "AccuracyClaimed");
    terminal.clear();
    assertThat(terminal.loadgen("judge", scenario.resolve("TEST06").toString())).isEqualTo(2);
    assertThat(terminal.out()).endsWith("\nUnknown\n");
  }

  @Test
  void aFolderWithoutLogsIsBadInput() {
    assertThat(terminal.loadgen("judge", folder.toString())).isEqualTo(2);
    assertThat(terminal.err()).contains("has no mlperf_log_detail.txt, neither itself nor below");
    terminal.clear();
    assertThat(terminal.loadgen("judge", folder.resolve("none").toString())).isEqualTo(2);
    assertThat(terminal.err()).contains("none: is not a folder");
    terminal.clear();
    assertThat(terminal.loadgen("judge", folder.toString(), "--ruleset", "v9")).isEqualTo(2);
    assertThat(terminal.err()).contains("--ruleset: ruleset v9 is not known");
  }
}
