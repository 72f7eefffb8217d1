package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GenerationConfigTest {
  @Test
  void commentsAndKeysThatNoServerTakesAreNotLookedAt() {
    assertThat(
            GenerationConfig.parse(
                """
                {"_comment": "for the benchmark", "_note": {"deep": [1]}, "temperature": 1.0,
                 "top_k": -1, "top_p": 1.0, "max_new_tokens": 10240,
                 "transformers_version": "4.55.0", "pad_token_id": 199999, "bos_token_id": 199998}
                """))
        .isEqualTo(new GenerationConfig(1.0, -1, 1.0, null, null, null, null, 10240));
  }

  @Test
  void aModelsOwnFileIsRead() {
    assertThat(
            GenerationConfig.parse(
                """
                {"bos_token_id": 151643, "do_sample": true, "eos_token_id": [151645, 151643],
                 "top_k": 20, "top_p": 0.8, "temperature": 0.7, "repetition_penalty": 1.0,
                 "min_p": 0.05, "min_new_tokens": 3}
                """))
        .isEqualTo(new GenerationConfig(0.7, 20, 0.8, 0.05, 1.0, List.of(151645, 151643), 3, null));
  }

  @Test
  void withoutSamplingItIsGreedyWhateverElseItSays() {
    assertThat(
            GenerationConfig.parse("{\"do_sample\": false, \"temperature\": 0.6, \"top_p\": 0.9}"))
        .isEqualTo(new GenerationConfig(0.0, 1, 1.0, null, null, null, null, null));
  }

  @Test
  void nullsAndEmptyListsSayNothing() {
    assertThat(
            GenerationConfig.parse(
                "{\"temperature\": null, \"eos_token_id\": [], \"do_sample\": null}"))
        .isEqualTo(GenerationConfig.EMPTY);
    assertThat(GenerationConfig.parse("{\"eos_token_id\": 2}").stopTokenIds()).containsExactly(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'temperature': 'hot'} | temperature must be a number",
        "{'temperature': -1} | temperature must be a number of at least 0",
        "{'top_p': 0} | top_p must be a number above 0 and at most 1, not 0",
        "{'top_p': 1.5} | top_p",
        "{'top_k': 2.5} | top_k must be a whole number",
        "{'min_p': 2} | min_p",
        "{'repetition_penalty': 0} | repetition_penalty",
        "{'max_new_tokens': 0} | max_new_tokens must be a whole number of at least 1",
        "{'max_new_tokens': 99999999999} | max_new_tokens",
        "{'eos_token_id': 'end'} | eos_token_id must be a token id",
        "{'eos_token_id': [1, -2]} | eos_token_id",
        "{'do_sample': 'no'} | do_sample must be true or false",
        "[1] | is not a JSON object",
        "{'a': 1} {} | is not valid JSON",
        "{'a': | is not valid JSON"
      })
  void wrongTypesAreNamed(String json, String words) {
    assertThatThrownBy(() -> GenerationConfig.parse(json.replace('\'', '"')))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }
}
