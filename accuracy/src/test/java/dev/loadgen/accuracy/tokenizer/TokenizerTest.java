package dev.loadgen.accuracy.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.accuracy.input.Reference;
import dev.loadgen.accuracy.input.UnusableInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Text is that of Hugging Face's tokenizers and transformers; other files are refused. */
class TokenizerTest {
  private final Path folder;

  TokenizerTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "byte-level",
        "byte-level-cleaned",
        "byte-level-not-cleaned",
        "byte-fallback",
        "metaspace-always",
        "metaspace-never",
        "no-decoder"
      })
  void textIsThatOfTransformers(String name) throws Exception {
    assertThat(decodes("tokenizers/" + name)).isGreaterThan(100);
  }

  /** Whichever file names it: tokenizer.json, tokenizer_config.json or special_tokens_map.json. */
  @ParameterizedTest
  @ValueSource(
      strings = {"none", "own", "text", "object", "additional", "unknown", "decoder", "map"})
  void aTokenIsSpecialIfAFileSaysSo(String name) throws Exception {
    assertThat(decodes("margins/tokenizers/" + name)).isGreaterThan(40);
  }

  /** Decodes all that the reference has decoded, and returns how many lists of ids that were. */
  private static int decodes(String folder) throws Exception {
    Tokenizer tokenizer = Tokenizer.read(Reference.path(folder + "/tokenizer.json"));
    List<JsonNode> records = Reference.lines(folder + "/decoded.jsonl");
    assertThat(records)
        .allSatisfy(
            record -> {
              int[] ids =
                  StreamSupport.stream(record.path("ids").spliterator(), false)
                      .mapToInt(JsonNode::asInt)
                      .toArray();
              assertThat(tokenizer.decode(ids, record.path("skip").asBoolean()))
                  .as(record.toString())
                  .isEqualTo(record.path("text").asText());
            });
    return records.size();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"model\":{\"vocab\":{}},\"decoder\":{\"type\":\"WordPiece\"}} | has the decoder WordPiece, which cannot be decoded here",
        "{\"model\":{\"vocab\":{}},\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"CTC\"}]}} | has the decoder CTC",
        "{\"model\":{\"vocab\":{}},\"decoder\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"a\"},\"content\":\"\"}} | has the decoder Replace by a regular expression",
        "{\"model\":{\"vocab\":{}},\"decoder\":{\"type\":\"Strip\",\"content\":\"ab\"}} | has the decoder Strip whose content is not one character",
        "{\"model\":{\"vocab\":{}},\"decoder\":{}} | has the decoder without a type",
        "{\"model\":{\"vocab\":{\"a\":-1}}} | the id -1 is not between 0 and 10000000",
        "{\"model\":{\"vocab\":{\"a\":2000000000}}} | the id 2000000000 is not between",
        "{\"model\":{\"vocab\":{\"a\":\"b\"}}} | model.vocab must have an integer for each token",
        "{\"model\":{\"vocab\":[[1,2]]}} | model.vocab must have a token and a score",
        "{\"model\":{\"vocab\":[[\"a\",0],7]},\"decoder\":{\"type\":\"Fuse\"}} | model.vocab must have a token and a score",
        "{\"model\":{\"vocab\":[[\"a\",0 | is not a valid tokenizer.json: line 1",
        "{\"model\":7} | model must be an object",
        "{\"added_tokens\":[{\"id\":1}],\"model\":{\"vocab\":{}}} | an entry of added_tokens lacks id or content",
        "{} | it has no model.vocab",
        "[] | a JSON object is expected",
        "{\"model\":{\"vocab\":{\"a\":1 | is not a valid tokenizer.json: line 1",
        "hello | is not a valid tokenizer.json: line 1",
      })
  void otherFilesAreRefused(String json, String problem) throws IOException {
    Path file = Files.writeString(folder.resolve("tokenizer.json"), json);

    assertThatThrownBy(() -> Tokenizer.read(file))
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(problem);
  }

  @Test
  void aMissingFileIsNamedWithTheField() {
    assertThatThrownBy(() -> Tokenizer.read(folder.resolve("none.json")))
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining("none.json does not exist")
        .hasMessageContaining("spec.accuracy.tokenizerPath");
  }

  @Test
  void aFileThatIsNotUtf8IsNamed() throws IOException {
    Path file =
        Files.write(
            folder.resolve("tokenizer.json"), new byte[] {0, 0, 0, '{', 'a', 'b', 'c', 'd'});

    assertThatThrownBy(() -> Tokenizer.read(file))
        .isInstanceOf(UnusableInputException.class)
        .hasMessage(file + " is not UTF-8");
  }

  @Test
  void aBrokenConfigurationIsNamed() throws IOException {
    Path file =
        Files.copy(
            Reference.path("tokenizers/byte-level/tokenizer.json"),
            folder.resolve("tokenizer.json"));
    Files.writeString(folder.resolve("tokenizer_config.json"), "{");

    assertThatThrownBy(() -> Tokenizer.read(file))
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining("is not a valid tokenizer_config.json");
  }
}
