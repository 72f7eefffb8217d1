package dev.loadgen.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.fuzz.Fuzz;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a container leaves behind, its message is text within the kubelet's bounds. */
class ContainerMessageFuzzTest {
  @Test
  void messages(@TempDir Path folder) {
    Container container =
        new ContainerBuilder().withTerminationMessagePolicy("FallbackToLogsOnError").build();
    byte[] seed =
        "{\"version\":1,\"verdict\":\"Valid\"}\nμετά 日本 😀\n"
            .repeat(60)
            .getBytes(StandardCharsets.UTF_8);
    Path file = folder.resolve("message");
    Path log = folder.resolve("log");
    Fuzz.of("kubelet-message")
        .run(
            1_000,
            change -> change.bytes(seed),
            input -> {
              Files.write(input.length % 2 == 0 ? file : log, input);
              Files.deleteIfExists(input.length % 2 == 0 ? log : file);
              String message = ContainerMessage.of(container, 1, file, log);
              assertThat(message.length()).isLessThanOrEqualTo(4096);
              return true;
            });
  }
}
