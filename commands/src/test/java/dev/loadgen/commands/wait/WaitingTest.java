package dev.loadgen.commands.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Waiting for runs of an API server that answers what the test has written, in virtual time. */
class WaitingTest {
  private static final String PATH = "/apis/loadgen.dev/v1alpha1/namespaces/team/benchmarkruns/";
  private static final Duration TIMEOUT = Duration.ofHours(2);

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Script script = new Script();
  private final VirtualTime time = new VirtualTime();

  /** Answers by run, one after the other; the last stays. */
  private static final class Script implements RunReader.Requests {
    private final Map<String, Deque<Object>> answers = new HashMap<>();
    private final List<String> asked = new ArrayList<>();

    @Override
    public RunReader.Answer get(String path) throws IOException {
      assertThat(path).startsWith(PATH);
      String run = path.substring(PATH.length());
      asked.add(run);
      Deque<Object> next = Objects.requireNonNull(answers.get(run));
      Object answer = next.size() > 1 ? next.pop() : next.getFirst();
      if (answer instanceof IOException e) {
        throw e;
      }
      return (RunReader.Answer) answer;
    }

    @Override
    public void close() {}
  }

  private static final class VirtualTime implements Time {
    private Duration elapsed = Duration.ZERO;

    @Override
    public Duration elapsed() {
      return elapsed;
    }

    @Override
    public void pause(Duration time) {
      elapsed = elapsed.plus(time);
    }
  }

  private void answers(String run, Object... answers) {
    script.answers.put(run, new ArrayDeque<>(List.of(answers)));
  }

  private int await(String... runs) throws InterruptedException {
    return await(TIMEOUT, runs);
  }

  private int await(Duration timeout, String... runs) throws InterruptedException {
    RunReader reader = new RunReader("https://cluster:6443", "team", script);
    return new Waiting(reader, time, false, new PrintWriter(out), new PrintWriter(err))
        .run(List.of(runs), timeout);
  }

  private static RunReader.Answer run(String uid, String status) {
    return run(uid, "", status);
  }

  private static RunReader.Answer run(String uid, String annotation, String status) {
    return new RunReader.Answer(
        200,
        """
        {"kind": "BenchmarkRun", "metadata": {"name": "%s", "uid": "%s", "annotations": {%s}},
         "spec": {"scenario": "Offline"}, "status": {%s}}
        """
            .formatted(uid.replaceAll("-.*", ""), uid, annotation, status));
  }

  private static String finished(String phase, String reason) {
    return """
    "phase": "%s", "verdict": "%s", "resultsClaim": "c", "resultsPath": "p/u",
    "conditions": [{"type": "Finished", "status": "True", "reason": "%s", "message": "m"},
                   {"type": "Ready", "status": "%s", "reason": "x", "message": "m"}]
    """
        .formatted(phase, reason, reason, reason.equals("Valid") ? "True" : "False");
  }

  private static String running(int completed) {
    return """
    "phase": "Running",
    "progress": {"stage": "Running", "issued": 40, "completed": %d, "failed": 0, "total": 40},
    "conditions": [{"type": "Finished", "status": "False", "reason": "InProgress", "message": "m"}]
    """
        .formatted(completed);
  }

  private static RunReader.Answer refused(int code, String message) {
    return new RunReader.Answer(
        code,
        "{\"kind\": \"Status\", \"message\": \"%s\"}".formatted(message.replace("\"", "\\\"")));
  }

  private static final RunReader.Answer NONE =
      refused(404, "benchmarkruns.loadgen.dev \"a\" not found");
  private static final RunReader.Answer FORBIDDEN =
      refused(403, "benchmarkruns.loadgen.dev \"a\" is forbidden: User \"ci\" cannot get it");

