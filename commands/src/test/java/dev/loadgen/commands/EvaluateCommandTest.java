package dev.loadgen.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code loadgen evaluate} on the logs whose figures the reference's scripts computed. */
class EvaluateCommandTest {
  private static final Path REFERENCE =
      Path.of(System.getProperty("repository.root"), "accuracy/src/test/resources/reference");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final TestTerminal terminal;

  EvaluateCommandTest(@TempDir Path folder) {
    this.folder = folder;
    terminal = new TestTerminal(folder);
  }

  @Test
  void summariesAreScoredWithPunkt() throws IOException {
    int code =
        evaluate("llama3.1-8b", "--punkt", REFERENCE.toString(), "--output", file("scores.json"));

    JsonNode expected = JSON.readTree(REFERENCE.resolve("llama3.1-8b/expected.json").toFile());
    JsonNode scores = JSON.readTree(folder.resolve("scores.json").toFile());
    assertThat(code).as(terminal.err()).isZero();
    assertThat(scores.path("scores")).hasSize(expected.path("scores").size());
    for (JsonNode score : scores.path("scores")) {
      assertThat(score.path("value").asDouble())
          .isEqualTo(expected.path("scores").path(score.path("name").asText()).asDouble());
    }
    assertThat(terminal.out()).contains("ROUGELSUM").doesNotContain("_BY_LINE");
  }

  @Test
  void aRulesetsBoundsAreShown() {
    int code = evaluate("llama3.1-8b", "--ruleset", "v6.1");

    assertThat(code).isEqualTo(1);
    assertThat(terminal.out())
        .containsPattern("GEN_LEN +not scored +at least 7350879.6 and at most 8984408.4 +unknown")
        .contains("note: ROUGELSUM and GEN_LEN need the text divided into sentences");
  }

