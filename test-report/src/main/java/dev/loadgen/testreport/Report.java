package dev.loadgen.testreport;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What a build's tests came to.
 *
 * @param cases of all modules
 * @param problems besides failed tests, a line each
 */
record Report(List<TestCase> cases, List<String> problems) {
  private static final int SLOWEST = 20;

  /** Lines about failures, so that the end of a log shows all of them. */
  private static final int MOST_FAILURES = 10;

  private static final int WIDTH = 160;

  boolean passed() {
    return problems.isEmpty() && count(TestCase.Outcome.FAILED) == 0;
  }

  List<String> slowest() {
    List<String> lines = new ArrayList<>();
    lines.add("The slowest of " + cases.size() + " tests, in seconds:");
    cases.stream()
        .sorted(Comparator.comparingDouble(TestCase::seconds).reversed())
        .limit(SLOWEST)
        .map(test -> cut(String.format(Locale.ROOT, "%8.1f  ", test.seconds()) + nameOf(test)))
        .forEach(lines::add);
    return lines;
  }

  /** What failed, in ten lines at most; none if nothing did. */
  List<String> failures() {
    List<String> lines = new ArrayList<>(problems);
    cases.stream()
        .filter(test -> test.outcome() == TestCase.Outcome.FAILED)
        .map(test -> nameOf(test) + ": " + firstLine(test.message()))
        .forEach(lines::add);
    if (lines.size() > MOST_FAILURES) {
      int more = lines.size() - MOST_FAILURES + 1;
      lines = new ArrayList<>(lines.subList(0, MOST_FAILURES - 1));
      lines.add("and " + more + " more");
    }
    return lines.stream().map(Report::cut).toList();
  }

  /** The last line: how many passed, failed and were skipped. */
  String counts() {
    return "%d passed, %d failed, %d skipped"
        .formatted(
            count(TestCase.Outcome.PASSED),
            count(TestCase.Outcome.FAILED),
            count(TestCase.Outcome.SKIPPED));
  }

  /** A line a test, slowest first, under a line of column names. */
  String csv() {
    StringBuilder text = new StringBuilder("seconds,outcome,module,class,test\n");
    cases.stream()
        .sorted(
            Comparator.comparingDouble(TestCase::seconds)
                .reversed()
                .thenComparing(TestCase::className)
                .thenComparing(TestCase::name))
        .forEach(
            test ->
                text.append(String.format(Locale.ROOT, "%.3f", test.seconds()))
                    .append(',')
                    .append(test.outcome().name().toLowerCase(Locale.ROOT))
                    .append(',')
                    .append(test.module())
                    .append(',')
                    .append(test.className())
                    .append(",\"")
                    .append(test.name().replace("\"", "\"\"").replaceAll("\\s+", " "))
                    .append("\"\n"));
    return text.toString();
  }

  private long count(TestCase.Outcome outcome) {
    return cases.stream().filter(test -> test.outcome() == outcome).count();
  }

  private static String nameOf(TestCase test) {
    return test.module() + "  " + test.shortName();
  }

  private static String firstLine(String message) {
    return message
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .findFirst()
        .orElse("");
  }

  private static String cut(String line) {
    String plain = line.replaceAll("\\p{Cntrl}", " ");
    return plain.length() <= WIDTH ? plain : plain.substring(0, WIDTH - 3) + "...";
  }
}
