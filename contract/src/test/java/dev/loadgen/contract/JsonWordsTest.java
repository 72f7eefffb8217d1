package dev.loadgen.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonWordsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"run\": 5} | run: is not an object with fields",
        "{\"run\": {\"epoch\": \"x\"}} | run.epoch: is not a whole number from -2147483648 to"
            + " 2147483647",
        "{\"run\": {\"epoch\": 2147483648}} | run.epoch: is not a whole number from -2147483648 to"
            + " 2147483647",
        "{\"run\": {\"name\": []}} | run.name: is not text",
        "{\"server\": {\"replicas\": {}}} | server.replicas: is not a list",
        "{\"server\": {\"replicas\": [{\"name\": \"a\"}, 1]}} | server.replicas[1]: is not an"
            + " object with fields",
        "{\"server\": {\"engine\": \"triton\"}} | server.engine: is not one of vllm, sglang, openai",
        "{\"debug\": null} | debug: is neither true nor false",
        "{\"test\": {\"targetQps\": \"fast\"}} | test.targetQps: is not a number",
        "{\"test\": {\"minDurationMs\": []}} | test.minDurationMs: is not a whole number of at most"
            + " 64 bits",
        "{\"dataset\": {\"more\": 1}} | dataset.more: is not a field that this version knows",
        "[] | is not an object with fields",
        "{\"run\": | not valid JSON at line 1: it ends in the middle of a value",
        "{\"server\": {\"replicas\": [}} | not valid JSON at line 1: Unexpected close marker '}':"
            + " expected ']'",
      })
  void namesTheFieldAndWhatItIsNot(String json, String words) {
    assertThat(words(json)).isEqualTo(words);
  }

  @Test
  void namesTheLineOfWhatIsNoJson() {
    assertThat(words("{\n\"run\": oops}"))
        .startsWith("not valid JSON at line 2: Unrecognized token");
    assertThat(words("9".repeat(1_001)))
        .isEqualTo("not valid JSON: Number value length (1001) exceeds the maximum allowed (1000)");
  }

  private static String words(String json) {
    JsonProcessingException e =
        catchThrowableOfType(
            JsonProcessingException.class, () -> ContractJson.read(json, RunPlan.class));
    return JsonWords.of(e);
  }
}
