package dev.loadgen.testreport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static TestCase test(String name, double seconds, TestCase.Outcome outcome) {
    return new TestCase(
        "m", "a.b.SomeIT", name, seconds, outcome, outcome.name() + ", for a reason\nstack");
  }

  @Test
  void theTwentySlowestAreNamedSlowestFirst() {
    List<TestCase> cases =
        IntStream.range(0, 30).mapToObj(i -> test("t" + i, i, TestCase.Outcome.PASSED)).toList();

    List<String> lines = new Report(cases, List.of()).slowest();

    assertThat(lines).hasSize(21);
    assertThat(lines.get(0)).isEqualTo("The slowest of 30 tests, in seconds:");
    assertThat(lines.get(1)).isEqualTo("    29.0  m  SomeIT.t29");
    assertThat(lines.get(20)).isEqualTo("    10.0  m  SomeIT.t10");
  }

  @Test
  void whatPassedAndWasSkippedIsNoFailure() {
    Report report =
        new Report(
            List.of(test("a", 1, TestCase.Outcome.PASSED), test("b", 1, TestCase.Outcome.SKIPPED)),
            List.of());

    assertThat(report.passed()).isTrue();
    assertThat(report.failures()).isEmpty();
    assertThat(report.counts()).isEqualTo("1 passed, 0 failed, 1 skipped");
  }

  @Test
  void failuresAreTenLinesAtMost() {
    Report report =
        new Report(
            Collections.nCopies(12, test("a", 1, TestCase.Outcome.FAILED)),
            List.of("m  a.LostTest has not reported"));

    assertThat(report.passed()).isFalse();
    assertThat(report.failures()).hasSize(10);
    assertThat(report.failures().get(0)).isEqualTo("m  a.LostTest has not reported");
    assertThat(report.failures().get(1)).isEqualTo("m  SomeIT.a: FAILED, for a reason");
    assertThat(report.failures().get(9)).isEqualTo("and 4 more");
  }

  @Test
  void aProblemAloneFailsTheBuild() {
    assertThat(new Report(List.of(), List.of("m  crashed")).passed()).isFalse();
  }

  @Test
  void everyTestIsALineOfTheFile() {
    Report report =
        new Report(
            List.of(
                test("quick", 0.1, TestCase.Outcome.PASSED),
                test("says \"no\"", 2, TestCase.Outcome.FAILED)),
            List.of());

    assertThat(report.csv())
        .isEqualTo(
            """
            seconds,outcome,module,class,test
            2.000,failed,m,a.b.SomeIT,"says ""no""\"
            0.100,passed,m,a.b.SomeIT,"quick"
            """);
  }
}
