package dev.loadgen.accuracy.reasoning;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.accuracy.input.Reference;
import dev.loadgen.accuracy.reasoning.AnswerParser.Options;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What is found is what eval_accuracy.py finds; and long answers take no longer than they must. */
class AnswerParserTest {
  @Test
  void choicesAreThoseOfTheReference() {
    finds("gpqa", answer -> AnswerParser.choice(answer, Options.A_TO_D));
    finds("mmlu_pro", answer -> AnswerParser.choice(answer, Options.A_TO_J));
  }

  @Test
  void integersAreThoseOfTheReference() {
    finds("aime", answer -> AnswerParser.integer(answer).map(String::valueOf));
  }

  @Test
  void formulasAreThoseOfTheReference() {
    finds("math500", AnswerParser::boxed);
  }

  @Test
  void programsAreThoseOfTheReference() {
    finds("livecodebench", AnswerParser::code);
  }

  /** Half of such a letter is none, and what is before half of it is a letter. */
  @Test
  void lettersBeyondTwoBytesArePartOfAWord() {
    List<JsonNode> records = Reference.lines("margins/choices.jsonl");
    finds(records, "gpqa", answer -> AnswerParser.choice(answer, Options.A_TO_D));
    finds(records, "mmlu_pro", answer -> AnswerParser.choice(answer, Options.A_TO_J));
  }

  private static void finds(String subset, Function<String, Optional<String>> parser) {
    List<JsonNode> records = Reference.lines("gpt-oss-120b/parsed.jsonl");
    assertThat(records).hasSizeGreaterThan(500);
    finds(records, subset, parser);
  }

  private static void finds(
      List<JsonNode> records, String subset, Function<String, Optional<String>> parser) {
    assertThat(records.stream().filter(record -> !record.path(subset).isNull()).count())
        .isGreaterThan(10);
    assertThat(records)
        .allSatisfy(
            record ->
                assertThat(parser.apply(record.path("answer").asText()).orElse(null))
                    .as("%s in %s", subset, record.path("answer"))
                    .isEqualTo(record.path(subset).asText(null)));
  }

  @Test
  void hostileAnswersNeitherOverflowTheStackNorTakeForEver() {
    int length = 200_000;
    for (String part :
        new String[] {" ", "answer ", "(", "**", "```", "{", "9", "<", "\n", "A", ". "}) {
      String answer =
          "<|channel|>final<|message|>answer:" + part.repeat(length / part.length()) + "\\boxed{";
      for (Subset subset : Subset.values()) {
        assertThat(subset.grade(answer, "Z")).isNotNull();
      }
    }
  }

  @Test
  void groundTruthsAreReadAsPythonReadsThem() {
    for (Object truth : new Object[] {"7", " 7 ", "+7", "0_7", "٧", 7L, 7.9, 7.0}) {
      assertThat(Subset.AIME.grade("\\boxed{7}", truth))
          .as("%s", truth)
          .isEqualTo(new Subset.Grade.Known(true));
    }
    for (Object truth :
        new Object[] {"7.0", "-7", "", "seven", "7__0", 7.9e300, Double.NaN, true}) {
      assertThat(Subset.AIME.grade("\\boxed{7}", truth))
          .as("%s", truth)
          .isEqualTo(new Subset.Grade.Known(false));
    }
    assertThat(Subset.GPQA.grade("A", null)).isEqualTo(new Subset.Grade.Known(false));
    assertThat(Subset.GPQA.grade("A", 1L)).isEqualTo(new Subset.Grade.Known(false));
  }
}
