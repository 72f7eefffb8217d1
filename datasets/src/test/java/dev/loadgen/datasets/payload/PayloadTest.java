package dev.loadgen.datasets.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadTest {
  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  /** An image between two texts, of every length by which base64 is padded otherwise. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 12_287, 12_288, 12_289, 30_000})
  void anImageIsSentAsBase64(int size) throws IOException {
    byte[] image = random(size);
    ByteBuffer larger = ByteBuffer.allocate(size + 10).position(7).put(image).flip().position(7);
    Payload payload =
        Payload.builder().bytes(ascii("{\"url\":\"")).base64(larger).ascii("\"}").build();
    byte[] expected = ascii("{\"url\":\"" + Base64.getEncoder().encodeToString(image) + "\"}");

    assertThat(payload.length()).isEqualTo(expected.length);
    assertThat(payload.toBytes()).isEqualTo(expected);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    payload.writeTo(out);
    assertThat(out.toByteArray()).isEqualTo(expected);
    assertThat(larger.position()).as("the buffer is left as it was").isEqualTo(7);
  }

  /** A socket takes what it takes: any number of bytes from anywhere. */
  @Test
  void itCanBeReadFromAnywhere() {
    byte[] image = random(100);
    Payload payload =
        Payload.builder()
            .all(Payload.builder().ascii("abc").bytes(new byte[0]).build())
            .base64(ByteBuffer.wrap(image))
            .bytes(ascii("xyz"))
            .build();
    byte[] expected = ascii("abc" + Base64.getEncoder().encodeToString(image) + "xyz");

    for (int from = 0; from <= expected.length; from++) {
      for (int space = 0; space <= expected.length - from + 1; space++) {
        ByteBuffer into = ByteBuffer.allocate(space);
        payload.put(from, into);
        int end = Math.min(expected.length, from + space);
        assertThat(Arrays.copyOf(into.array(), into.position()))
            .isEqualTo(Arrays.copyOfRange(expected, from, end));
      }
    }
  }

  @Test
  void nothingIsNothing() {
    assertThat(Payload.of(new byte[0]).toBytes()).isEmpty();
    assertThat(Payload.builder().build().toBytes()).isEmpty();
  }

  @Test
  void whatIsTooLargeIsRefused() {
    Payload.Builder builder = Payload.builder();
    String mebibyte = "x".repeat(1 << 20);
    for (int i = 1; i < 2048; i++) {
      builder.ascii(mebibyte);
    }
    assertThat(builder.build().length()).isEqualTo(2047 << 20);
    builder.ascii(mebibyte);

    assertThatThrownBy(builder::build).hasMessageContaining("2 GiB");
  }
}
