package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens, texts, drawn outputs and drawn JSON. */
class ModelTest {
  private final Vocabulary vocabulary = new Vocabulary(262_144);

  private static Sampling sampling(
      int maxTokens, List<String> stops, @Nullable String constrained) {
    return new Sampling(maxTokens, 0, false, stops, Set.of(), false, null, constrained);
  }

  @Test
  void textOfWordsEncodesBackToTheirIds() {
    int[] ids =
        IntStream.iterate(Vocabulary.FIRST_WORD, id -> id < 262_144, id -> id + 37).toArray();

    assertThat(vocabulary.encode(vocabulary.text(ids))).isEqualTo(ids);
  }

  @Test
  void anyTextEncodesToIdsOfTheVocabulary() {
    String text = "Wie geht's?  \n\t{\"a\": 1} 東京 \uD83D\uDE00 bababababa";

    int[] ids = vocabulary.encode(text);

    assertThat(ids).isNotEmpty().isEqualTo(vocabulary.encode(text));
    assertThat(Arrays.stream(ids)).allMatch(vocabulary::contains);
    assertThat(vocabulary.encode("")).isEmpty();
  }

  @Test
  void longerLimitContinuesTheSameText() {
    LanguageModel model = new LanguageModel(vocabulary, new TokenRange(100, 100), 3);
    int[] prompt = {300, 301};

    SequenceOutput brief = model.generate(prompt, sampling(10, List.of(), null), 0);
    SequenceOutput full = model.generate(prompt, sampling(1000, List.of(), null), 0);

    assertThat(full.text()).startsWith(brief.text());
    assertThat(brief.finish()).isEqualTo(new Finish.Length());
    assertThat(full.size()).isEqualTo(100);
    assertThat(full.finish()).isEqualTo(new Finish.EndOfSequence());
    assertThat(full.ids(99, 100)).containsExactly(Vocabulary.EOS);
  }

  @Test
  void stopStringThatSpansTokensIsCutFromTheTextOfAll() {
    LanguageModel model = new LanguageModel(vocabulary, new TokenRange(100, 100), 3);
    int[] prompt = {300};
    String text = model.generate(prompt, sampling(9, List.of(), null), 0).text();
    int border = text.indexOf(' ', 12);
    String stop = text.substring(border - 1, border + 2);

    SequenceOutput cut = model.generate(prompt, sampling(9, List.of(stop), null), 0);

    assertThat(cut.finish()).isEqualTo(new Finish.StopString(stop));
    assertThat(cut.text()).isEqualTo(text.substring(0, text.indexOf(stop)));
    StringBuilder pieces = new StringBuilder();
    for (int i = 0; i < cut.size(); i++) {
      pieces.append(cut.text(i, i + 1));
    }
    assertThat(pieces).hasToString(cut.text());
  }

  @Test
  void constrainedTextIsCutAtTheLimitAndElseEnded() {
    LanguageModel model = new LanguageModel(vocabulary, null, 0);
    int[] prompt = {300};

    SequenceOutput whole =
        model.generate(prompt, sampling(50, List.of(), "{\"a\":\"\uD83D\uDE00\"}"), 0);
    SequenceOutput cut =
        model.generate(prompt, sampling(2, List.of(), "{\"a\":\"\uD83D\uDE00\"}"), 0);

    assertThat(whole.text()).isEqualTo("{\"a\":\"\uD83D\uDE00\"}");
    assertThat(whole.finish()).isEqualTo(new Finish.EndOfSequence());
    assertThat(cut.text()).isEqualTo("{\"a\"");
    assertThat(cut.finish()).isEqualTo(new Finish.Length());
  }

  private JsonNode draw(String schema) throws Exception {
    return JsonSchema.draw(Client.json(schema), vocabulary, 11);
  }

  @Test
  void drawnValuesFitTheirSchemas() throws Exception {
    JsonNode value =
        draw(
            """
            {"type":"object","$defs":{"unit":{"enum":["kg","g"]}},
             "properties":{"n":{"type":"integer","minimum":3,"maximum":5},
                           "x":{"type":"number","minimum":0.5,"maximum":0.75},
                           "s":{"type":"string","minLength":30,"maxLength":40},
                           "l":{"type":"array","minItems":2,"maxItems":2,"items":{"$ref":"#/$defs/unit"}},
                           "o":{"anyOf":[{"type":"null"},{"const":7}]},
                           "b":{"type":["boolean","null"]}},
             "required":["n","more"]}""");

    assertThat(value.get("n").asInt()).isBetween(3, 5);
    assertThat(value.get("x").asDouble()).isBetween(0.5, 0.75);
    assertThat(value.get("s").asText()).hasSizeBetween(30, 40);
    assertThat(value.get("l"))
        .hasSize(2)
        .allMatch(unit -> Set.of("kg", "g").contains(unit.asText()));
    assertThat(value.get("o").isNull() || value.get("o").asInt() == 7).isTrue();
    assertThat(value.get("b").isBoolean()).isTrue();
    assertThat(value.has("more")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"nonsense\"}",
        "{\"type\":\"string\",\"pattern\":\"a+\"}",
        "{\"$ref\":\"#/nowhere\"}",
        "{\"$ref\":\"#\"}",
        "5",
      })
  void schemaThatCannotBeObeyedIsRefused(String schema) {
    assertThatThrownBy(() -> draw(schema)).isInstanceOf(JsonSchema.SchemaException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "R0lGODlhQAAgAIAAAAAAAP, 64, 32",
    "UklGRhoAAABXRUJQVlA4TA0AAAAvH8APAAcQ, 32, 64",
    "UklGRhoAAABXRUJQVlA4WAoAAAAQAAAAPwAAHwAA, 64, 32",
  })
  void imageSizesAreReadFromTheirHeads(String base64, int width, int height) {
    byte[] image =
        Base64.getMimeDecoder().decode(base64 + "==".substring(0, (4 - base64.length() % 4) % 4));

    assertThat(Images.size(image)).contains(new Images.Size(width, height));
  }

  @Test
  void bytesThatAreNoImageHaveNoSize() {
    assertThat(Images.size(new byte[0])).isEmpty();
    assertThat(Images.size(new byte[] {(byte) 0x89, 'P', 'N', 'G'})).isEmpty();
    assertThat(
            Images.size(
                new byte[] {(byte) 0xff, (byte) 0xd8, (byte) 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.0",
    "16.5, 16.5",
    "999999, 999999.0",
    "1000000, 1e+06",
    "1100000, 1.1e+06",
    "1795228754.25, 1.79522875425e+09",
    "0.00005, 5e-05",
    "-0.25, -0.25",
  })
  void numbersAreWrittenAsThePythonClientWritesThem(double value, String text) {
    assertThat(MetricsPage.number(value)).isEqualTo(text);
  }
}
