package dev.loadgen.runner.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DetailedEnvironmentTest {
  private final Redaction redaction = new Redaction(text -> text);

  @Test
  void holdsNoSecret() {
    Map<String, Object> all =
        DetailedEnvironment.capture(
            redaction,
            Map.of("HF_TOKEN", "hunter2", "PATH", "/bin", "URL", "http://u:hunter2@host"),
            List.of("-Dkey.password=hunter2", "-Xmx1g"),
            file -> file.endsWith("cmdline") ? "root=/dev/vda token=hf_hunter2hunter2" : "");

    assertThat(all.toString()).doesNotContain("hunter2");
    assertThat(all.get("variables"))
        .isEqualTo(Map.of("HF_TOKEN", "[removed]", "PATH", "/bin", "URL", "http://[removed]@host"));
    assertThat(all.get("jvmArguments")).isEqualTo(List.of("-Dkey.password=[removed]", "-Xmx1g"));
    assertThat(all.get("files"))
        .isEqualTo(Map.of("/proc/cmdline", "root=/dev/vda token=[removed]"));
  }

  @Test
  void keepsWhatAToolPrints() throws InterruptedException {
    DetailedEnvironment.Printed printed =
        DetailedEnvironment.run(List.of("sh", "-c", "echo a; echo b >&2"), Duration.ofSeconds(60));

    assertThat(printed).isEqualTo(new DetailedEnvironment.Printed("a\nb\n", ""));
  }

  @Test
  void saysHowAToolFailed() throws InterruptedException {
    assertThat(
            DetailedEnvironment.run(List.of("sh", "-c", "echo a; exit 3"), Duration.ofSeconds(60)))
        .isEqualTo(new DetailedEnvironment.Printed("a\n", "exit code 3"));
    DetailedEnvironment.Printed missing =
        DetailedEnvironment.run(List.of("no-such-tool"), Duration.ofSeconds(60));
    assertThat(missing.output()).isEmpty();
    assertThat(missing.problem()).contains("no-such-tool");
  }

  @Test
  void aToolThatHangsIsEnded() throws InterruptedException {
    DetailedEnvironment.Printed hung =
        DetailedEnvironment.run(List.of("sleep", "600"), Duration.ofMillis(1));

    assertThat(hung.problem()).startsWith("ended after");
  }
}
