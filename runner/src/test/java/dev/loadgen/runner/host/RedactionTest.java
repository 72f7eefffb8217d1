package dev.loadgen.runner.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
  private final Redaction redaction =
      new Redaction(text -> text.replace("opensesame", "[redacted]"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HF_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "OPENAI_API_KEY",
        "apikey",
        "MLFLOW_TRACKING_PASSWORD",
        "PGPASSWORD",
        "DB_PASSWD",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "HTTP_AUTHORIZATION",
        "SESSION_COOKIE",
        "SSH_PRIVATE",
        "SENTRY_DSN",
        "KEY",
        "GH_PAT",
        "-Djavax.net.ssl.keyStorePassword",
      })
  void aNameThatSaysSecretLosesItsValue(String name) {
    assertThat(redaction.value(name, "hunter2")).isEqualTo(Redaction.REMOVED);
    assertThat(redaction.value(name, "")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PATH", "HOME", "KEYBOARD", "MONKEY", "JAVA_HOME", "LANG", "HOSTNAME"})
  void otherNamesKeepTheirs(String name) {
    String value = redaction.value(name, "/usr/lib/jvm/temurin-25-jdk-amd64/bin:/usr/local/bin");

    assertThat(value).isEqualTo("/usr/lib/jvm/temurin-25-jdk-amd64/bin:/usr/local/bin");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x hf_abcdefghijklmnop y|x [removed] y",
        "ghp_0123456789abcdefghij|[removed]",
        "sk-proj-abcdef0123456789|[removed]",
        "AKIAIOSFODNN7EXAMPLE|[removed]",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc|[removed]",
        "Authorization: Bearer abcdefgh12345678|Authorization: [removed]",
        "http://user:pass@host:80/x|http://[removed]@host:80/x",
        "https://host/x?api_key=123&y=1|https://host/x?api_key=[removed]&y=1",
        "d41d8cd98f00b204e9800998ecf8427e|[removed]",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY|[removed]",
        "say opensesame|say [redacted]",
        "vllm==0.32.0|vllm==0.32.0",
        "/opt/nvidia/cuda-12.8/lib64|/opt/nvidia/cuda-12.8/lib64",
        "http://mlflow:5000/api|http://mlflow:5000/api",
        "Linux version 6.12.8+ (builder@host) #1 SMP|Linux version 6.12.8+ (builder@host) #1 SMP",
      })
  void whatLooksLikeASecretGoes(String text, String clean) {
    assertThat(redaction.text(text)).isEqualTo(clean);
  }

  @Test
  void aPrivateKeyGoesWhole() {
    assertThat(
            redaction.text(
                "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY--"))
        .isEqualTo("a\n[removed]");
  }

  @Test
  void argumentsAreCleanedByNameAndValue() {
    assertThat(redaction.argument("-Dmy.password=x")).isEqualTo("-Dmy.password=[removed]");
    assertThat(redaction.argument("-Xmx1g")).isEqualTo("-Xmx1g");
    assertThat(redaction.argument("-Da=opensesame")).isEqualTo("-Da=[redacted]");
  }

  @Test
  void variablesAreCleaned() {
    assertThat(
            redaction.variables(
                Map.of("B_TOKEN", "1", "A", "opensesame", "C", "c", "X_KEY_opensesame", "1")))
        .containsExactly(
            Map.entry("A", "[redacted]"),
            Map.entry("B_TOKEN", "[removed]"),
            Map.entry("C", "c"),
            Map.entry("X_KEY_[redacted]", "[removed]"));
  }
}
