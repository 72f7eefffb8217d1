package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteSearchTest {
  private static int slowly(byte[] bytes, int from, int to, boolean text) {
    for (int i = from; i < to; i++) {
      byte b = bytes[i];
      boolean found = text ? b < ' ' || b == '"' || b == '\\' : b == '\n' || b == '\r';
      if (found) {
        return i;
      }
    }
    return to;
  }

  private static void requireSame(byte[] bytes, int from, int to) {
    assertThat(ByteSearch.lineEnd(bytes, from, to)).isEqualTo(slowly(bytes, from, to, false));
    assertThat(ByteSearch.plainTextEnd(bytes, from, to)).isEqualTo(slowly(bytes, from, to, true));
  }

  /** Every byte beside every byte, since what is found in one must not hide what is in the next. */
  @Test
  void findsEachByteBesideEachOther() {
    byte[] bytes = new byte[11];
    for (int a = 0; a < 256; a++) {
      for (int b = 0; b < 256; b++) {
        Arrays.fill(bytes, (byte) 'w');
        bytes[3] = (byte) a;
        bytes[4] = (byte) b;
        requireSame(bytes, 0, 11);
        requireSame(bytes, 1, 9);
        requireSame(bytes, 4, 11);
      }
    }
  }

  @Test
  void staysWithinItsBounds() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[40];
      random.nextBytes(bytes);
      for (int j = 0; j < bytes.length; j++) {
        if (random.nextInt(12) != 0) {
          bytes[j] = (byte) (' ' + 8 + random.nextInt(40));
        }
      }
      int from = random.nextInt(20);
      requireSame(bytes, from, from + random.nextInt(20));
    }
  }
}
