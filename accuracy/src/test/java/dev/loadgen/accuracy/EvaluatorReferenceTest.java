package dev.loadgen.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.accuracy.input.Reference;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.summary.PunktParameters;
import dev.loadgen.accuracy.tokenizer.Tokenizer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scores of whole logs are those of the reference's scripts. */
class EvaluatorReferenceTest {
  private static final Offset<Double> TOLERANCE = within(1e-6);
  private static final String LLAMA = "llama3.1-8b";
  private static final String GPT_OSS = "gpt-oss-120b";
  private static final String QWEN = "qwen3-vl-235b-a22b";

  @Test
  void summariesScoreAsInTheReference() throws Exception {
    JsonNode expected = Reference.json(LLAMA + "/expected.json");

    Evaluation evaluation =
        evaluate(
            LLAMA,
            new Evaluator.Inputs(
                text(LLAMA), PunktParameters.read(Reference.path("punkt_tab")), Map.of()));

    assertThat(evaluation.samples()).isEqualTo(expected.path("samples").asInt());
    assertThat(evaluation.duplicates()).isEqualTo(1);
    assertThat(evaluation.notes()).isEmpty();
    scores(evaluation, expected.path("scores"));
  }

  /** Means that end in a five at the fifth digit, which Python would round by its own rule. */
  @Test
  void meansAreRoundedAsNumpyRoundsThem() throws Exception {
    AnswerText text =
        new AnswerText.OfTokenIds(
            Tokenizer.read(Reference.path("margins/halves/model/tokenizer.json")));
    int groups = 0;
    for (; Files.exists(Reference.path("margins/halves/" + groups)); groups++) {
      String group = "margins/halves/" + groups;

      Evaluation evaluation =
          Evaluator.of(LLAMA)
              .orElseThrow()
              .evaluate(
                  Reference.path(group).resolve(AccuracyLog.FILE_NAME),
                  Reference.dataset(group + "/dataset.json"),
                  new Evaluator.Inputs(
                      text, PunktParameters.read(Reference.path("punkt_tab")), Map.of()));

      scores(evaluation, Reference.json(group + "/expected.json").path("scores"));
    }
    assertThat(groups).isGreaterThan(1);
  }

  @Test
  void withoutPunktTheScoresThatNeedItHaveOtherNames() throws Exception {
    JsonNode expected = Reference.json(LLAMA + "/expected.json").path("scores");

    Evaluation evaluation = evaluate(LLAMA, new Evaluator.Inputs(text(LLAMA), null, Map.of()));

    assertThat(evaluation.scores())
        .extracting(Score::name)
        .containsExactly("ROUGE1", "ROUGE2", "ROUGEL", "ROUGELSUM_BY_LINE", "GEN_LEN_BY_LINE");
    for (Score score : evaluation.scores().subList(0, 3)) {
      assertThat(score.atLeast()).isCloseTo(expected.path(score.name()).asDouble(), TOLERANCE);
    }
    assertThat(evaluation.notes()).singleElement().asString().contains("punkt_tab.zip");
  }

  @Test
  void questionsScoreAsInTheReference() throws Exception {
    JsonNode expected = Reference.json(GPT_OSS + "/expected.json");

    Evaluation evaluation =
        evaluate(GPT_OSS, new Evaluator.Inputs(text(GPT_OSS), null, executed()));

    Score exactMatch = evaluation.scores().getFirst();
    assertThat(exactMatch.known()).isTrue();
    assertThat(exactMatch.atLeast())
        .isCloseTo(expected.path("known").path("exact_match").asDouble(), TOLERANCE);
    assertThat(evaluation.scores().get(1))
        .isEqualTo(
            Score.exact(
                "tokens_per_sample",
                Evaluator.rounded(expected.path("tokens_per_sample").asDouble(), 4)));
    assertThat(evaluation.notes()).isEmpty();
    assertThat(evaluation.programs()).isEmpty();
    JsonNode parts = expected.path("known").path("per_dataset");
    assertThat(evaluation.parts()).hasSize(parts.size());
    for (Evaluation.Part part : evaluation.parts()) {
      JsonNode wanted = parts.path(part.name());
      assertThat(part)
          .isEqualTo(
              new Evaluation.Part(
                  part.name(),
                  wanted.path("correct").asInt(),
                  0,
                  wanted.path("total").asInt(),
                  wanted.path("repeats").asInt()));
    }
  }

