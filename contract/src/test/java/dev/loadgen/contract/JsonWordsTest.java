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
        "{\"run\": 5} | run: is no object with fields",
        "{\"run\": {\"epoch\": \"x\"}} | run.epoch: is no whole number from -2147483648 to 2147483647",
        "{\"run\": {\"epoch\": 2147483648}} | run.epoch: is no whole number from -2147483648 to 2147483647",
        "{\"run\": {\"name\": []}} | run.name: is no text",
        "{\"server\": {\"replicas\": {}}} | server.replicas: is no list",
        "{\"server\": {\"replicas\": [{\"name\": \"a\"}, 1]}} | server.replicas[1]: is no object with fields",
        "{\"server\": {\"engine\": \"triton\"}} | server.engine: is none of vllm, sglang, openai",
        "{\"debug\": null} | debug: is neither true nor false",
        "{\"test\": {\"targetQps\": \"fast\"}} | test.targetQps: is no number",
        "{\"test\": {\"minDurationMs\": []}} | test.minDurationMs: is no whole number of at most 64 bits",
        "{\"dataset\": {\"more\": 1}} | dataset.more: is no field that this version knows",
        "[] | is no object with fields",
        "{\"run\": | no JSON at line 1: it ends in the middle of a value",
        "{\"server\": {\"replicas\": [}} | no JSON at line 1: Unexpected close marker '}': expected ']'",
      })
  void namesTheFieldAndWhatItIsNot(String json, String words) {
    assertThat(words(json)).isEqualTo(words);
  }

  @Test
  void namesTheLineOfWhatIsNoJson() {
    assertThat(words("{\n\"run\": oops}")).startsWith("no JSON at line 2: Unrecognized token");
    assertThat(words("9".repeat(1_001)))
        .isEqualTo("no JSON: Number value length (1001) exceeds the maximum allowed (1000)");
  }

  private static String words(String json) {
    JsonProcessingException e =
        catchThrowableOfType(
            JsonProcessingException.class, () -> ContractJson.read(json, RunPlan.class));
    return JsonWords.of(e);
  }
}
