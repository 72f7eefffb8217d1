package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What all commands have in common. */
class LoadgenCommandTest {
  private final Path folder;
  private final TestTerminal terminal;

  LoadgenCommandTest(@TempDir Path folder) {
    this.folder = folder;
    terminal = new TestTerminal(folder);
  }

  @Test
  void withoutACommandItTellsWhichThereAre() {
    assertThat(terminal.loadgen()).isZero();
    assertThat(terminal.out())
        .contains("run", "wait", "report", "compare", "evaluate", "inspect", "export", "simulate")
        .doesNotContain("prime");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run -f file",
        "wait br/run",
        "report folder",
        "compare a b",
        "evaluate folder --dataset file",
        "inspect file",
        "export folder --mlflow-url http://mlflow:5000 --experiment e"
      })
  void everyCommandHasHelpAVersionAndClearErrors(String line) {
    String command = line.substring(0, line.indexOf(' '));
    assertThat(terminal.loadgen(command, "--help")).isZero();
    assertThat(terminal.out()).contains("Usage: loadgen " + command, "Exit status:", "  0   ");
    terminal.clear();

    assertThat(terminal.loadgen(command, "--version")).isZero();
    assertThat(terminal.out()).startsWith("loadgen ");
    terminal.clear();

    assertThat(terminal.loadgen(command)).isEqualTo(2);
    assertThat(terminal.err())
        .containsPattern("^(Missing required|positional parameter.*requires)");
    assertThat(terminal.out()).isEmpty();
    terminal.clear();

    assertThat(terminal.loadgen((line + " --no-such-option").split(" ", -1))).isEqualTo(2);
    assertThat(terminal.err()).startsWith("Unknown option: '--no-such-option'");
    assertThat(terminal.out()).isEmpty();
  }

  @Test
  void aCommandThatIsNoneIsNamed() {
    assertThat(terminal.loadgen("inspcet")).isEqualTo(2);
    assertThat(terminal.err()).contains("'inspcet'");
  }

  @Test
  void aFaultOfTheProgramIsNoVerdictAndNoMistakeOfTheUser() throws IOException {
    Path file = Files.writeString(folder.resolve("data.json"), "[{\"a\": 1}]");
    Writer faulty =
        new Writer() {
          @Override
          public void write(char[] buffer, int offset, int length) {
            throw new IllegalStateException("a fault");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };

    assertThat(terminal.loadgenInto(faulty, "inspect", file.toString())).isEqualTo(70);
    assertThat(terminal.err())
        .contains("IllegalStateException: a fault", "at dev.loadgen.commands");
  }

  /** Else it would end with 1, which in most commands is a verdict. */
  @Test
  void soIsAnErrorOfTheMachine() throws IOException {
    Path file = Files.writeString(folder.resolve("data.json"), "[{\"a\": 1}]");
    Writer faulty =
        new Writer() {
          @Override
          public void write(char[] buffer, int offset, int length) {
            throw new StackOverflowError();
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };

    assertThat(terminal.loadgenInto(faulty, "inspect", file.toString())).isEqualTo(70);
    assertThat(terminal.err()).contains("StackOverflowError");
  }
}
