package dev.loadgen.reconcile.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OneLineTest {
  @Test
  void aTextIsOnOneLineWithoutControls() {
    assertThat(OneLine.of(" a\r\n\u001b[31mb\u0000\u2028c \u202ed\t", 100))
        .isEqualTo("a [31mb c d");
    assertThat(OneLine.of("größer als 5 ≤ 7 🙂", 100)).isEqualTo("größer als 5 ≤ 7 🙂");
    assertThat(OneLine.of(null, 100)).isEmpty();
  }

  @Test
  void aLongTextIsCutAndSaysSo() {
    assertThat(OneLine.of("abcdef", 6)).isEqualTo("abcdef");
    assertThat(OneLine.of("abcdefg", 6)).isEqualTo("abcde…");
    assertThat(OneLine.of("x".repeat(10_000_000), 6)).isEqualTo("xxxxx…");
    assertThat(OneLine.of("\n".repeat(10_000_000) + "x", 6)).isEqualTo("…");
  }

  @Test
  void noCharacterIsCutInHalf() {
    assertThat(OneLine.of("abcd🙂efgh", 6)).isEqualTo("abcd…");
    assertThat(OneLine.of("ab\ud83d", 6)).isEqualTo("ab");
  }
}
