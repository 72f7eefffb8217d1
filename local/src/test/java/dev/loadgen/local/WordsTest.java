package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WordsTest {
  @Test
  void splitsAtBlanksOutsideQuotes() {
    assertThat(Words.of("  a 'b c' \"d 'e\"f g\\ h '' "))
        .containsExactly("a", "b c", "d 'ef", "g h", "");
  }

  @Test
  void refusesAnOpenQuote() {
    assertThatThrownBy(() -> Words.of("a 'b")).hasMessageContaining("quote");
  }
}
