package dev.loadgen.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.accuracy.catalogue.ProductMetadata;
import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.accuracy.input.Reference;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.reasoning.Subset;
import dev.loadgen.accuracy.summary.PunktParameters;
import dev.loadgen.accuracy.summary.Rouge;
import dev.loadgen.accuracy.summary.Sentences;
import dev.loadgen.accuracy.tokenizer.Tokenizer;
import dev.loadgen.fuzz.Fuzz;
import dev.loadgen.fuzz.Mutations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever an accuracy log, a tokenizer or an answer holds: it is scored or refused. */
class AccuracyFuzzTest {
  private static final int SAMPLES = 4;
  private static final String PRODUCT =
      "{\"category\": \"Home > Garden > Pots\", \"brand\": \"\\u0130kea\", \"is_secondhand\": false}";

  private final Path folder;

  AccuracyFuzzTest(@TempDir Path folder) {
    this.folder = folder;
  }

  /** A log of a few products, of which each part may be changed: answer, digits and log. */
  private static byte[] log(Mutations change) {
    StringBuilder log = new StringBuilder("[\n");
    for (int i = 0; i < SAMPLES; i++) {
      byte[] answer = PRODUCT.getBytes(StandardCharsets.UTF_8);
      String digits = HexFormat.of().formatHex(change.oneIn(2) ? change.json(answer) : answer);
      log.append(i == 0 ? "" : ",\n")
          .append("{ \"seq_id\" : %d, \"qsl_idx\" : %d, \"data\" : \"".formatted(i, i))
          .append(change.oneIn(20) ? change.text(digits) : digits)
          .append("\", \"token_data\" : \"\", \"token_count\" : 5 }");
    }
    String text = log.append("\n]\n").toString();
    return (change.oneIn(3) ? change.json(text) : text).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void logsOfProducts() {
    Path file = folder.resolve(AccuracyLog.FILE_NAME);
    Fuzz.of("accuracy-log")
        .refusing(UnusableInputException.class)
        .run(
            1_500,
            AccuracyFuzzTest::log,
            input -> {
              Files.write(file, input);
              AccuracyLog.Summary read =
                  AccuracyLog.read(
                      file,
                      SAMPLES,
                      answer -> {
                        Optional<ProductMetadata> product = ProductMetadata.parse(answer.data());
                        product.ifPresent(known -> assertThat(known.category()).isNotNull());
                      });
              assertThat(read.samples()).isBetween(1, SAMPLES);
              return true;
            });
  }

  @Test
  void tokenizers() throws IOException {
    List<Path> seeds;
    try (var all = Files.list(Reference.path("margins/tokenizers"))) {
      seeds = all.sorted().toList();
    }
    List<String> decoders =
        List.of(
            "{\"type\":\"ByteLevel\"}",
            "{\"type\":\"Metaspace\",\"replacement\":\"\u2581\",\"prepend_scheme\":\"always\"}",
            "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{\"String\":\"\u2581\"},"
                + "\"content\":\" \"},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
                + "{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]}");
    Path file = folder.resolve("tokenizer.json");
    Fuzz.of("tokenizer")
        .refusing(UnusableInputException.class)
        // a file may name the id 10,000,000, and the list of its tokens is as long
        .mebibytes(256)
        .run(
            1_000,
            change -> {
              Path seed = change.oneOf(seeds);
              byte[] config = Files.readAllBytes(seed.resolve("tokenizer_config.json"));
              Files.write(
                  folder.resolve("tokenizer_config.json"),
                  change.oneIn(3) ? change.json(config) : config);
              String json =
                  Files.readString(seed.resolve("tokenizer.json"))
                      .replace("\"decoder\": null", "\"decoder\": " + change.oneOf(decoders));
              return (change.oneIn(4) ? json : change.json(json)).getBytes(StandardCharsets.UTF_8);
            },
            input -> {
              Files.write(file, input);
              Tokenizer tokenizer = Tokenizer.read(file);
              int[] ids = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, Integer.MAX_VALUE};
              assertThat(tokenizer.decode(ids, false)).isNotNull();
              assertThat(tokenizer.decode(ids, true)).isNotNull();
              return true;
            });
  }

  @Test
  void sentences() throws Exception {
    Path punkt = Files.createDirectories(folder.resolve("english"));
    List<String> names =
        List.of("abbrev_types.txt", "collocations.tab", "sent_starters.txt", "ortho_context.tab");
    Fuzz.of("punkt")
        .refusing(UnusableInputException.class)
        .run(
            200,
            change -> {
              byte[] all = {};
              for (String name : names) {
                String text = Files.readString(Reference.path("punkt_tab/english/" + name));
                all =
                    (change.oneIn(3) ? change.lines(text) : text).getBytes(StandardCharsets.UTF_8);
                Files.write(punkt.resolve(name), change.oneIn(40) ? change.bytes(all) : all);
              }
              return all;
            },
            input -> {
              Sentences sentences = new Sentences(PunktParameters.read(folder));
              assertThat(sentences.split("Mr. Smith said so... He did! (No. 5.) Ok?")).isNotEmpty();
              return true;
            });
  }

  @Test
  void answers() {
    List<String> seeds =
        Reference.lines("gpt-oss-120b/parsed.jsonl").stream()
            .limit(200)
            .map(record -> record.path("answer").asText())
            .toList();
    List<JsonNode> summaries = Reference.lines("rouge.jsonl");
    Sentences sentences;
    try {
      sentences = new Sentences(PunktParameters.read(Reference.path("punkt_tab")));
    } catch (UnusableInputException e) {
      throw new AssertionError(e);
    }
    Fuzz.of("answer")
        // the table of a longest common subsequence
        .mebibytes(256)
        .run(
            600,
            change ->
                change
                    .text(
                        change.oneIn(2)
                            ? change.oneOf(seeds)
                            : change.oneOf(summaries).path("prediction").asText())
                    .getBytes(StandardCharsets.UTF_8),
            input -> {
              String answer = new String(input, StandardCharsets.UTF_8);
              for (Subset subset : Subset.values()) {
                assertThat(subset.grade(answer, "A")).isNotNull();
              }
              // scoring takes the product of two lengths, as the reference does
              String summary = answer.substring(0, Math.min(answer.length(), 2_000));
              String target = String.join("\n", sentences.split(summary));
              Rouge rouge = Rouge.score(target, summary);
              assertThat(rouge.rouge1()).isBetween(0.0, 1.0);
              assertThat(rouge.rougeLsum()).isBetween(0.0, 1.0);
              return true;
            });
  }
}
