package dev.loadgen.commands.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DisplayTest {
  private final StringWriter text = new StringWriter();

  @Test
  void redrawsALineForEachRunOnATerminal() {
    Display display = new Display(new PrintWriter(text), true);

    display.show(List.of(), List.of(running(25, 10)), Duration.ofSeconds(1));
    display.show(List.of(), List.of(running(50, 20)), Duration.ofSeconds(2));

    assertThat(text.toString())
        .isEqualTo(
            """
            \u001b[?7l\u001b[2K  run      r  [#####---------------]  25%  Running  issued 40  completed 10  failed 0  of 40  ETA 5 s
            \u001b[?7h\u001b[?7l\u001b[1A\u001b[2K  run      r  [##########----------]  50%  Running  issued 40  completed 20  failed 0  of 40  ETA 5 s
            \u001b[?7h\
            """);
  }

  @Test
  void showsWhatIsLateAndWhetherTheTestIsGoingToPass() {
    Display display = new Display(new PrintWriter(text), false);
    RunView run =
        run(
            """
            phase: Running
            progress:
              {stage: Running, issued: 40, completed: 30, failed: 0, total: 6396, percent: 0, etaSeconds: 5,
               late: {limit: Ttft, samples: 3, budget: 45}, projection: Fail}
            """);

    display.show(List.of(), List.of(run), Duration.ofSeconds(1));

    assertThat(text.toString()).contains("of 6396  late 3/45  projection Fail  ETA 5 s");
  }

  @Test
  void printsMereProgressEveryFewSecondsElsewhere() {
    Display display = new Display(new PrintWriter(text), false);

    for (int second = 0; second < 10; second++) {
      display.show(List.of(), List.of(running(second, second)), Duration.ofSeconds(second));
    }

    assertThat(text.toString().lines())
        .hasSize(4)
        .allMatch(line -> line.contains("run r: Running"));
  }

  @Test
  void printsNothingWhileNothingChanges() {
    Display display = new Display(new PrintWriter(text), false);

    for (int second = 0; second < 10; second++) {
      display.show(List.of(), List.of(running(1, 1)), Duration.ofSeconds(second));
    }

    assertThat(text.toString().lines()).hasSize(1);
  }

  @Test
  void theTableShowsResultsAndBelowItReasonsWithFixes() {
    RunView invalid =
        run(
            """
            phase: Completed
            verdict: Invalid
            verdictReasons: [{rule: MinDuration, message: 9 s of 600 s, fix: raise it}]
            result:
              {value: 1234.56, unit: tokens/s, tokensPerSecond: 12.3456, completed: 5, failed: 1,
               ttft: {p50: 41.234, p99: 123.45}}
            """);
    RunView failed =
        run(
            """
            phase: Failed
            conditions: [{type: Failed, status: "True", reason: DatasetInvalid, message: no column}]
            """);

    ResultTable.print(
        new PrintWriter(text),
        List.of(invalid, failed),
        run -> Optional.of("results/x/report.html"));

    assertThat(text.toString())
        .isEqualTo(
            """
            RUN  SCENARIO  VERDICT  RESULT         TTFT p50/p99      TPOT p50/p99  TOKENS/S
            r    Offline   Invalid  1235 tokens/s  41.23 / 123.5 ms  -             12.35
            r    Offline   failed   -              -                 -             -

            r
              samples  5 answered, 1 failed
              MinDuration: 9 s of 600 s
                fix: raise it
              report   results/x/report.html
            r
              DatasetInvalid: no column
              report   results/x/report.html
            """);
  }

  @Test
  void theTableSaysHowAnExportEnded() {
    RunView run =
        run(
            "mlflow: {url: 'http://m', experiment: e}",
            """
            phase: Completed
            verdict: Valid
            conditions:
              - {type: Complete, status: "True", reason: TestEnded, message: 'ran; not wholly in MLflow: no answer'}
            """);

    ResultTable.print(new PrintWriter(text), List.of(run), finished -> Optional.empty());

    assertThat(text.toString()).endsWith("r\n  TestEnded: ran; not wholly in MLflow: no answer\n");
  }

  /** A newer operator may write what this program does not know, a damaged object anything. */
  @Test
  void whatCannotBeReadIsLeftOutAndTheRestShown() {
    Display display = new Display(new PrintWriter(text), false);
    RunView run =
        run(
            """
            phase: Completed
            verdict: Splendid
            verdictReasons: [null, {rule: A, message: m, novelty: 1}]
            progress: many
            result: {value: a lot, unit: tokens/s}
            conditions: [{type: Finished, status: "True", reason: Splendid}, 7]
            """);

    display.show(List.of(), List.of(run), Duration.ofSeconds(1));
    ResultTable.print(new PrintWriter(text), List.of(run), finished -> Optional.empty());

    assertThat(run.verdictReasons()).hasSize(1);
    assertThat(run.condition("Finished").orElseThrow().holds()).isTrue();
    assertThat(text.toString()).contains("run r: Completed").containsPattern("r +Offline +null");
  }

  private static RunView running(int percent, int completed) {
    return run(
        """
        phase: Running
        progress: {stage: Running, issued: 40, completed: %d, failed: 0, total: 40, percent: %d, etaSeconds: 5}
        """
            .formatted(completed, percent));
  }

  private static RunView run(String status) {
    return run("", status);
  }

  private static RunView run(String more, String status) {
    String yaml =
        "kind: BenchmarkRun\nmetadata: {name: r}\nspec:\n"
            + ("scenario: Offline\n" + more).indent(2)
            + "status:\n"
            + status.indent(2);
    try {
      return RunView.of(new YAMLMapper().readTree(yaml));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
