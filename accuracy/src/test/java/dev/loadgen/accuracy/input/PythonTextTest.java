package dev.loadgen.accuracy.input;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Text is what Python makes of it. */
class PythonTextTest {
  @Test
  void lowerCaseIsThatOfPython() {
    assertThat(Reference.lines("margins/lower.jsonl"))
        .hasSizeGreaterThan(200)
        .allSatisfy(
            record ->
                assertThat(PythonText.lower(record.path("text").asText()))
                    .as(record.toString())
                    .isEqualTo(record.path("lower").asText()));
  }
}
