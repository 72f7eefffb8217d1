package dev.loadgen.accuracy.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.accuracy.input.Reference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Answers are read as pydantic reads them, and brands are as like as rapidfuzz finds them. */
class ProductMetadataTest {
  @Test
  void answersAreReadAsPydanticReadsThem() {
    areReadAsPydanticReadsThem(Reference.lines("qwen3-vl-235b-a22b/parsed.jsonl"));
  }

  /**
   * Numbers that are none, halves of characters, depth and length, in what a later value replaces.
   */
  @Test
  void jsonEndsWherePydanticEndsIt() {
    areReadAsPydanticReadsThem(Reference.lines("margins/products.jsonl"));
  }

  private static void areReadAsPydanticReadsThem(List<JsonNode> records) {
    assertThat(records.stream().filter(record -> record.path("parsed").isNull()).count())
        .isGreaterThan(20);
    assertThat(records)
        .allSatisfy(
            record -> {
              JsonNode parsed = record.path("parsed");
              assertThat(parse(record.path("answer").asText()))
                  .as(record.toString())
                  .isEqualTo(
                      parsed.isNull()
                          ? Optional.empty()
                          : Optional.of(
                              new ProductMetadata(
                                  parsed.path("category").asText(),
                                  parsed.path("brand").asText(),
                                  parsed.path("is_secondhand").asBoolean())));
            });
  }

  @Test
  void whatIsNoUtf8IsNoAnswer() {
    assertThat(ProductMetadata.parse(new byte[] {'{', (byte) 0xff})).isEmpty();
    assertThat(ProductMetadata.parse(new byte[0])).isEmpty();
    assertThat(parse("[".repeat(100_000))).isEmpty();
  }

  @Test
  void likenessIsThatOfRapidfuzz() {
    assertThat(Reference.lines("qwen3-vl-235b-a22b/ratios.jsonl"))
        .hasSizeGreaterThan(50)
        .allSatisfy(
            record ->
                assertThat(
                        CatalogueScore.likeness(
                            record.path("a").asText(), record.path("b").asText()))
                    .as(record.toString())
                    .isEqualTo(record.path("ratio").asDouble()));
  }

  private static Optional<ProductMetadata> parse(String answer) {
    return ProductMetadata.parse(answer.getBytes(StandardCharsets.UTF_8));
  }
}
