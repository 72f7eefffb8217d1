package dev.loadgen.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.accuracy.input.Reference;
import org.junit.jupiter.api.Test;

/** Means are numpy's to the last bit, and so are their roundings. */
class NumpyMeanTest {
  @Test
  void meansAreThoseOfNumpy() {
    assertThat(Reference.lines("margins/means.jsonl"))
        .hasSizeGreaterThan(40)
        .allSatisfy(
            record -> {
              double denominator = record.path("denominator").asDouble();
              NumpyMean mean = new NumpyMean();
              for (JsonNode numerator : record.path("numerators")) {
                mean.add(numerator.asInt() / denominator);
              }
              assertThat(mean.value()).isEqualTo(record.path("mean").asDouble());
              assertThat(NumpyMean.rounded(mean.value() * 100, 4))
                  .isEqualTo(record.path("rounded").asDouble());
            });
  }
}
