package dev.loadgen.rules.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.rules.evidence.AskedAnswer.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AskedAnswerTest {
  @ParameterizedTest
  @CsvSource({
    "16, length,",
    "15, length, CUT",
    "1, length, CUT",
    "17, length, TOO_LONG",
    "17, stop, TOO_LONG",
    "17, tool_calls, TOO_LONG",
    "16, stop,",
    "2, stop,",
    "1, stop, TOO_SHORT",
    "5, stop_string, OTHER_STOP",
    "5, tool_calls, OTHER_STOP",
    "5, repetition, OTHER_STOP",
    "5, '', OTHER_STOP",
  })
  void anAnswerIsHeldAgainstWhatWasAskedFor(
      int tokens, String finishReason, @Nullable Fault fault) {
    assertThat(new AskedAnswer(2, 16, true, false, false).fault(tokens, finishReason))
        .isEqualTo(fault);
  }

  @Test
  void aStopTextEndsAnAnswerOnlyWhereItIsAskedFor() {
    assertThat(new AskedAnswer(0, 16, true, true, false).fault(3, AskedAnswer.STOP_STRING))
        .isNull();
  }

  @Test
  void theModelMayNotEndAnAnswerThatIsToIgnoreIt() {
    AskedAnswer asked = new AskedAnswer(0, 16, false, false, false);

    assertThat(asked.fault(16, AskedAnswer.LENGTH)).isNull();
    assertThat(asked.fault(3, AskedAnswer.STOP)).isEqualTo(Fault.OTHER_STOP);
  }

  @Test
  void whereNoAnswerIsBoundNoneEndsForItsLength() {
    AskedAnswer asked = new AskedAnswer(0, 16, true, false, true);

    assertThat(asked.fault(16, AskedAnswer.LENGTH)).isEqualTo(Fault.CUT);
    assertThat(asked.fault(16, AskedAnswer.STOP)).isNull();
  }

  @Test
  void boundsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> new AskedAnswer(-1, 16, true, true, false))
        .hasMessageContaining("-1, 16");
    assertThatThrownBy(() -> new AskedAnswer(0, 0, true, true, false)).hasMessageContaining("0, 0");
  }
}