  @Test
  void programsComeBackWithTheirResults() throws IOException {
    JsonNode expected = JSON.readTree(REFERENCE.resolve("gpt-oss-120b/expected.json").toFile());

    assertThat(evaluate("gpt-oss-120b", "--ruleset", "v6.1", "--programs", file("programs.jsonl")))
        .isEqualTo(1);
    assertThat(terminal.out())
        .contains(
            expected.path("none").path("exact_match").asDouble()
                + " to "
                + expected.path("all").path("exact_match").asDouble());

    JsonNode executed = JSON.readTree(REFERENCE.resolve("gpt-oss-120b/executed.json").toFile());
    List<String> results = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("programs.jsonl"))) {
      JsonNode program = JSON.readTree(line);
      assertThat(program.path("questionId").asText()).isNotEmpty();
      assertThat(program.path("code").asText()).isNotEmpty();
      int sample = program.path("sample").asInt();
      results.add(
          "{\"sample\": %d, \"passed\": %s}"
              .formatted(sample, executed.path(String.valueOf(sample)).asBoolean()));
    }
    Files.write(folder.resolve("results.jsonl"), results);
    terminal.clear();
    evaluate("gpt-oss-120b", "--executed", file("results.jsonl"));

    assertThat(terminal.out())
        .containsPattern(
            "exact_match +" + expected.path("known").path("exact_match").asDouble() + " ");
  }

  @Test
  void productsAreScoredAndAPlanNamesTheBenchmark() throws IOException {
    Files.copy(
        REFERENCE.resolve("qwen3-vl-235b-a22b/mlperf_log_accuracy.json"),
        folder.resolve("mlperf_log_accuracy.json"));
    Files.writeString(
        folder.resolve("plan.json"),
        """
        {"test": {"benchmark": "qwen3-vl-235b-a22b", "ruleset": "v6.1", "scenario": "Interactive", "completionData": "TEXT"}}
        """);

    int code =
        terminal.loadgen(
            "evaluate",
            folder.toString(),
            "--dataset",
            REFERENCE.resolve("qwen3-vl-235b-a22b/dataset.json").toString());

    assertThat(code).isEqualTo(1);
    assertThat(terminal.out())
        .containsPattern("category_hierarchical_f1 +0\\.\\d+ +at least 0.779922 +missed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--benchmark bert | there is no evaluator for bert",
        "--benchmark llama3.1-8b --ruleset v1 | ruleset v1 is not known",
        "--benchmark llama3.1-8b --tokenizer none.json | none.json does not exist",
        "--benchmark llama3.1-8b --executed none.jsonl --tokenizer $M | none.jsonl does not exist",
        "--benchmark gpt-oss-120b --tokenizer $M | the dataset has no column dataset",
        "--tokenizer $M | has no plan.json that names the benchmark; name it with --benchmark",
        "--benchmark llama3.1-8b --tokenizer $M --scenario Ofline | '--scenario'",
        "--benchmark llama3.1-8b --tokenizer $M --output no/x | --output no/x: there is no folder",
        "--benchmark llama3.1-8b --tokenizer $M --punkt none | --punkt none: is not a folder with"
            + " punkt_tab.zip",
        "--benchmark llama3.1-8b --tokenizer $M --programs . | --programs .: is a folder",
      })
  void whatCannotBeUsedIsNamed(String options, String problem) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "evaluate",
                REFERENCE.resolve("llama3.1-8b").toString(),
                "--dataset",
                REFERENCE.resolve("llama3.1-8b/dataset.json").toString()));
    command.addAll(
        List.of(
            options
                .replace("$M", REFERENCE.resolve("llama3.1-8b/model/tokenizer.json").toString())
                .split(" ", -1)));

    assertThat(terminal.loadgen(command.toArray(String[]::new))).isEqualTo(2);
    assertThat(terminal.err()).containsIgnoringCase(problem);
  }

  @Test
  void aFolderThatIsNotThereIsNamed() {
    String dataset = REFERENCE.resolve("llama3.1-8b/dataset.json").toString();

    assertThat(terminal.loadgen("evaluate", file("none"), "--dataset", dataset)).isEqualTo(2);
    assertThat(terminal.err()).contains("none: is not a folder");
  }

  @Test
  void aDatasetThatIsNotThereIsNamedByItsOption() {
    int code =
        terminal.loadgen(
            "evaluate", folder.toString(), "--benchmark=llama3.1-8b", "--dataset", file("none"));

    assertThat(code).isEqualTo(2);
    assertThat(terminal.err()).contains("--dataset " + file("none") + ": does not exist");
  }

  @Test
  void aPlanThatSaysWhatNobodyKnowsIsNamed() throws IOException {
    Files.writeString(
        folder.resolve("plan.json"),
        """
        {"test": {"benchmark": "llama3.1-8b", "scenario": "Offline", "completionData": "WORDS"}}
        """);
    String dataset = REFERENCE.resolve("llama3.1-8b/dataset.json").toString();

    assertThat(terminal.loadgen("evaluate", folder.toString(), "--dataset", dataset)).isEqualTo(2);
    assertThat(terminal.err())
        .contains(
            "plan.json: test.completionData: \"WORDS\" is not one of [TOKEN_IDS, TEXT]; set it with"
                + " --data");
  }

  @Test
  void nothingIsWrittenIntoAResultsFolder() throws IOException {
    Files.writeString(folder.resolve("manifest.json"), "{}");
    String dataset = REFERENCE.resolve("llama3.1-8b/dataset.json").toString();

    int code =
        terminal.loadgen(
            "evaluate",
            folder.toString(),
            "--benchmark=llama3.1-8b",
            "--dataset",
            dataset,
            "--output",
            file("accuracy.json"));

    assertThat(code).isEqualTo(2);
    assertThat(terminal.err()).contains("lies in the results folder");
    assertThat(folder.resolve("accuracy.json")).doesNotExist();
  }

  @Test
  void resultsOfProgramsThatAreNoneAreRefusedByLine() throws IOException {
    for (String line :
        List.of("{\"sample\": 1.5, \"passed\": true}", "{\"sample\": 1}", "[]", "nothing")) {
      Files.writeString(
          folder.resolve("results.jsonl"), "{\"sample\": 0, \"passed\": true}\n" + line + "\n");
      assertThat(evaluate("gpt-oss-120b", "--executed", file("results.jsonl"))).isEqualTo(2);
      assertThat(terminal.err()).contains("results.jsonl: line 2");
      terminal.clear();
    }
  }

  private int evaluate(String benchmark, String... options) {
    Path inputs = REFERENCE.resolve(benchmark);
    List<String> command =
        new ArrayList<>(
            List.of(
                "evaluate",
                inputs.toString(),
                "--benchmark",
                benchmark,
                "--dataset",
                inputs.resolve("dataset.json").toString(),
                "--tokenizer",
                inputs.resolve("model/tokenizer.json").toString()));
    command.addAll(List.of(options));
    return terminal.loadgen(command.toArray(String[]::new));
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }
}
