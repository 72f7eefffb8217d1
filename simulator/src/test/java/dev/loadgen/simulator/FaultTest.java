package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FaultTest {
  @Test
  void readsAllConditions() {
    assertThat(Fault.parse("cut-stream,every=5,after=20,first=90,at=25,chance=0.5,tokens=3"))
        .isEqualTo(new Fault(Fault.Kind.CUT_STREAM, 0, 5, 20, 90, 25L, 0.5, 3));
    assertThat(Fault.parse("status=503").status()).isEqualTo(503);
  }

  @ParameterizedTest
  @EnumSource(value = Fault.Kind.class, names = "STATUS", mode = EnumSource.Mode.EXCLUDE)
  void readsEveryKindByItsWord(Fault.Kind kind) {
    assertThat(Fault.parse(kind.word())).isEqualTo(Fault.always(kind));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "explode            | unknown fault 'explode'",
        "status             | status needs a code",
        "status=200         | status must be 400 to 599, but was 200",
        "status=x           | status needs a whole number, but was 'x'",
        "hang=3             | hang takes no value",
        "hang,every         | 'every' is not KEY=VALUE",
        "hang,every=0       | every, first and at must be 1 or more",
        "hang,often=3       | unknown condition 'often'",
        "hang,at=1,at=2     | at is given twice",
        "hang,chance=2      | chance must be 0 to 1, but was 2.0",
        "close,tokens=2     | close takes no tokens=N",
      })
  void tellsWhatIsWrongAndTheGrammar(String text, String message) {
    assertThatThrownBy(() -> Fault.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining(message)
        .hasMessageContaining(Fault.GRAMMAR);
  }
}