  @Test
  void programsThatWereNotExecutedMakeTheScoreARange() throws Exception {
    JsonNode expected = Reference.json(GPT_OSS + "/expected.json");

    Evaluation evaluation = evaluate(GPT_OSS, new Evaluator.Inputs(text(GPT_OSS), null, Map.of()));

    Score exactMatch = evaluation.scores().getFirst();
    assertThat(exactMatch.known()).isFalse();
    assertThat(exactMatch.atLeast())
        .isCloseTo(expected.path("none").path("exact_match").asDouble(), TOLERANCE);
    assertThat(exactMatch.atMost())
        .isCloseTo(expected.path("all").path("exact_match").asDouble(), TOLERANCE);
    assertThat(evaluation.notes()).singleElement().asString().contains("LiveCodeBench");
    assertThat(evaluation.programs())
        .isNotEmpty()
        .allSatisfy(
            program -> {
              assertThat(program.questionId()).isEqualTo("q" + program.sample());
              assertThat(program.code()).isNotEmpty();
            });
  }

  @Test
  void productsScoreAsInTheReference() throws Exception {
    JsonNode expected = Reference.json(QWEN + "/expected.json");

    Evaluation evaluation =
        evaluate(QWEN, new Evaluator.Inputs(new AnswerText.OfUtf8(), null, Map.of()));

    assertThat(evaluation.counts())
        .containsExactly(Map.entry("unparsable", expected.path("unparsable").asLong()));
    assertThat(evaluation.notes()).hasSize(1);
    scores(evaluation, expected.path("scores"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "llama3.1-8b | [{\"input\": \"a\"}] | no column with reference summaries; name it with spec.dataset.columns.target",
        "llama3.1-8b | [{\"output\": \"a\"}, {\"output\": null}] | row 1 of the dataset has no text in column output",
        "gpt-oss-120b | [{\"ground_truth\": \"a\"}] | has no column dataset",
        "gpt-oss-120b | [{\"dataset\": \"aime25\"}] | has no column ground_truth",
        "gpt-oss-120b | [{\"dataset\": \"mine\", \"ground_truth\": \"a\"}] | row 0 of the dataset"
            + " is of \"mine\", which no evaluator supports; supported are names with gpqa",
        "gpt-oss-120b | [{\"dataset\": 7, \"ground_truth\": \"a\"}] | row 0 of the dataset has no text in column dataset",
        "qwen3-vl-235b-a22b | [{\"ground_truth_category\": \"a\", \"ground_truth_brand\": \"b\"}] | has no column ground_truth_is_secondhand",
        "qwen3-vl-235b-a22b | [{\"ground_truth_category\": \"a\", \"ground_truth_brand\": 1, \"ground_truth_is_secondhand\": true}] | row 0 of the dataset has not text in column ground_truth_brand",
        "qwen3-vl-235b-a22b | [{\"ground_truth_category\": \"a\", \"ground_truth_brand\": \"b\", \"ground_truth_is_secondhand\": \"x\"}] | row 0 of the dataset has not true or false in column ground_truth_is_secondhand",
      })
  void aDatasetThatCannotBeScoredIsFoundBeforeATest(String benchmark, String rows, String problem) {
    assertThatThrownBy(() -> Evaluator.of(benchmark).orElseThrow().check(Reference.rows(rows)))
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining(problem)
        .hasMessageNotContaining("spec.accuracy.evaluate");
  }

  @Test
  void aBenchmarkOfOnesOwnHasNoEvaluator() {
    assertThat(Evaluator.of("custom")).isEmpty();
  }

  private static Evaluation evaluate(String benchmark, Evaluator.Inputs inputs)
      throws UnusableInputException {
    return Evaluator.of(benchmark)
        .orElseThrow()
        .evaluate(
            Reference.path(benchmark).resolve(AccuracyLog.FILE_NAME),
            Reference.dataset(benchmark + "/dataset.json"),
            inputs);
  }

  private static AnswerText text(String benchmark) throws UnusableInputException {
    Path model = Reference.path(benchmark + "/model/tokenizer.json");
    return new AnswerText.OfTokenIds(Tokenizer.read(model));
  }

  private static Map<Integer, Boolean> executed() {
    Map<Integer, Boolean> executed = new HashMap<>();
    Reference.json(GPT_OSS + "/executed.json")
        .properties()
        .forEach(row -> executed.put(Integer.valueOf(row.getKey()), row.getValue().asBoolean()));
    return executed;
  }

  private static void scores(Evaluation evaluation, JsonNode expected) {
    Map<String, Double> found =
        evaluation.scores().stream().collect(Collectors.toMap(Score::name, Score::atLeast));
    assertThat(evaluation.scores()).allMatch(Score::known);
    assertThat(found).hasSize(expected.size());
    List.copyOf(expected.properties())
        .forEach(
            score ->
                assertThat(found.get(score.getKey()))
                    .as(score.getKey())
                    .isCloseTo(score.getValue().asDouble(), TOLERANCE));
  }
}
