package dev.loadgen.runner.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogLinesTest {
  @Test
  void bytesThatAreNoTextStayAsTheyAre() throws IOException {
    byte[] bytes = new byte[300_000];
    new Random(1).nextBytes(bytes);

    assertThat(copy(bytes, false)).isEqualTo(bytes);
  }

  @Test
  void aSecretIsTakenOutWhereverAChunkEnds() throws IOException {
    String line = "x".repeat(65_530) + "hunter2hunter2" + "y".repeat(100) + "\nhunter2";

    assertThat(
            new String(copy(line.getBytes(StandardCharsets.UTF_8), false), StandardCharsets.UTF_8))
        .isEqualTo("x".repeat(65_530) + "****" + "y".repeat(100) + "\n**");
  }

  @Test
  void aLineWithoutItsStartIsLeftOut() throws IOException {
    assertThat(copy("nter2 is the key\nnext\n".getBytes(StandardCharsets.UTF_8), true))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("next\n");
  }

  @Test
  void aLineOfAnyLengthTakesNoMoreMemoryThanTheLongest() throws IOException {
    String log = "z".repeat(LogLines.LONGEST + 7) + "\nnext\n";

    assertThat(copy(log.getBytes(StandardCharsets.UTF_8), false))
        .asString(StandardCharsets.UTF_8)
        .hasSizeLessThan(LogLines.LONGEST + 100)
        .endsWith("zz [loadgen: 7 more bytes of this line are not kept]\nnext\n");
  }

  @Test
  void theNewestBytesOfALongStreamAreKept(@TempDir Path folder) throws IOException {
    byte[] bytes = new byte[10_007];
    new Random(2).nextBytes(bytes);
    try (NewestBytes newest = new NewestBytes(folder.resolve("log"), 1_000)) {
      newest.write(bytes, 0, 400);
      assertThat(newest.lost()).isZero();
      newest.write(bytes, 400, 9_000);
      newest.write(bytes, 9_400, 607);

      assertThat(newest.lost()).isEqualTo(9_007);
      assertThat(newest.read().readAllBytes()).isEqualTo(Arrays.copyOfRange(bytes, 9_007, 10_007));
      assertThat(folder.resolve("log")).hasSize(1_000);
    }
  }

  private static byte[] copy(byte[] bytes, boolean withoutFirst) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream sink = out) {
      LogLines.copy(
          new ByteArrayInputStream(bytes),
          sink,
          line -> line.replace("hunter2", "**"),
          withoutFirst,
          () -> {});
    }
    return out.toByteArray();
  }
}
