package dev.loadgen.accuracy.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.accuracy.input.Reference;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Stems, sentences and ROUGE are those of NLTK and rouge_score on the same input. */
class SummaryReferenceTest {
  private static final Offset<Double> TOLERANCE = within(1e-9);

  @Test
  void stemsAreThoseOfNltk() throws IOException {
    List<String> lines = Files.readAllLines(Reference.path("stems.tsv"));

    assertThat(lines).hasSizeGreaterThan(1000);
    assertThat(lines)
        .allSatisfy(
            line -> {
              String[] fields = line.split("\t", -1);
              assertThat(PorterStemmer.stem(fields[0])).as(fields[0]).isEqualTo(fields[1]);
            });
  }

  @Test
  void sentencesAreThoseOfNltk() throws Exception {
    Sentences sentences = new Sentences(PunktParameters.read(Reference.path("punkt_tab")));
    List<JsonNode> records = Reference.lines("sentences.jsonl");

    assertThat(records).hasSizeGreaterThan(100);
    assertThat(records)
        .allSatisfy(
            record -> {
              List<String> expected = new ArrayList<>();
              record.path("sentences").forEach(sentence -> expected.add(sentence.asText()));
              assertThat(sentences.split(record.path("text").asText()))
                  .as(record.path("text").toString())
                  .isEqualTo(expected);
            });
  }

  @Test
  void rougeIsThatOfRougeScore() {
    List<JsonNode> records = Reference.lines("rouge.jsonl");

    assertThat(records).hasSizeGreaterThan(100);
    assertThat(records)
        .allSatisfy(
            record -> {
              Rouge rouge =
                  Rouge.score(record.path("target").asText(), record.path("prediction").asText());
              equal(record, "rouge1", rouge.rouge1());
              equal(record, "rouge2", rouge.rouge2());
              equal(record, "rougeL", rouge.rougeL());
              equal(record, "rougeLsum", rouge.rougeLsum());
            });
  }

  private static void equal(JsonNode record, String name, double score) {
    assertThat(record.path(name).isNumber()).as(name).isTrue();
    assertThat(score)
        .as("%s of %s", name, record)
        .isCloseTo(record.path(name).asDouble(), TOLERANCE);
  }
}