  @Test
  void showsProgressAndThenWhatTheRunCameTo() throws InterruptedException {
    answers(
        "a",
        run("a-1", "\"observedGeneration\": -1"),
        run("a-1", running(1)),
        run("a-1", running(20)),
        run("a-1", finished("Completed", "Valid")));

    assertThat(await("a")).isZero();

    assertThat(out.toString())
        .startsWith("waiting for a in namespace team of https://cluster:6443, for 2 h 0 m at most")
        .containsSubsequence(
            "run a: Pending",
            "run a: Running  issued 40  completed 1",
            "run a: Completed  Valid",
            "RUN ",
            "  report   p/u/report.html in claim c");
    assertThat(err.toString()).isEmpty();
    assertThat(script.asked).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource({
    "Completed, Valid,        0",
    "Completed, Invalid,      1",
    "Failed,    Failed,       1",
    "Completed, Inconclusive, 4",
    "Planned,   DryRun,       1",
    "Completed, Splendid,     4"
  })
  void theReasonOfFinishedIsTheExitCode(String phase, String reason, int code)
      throws InterruptedException {
    answers("a", run("a-1", finished(phase, reason)));

    assertThat(await("a")).isEqualTo(code);
  }

  @Test
  void aRunThatIsOnlyPlannedAndNotRejectedIsWell() throws InterruptedException {
    answers(
        "a",
        run(
            "a-1",
            finished("Planned", "DryRun")
                .replace("\"Ready\", \"status\": \"False\"", "\"Ready\", \"status\": \"True\"")));

    assertThat(await("a")).isZero();
  }

  @ParameterizedTest
  @CsvSource({"Completed, Valid, 0", "Completed, Invalid, 1", "Completed, , 4", "Failed, , 1"})
  void anOperatorWithoutTheConditionFinishedIsUnderstood(
      String phase, @Nullable String verdict, int code) throws InterruptedException {
    answers(
        "a",
        run(
            "a-1",
            "\"phase\": \"%s\"".formatted(phase)
                + (verdict == null ? "" : ", \"verdict\": \"%s\"".formatted(verdict))));

    assertThat(await("a")).isEqualTo(code);
  }

  @Test
  void ofSeveralRunsAllAreWaitedForAndTheWorstWins() throws InterruptedException {
    answers("a", run("a-1", finished("Completed", "Invalid")));
    answers("b", run("b-1", running(1)), run("b-1", finished("Completed", "Inconclusive")));
    answers("c", run("c-1", finished("Completed", "Valid")));

    assertThat(await("c", "b")).isEqualTo(4);
    assertThat(await("a", "b", "c")).isEqualTo(1);

    assertThat(out.toString()).contains("c    Offline   Valid", "a    Offline   Invalid");
  }

  @Test
  void theDeadlineNamesWhatHasNotEnded() throws InterruptedException {
    answers("a", run("a-1", running(1)));
    answers("b", run("b-1", finished("Completed", "Valid")));

    assertThat(await("a", "b")).isEqualTo(3);

    assertThat(err.toString())
        .isEqualTo(
            "loadgen: --timeout of 2 h 0 m passed, and these runs have not ended; they go on: a"
                + " (Running)\n");
    assertThat(out.toString()).contains("b    Offline   Valid");
    assertThat(time.elapsed()).isEqualTo(TIMEOUT);
  }

  @Test
  void aRunThatIsKnownToBeBadIsWorseThanOneThatHasNotEnded() throws InterruptedException {
    answers("a", run("a-1", running(1)));
    answers("b", run("b-1", finished("Completed", "Invalid")));
    answers("c", run("c-1", finished("Completed", "Inconclusive")));

    assertThat(await("a", "b", "c")).isEqualTo(1);
    assertThat(await("a", "c")).isEqualTo(3);
  }

  @Test
  void aRunThatIsDeletedEndsTheWaitForIt() throws InterruptedException {
    answers("a", run("a-1", running(1)), NONE);

    assertThat(await("a")).isEqualTo(1);

    assertThat(err.toString())
        .isEqualTo("loadgen: run a was deleted before it had ended, and has no verdict\n");
    assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void anotherRunOfItsNameIsNotTakenForIt() throws InterruptedException {
    answers("a", run("a-1", running(1)), run("a-2", finished("Completed", "Valid")));

    assertThat(await("a")).isEqualTo(1);

    assertThat(err.toString()).contains("was deleted", "a new run has its name now");
    assertThat(out.toString()).doesNotContain("Valid");
  }

  @Test
  void aRunThatIsSuspendedIsWaitedForAndTold() throws InterruptedException {
    String suspended = "\"phase\": \"Suspended\"";
    answers(
        "a",
        run("a-1", suspended),
        run("a-1", suspended),
        run("a-1", running(1)),
        run("a-1", finished("Completed", "Valid")));

    assertThat(await("a")).isZero();

    assertThat(out.toString())
        .containsOnlyOnce("run a is suspended; still waiting. To resume it")
        .contains("kubectl patch benchmarkrun/a -n team");
  }

  /** The status is still that of the last test. */
  @Test
  void aRunThatIsToBeRunAgainHasNotEnded() throws InterruptedException {
    String again = "\"loadgen.dev/rerun\": \"2\"";
    answers(
        "a",
        run("a-1", again, finished("Completed", "Valid")),
        run("a-1", again, "\"rerun\": \"2\", " + running(1)),
        run("a-1", again, "\"rerun\": \"2\", " + finished("Completed", "Invalid")));

    assertThat(await("a")).isEqualTo(1);
  }

  @Test
  void anApiServerThatIsAwayForAWhileIsToldOnceAndOutlasted() throws InterruptedException {
    answers(
        "a",
        run("a-1", running(1)),
        new ConnectException("refused"),
        refused(503, "starting"),
        new RunReader.Answer(502, "<html>Bad\nGateway"),
        new RunReader.Answer(200, "{\"kind\": \"Dashboard\"}"),
        new RunReader.Answer(404, "404 page not found"),
        FORBIDDEN,
        run("a-1", running(2)),
        run("a-1", finished("Completed", "Valid")));

    assertThat(await("a")).isZero();

    assertThat(err.toString())
        .isEqualTo(
            """
            loadgen: the API server https://cluster:6443 does not answer: refused; trying again
            loadgen: the API server https://cluster:6443 answers again
            """);
  }

  @Test
  void anApiServerThatIsAwayUntilTheDeadlineIsNoVerdict() throws InterruptedException {
    answers("a", run("a-1", running(1)), new ConnectException("refused"));

    assertThat(await("a")).isEqualTo(3);
  }

  @Test
  void aRightThatIsTakenAwayForGoodEndsTheWait() throws InterruptedException {
    answers("a", run("a-1", running(1)), FORBIDDEN);

    assertThat(await("a")).isEqualTo(2);

    assertThat(time.elapsed()).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(2));
    assertThat(err.toString()).contains("User \"ci\" cannot get it");
  }

  @Test
  void everyRunThatDoesNotExistIsNamedAndNothingWaitedFor() throws InterruptedException {
    answers("a", NONE);
    answers("b", refused(404, "benchmarkruns.loadgen.dev \"b\" not found"));
    answers("c", run("c-1", running(1)));

    assertThat(await("a", "c", "b")).isEqualTo(2);

    assertThat(err.toString())
        .contains(
            "there is no BenchmarkRun a in namespace team of https://cluster:6443; apply it first,"
                + " or name its namespace by -n",
            "there is no BenchmarkRun b ");
    assertThat(time.elapsed()).isZero();
  }

  @Test
  void aMissingRightIsToldAtOnceWithTheServersWords() throws InterruptedException {
    answers("a", FORBIDDEN);

    assertThat(await("a")).isEqualTo(2);

    assertThat(err.toString())
        .contains("User \"ci\" cannot get it", "the verb get on benchmarkruns of loadgen.dev");
    assertThat(time.elapsed()).isZero();
  }

  @Test
  void aClusterWithoutTheOperatorIsToldAtOnce() throws InterruptedException {
    answers("a", new RunReader.Answer(404, "404 page not found\n"));

    assertThat(await("a")).isEqualTo(2);

    assertThat(err.toString()).contains("has no kind BenchmarkRun", "install the operator");
    assertThat(time.elapsed()).isZero();
  }

  @Test
  void aServerThatNeverAnswersIsToldAtOnceAndGivenUpAfterAMinute() throws InterruptedException {
    answers("a", new ConnectException("refused"));

    assertThat(await("a")).isEqualTo(2);

    assertThat(err)
        .hasToString(
            """
            loadgen: the API server https://cluster:6443 does not answer: refused; trying again
            loadgen: the API server https://cluster:6443 does not answer: refused
            """);
    assertThat(time.elapsed()).isBetween(Duration.ofSeconds(58), Duration.ofSeconds(62));
  }

  @Test
  void aServerThatNeverAnswersIsGivenUpAtTheDeadline() throws InterruptedException {
    answers("a", new ConnectException("refused"));

    assertThat(await(Duration.ofSeconds(9), "a")).isEqualTo(2);

    assertThat(time.elapsed()).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(11));
  }

  @Test
  void aServerThatIsStartingIsWaitedFor() throws InterruptedException {
    answers(
        "a",
        new ConnectException("refused"),
        refused(503, "starting"),
        run("a-1", finished("Completed", "Valid")));

    assertThat(await("a")).isZero();
  }
}
