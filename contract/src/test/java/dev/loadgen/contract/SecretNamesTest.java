package dev.loadgen.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretNamesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--api-key",
        "api_key",
        "--admin-api-key",
        "--hf-token",
        "hf_token",
        "ssl_keyfile_password"
      })
  void argumentsThatAreSecrets(String name) {
    assertThat(SecretNames.isArgument(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--max-num-batched-tokens",
        "--tokenizer",
        "--num-speculative-tokens",
        "ssl_keyfile",
        "kv_cache_dtype",
        "model"
      })
  void argumentsThatAreNone(String name) {
    assertThat(SecretNames.isArgument(name)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"HF_TOKEN", "VLLM_API_KEY", "AWS_SECRET_ACCESS_KEY", "PASSWORD", "my_token_2"})
  void variablesThatAreSecrets(String name) {
    assertThat(SecretNames.isVariable(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"VLLM_ATTENTION_BACKEND", "TOKENIZERS_PARALLELISM", "NCCL_DEBUG", "KEYRING"})
  void variablesThatAreNone(String name) {
    assertThat(SecretNames.isVariable(name)).isFalse();
  }

  @Test
  void valuesOfSecretsAreTakenOutOfArguments() {
    assertThat(
            SecretNames.removed(
                List.of("m", "--api-key", "one", "--hf-token=two", "--api-key", "--port", "8000")))
        .containsExactly(
            "m", "--api-key", "[removed]", "--hf-token=[removed]", "--api-key", "--port", "8000");
  }

  @Test
  void urlsInArgumentsAreShownWithoutCredentials() {
    assertThat(
            SecretNames.removed(
                List.of("--otlp-traces-endpoint", "http://u:hunter2@t:4317", "--x=s3://b?sig=1")))
        .containsExactly("--otlp-traces-endpoint", "http://t:4317", "--x=s3://b?...");
  }

  /** vLLM takes several keys. */
  @Test
  void everyValueOfASecretGoes() {
    assertThat(SecretNames.removed(List.of("--api-key", "one", "two", "--port", "8000")))
        .containsExactly("--api-key", "[removed]", "[removed]", "--port", "8000");
  }
}
