package dev.loadgen.results.report;

/**
 * The time of a test, from the first issue to the last end; one for all charts over time of a
 * report.
 *
 * @param seconds length of the test
 */
record TimeAxis(double seconds) {
  private Unit unit() {
    return Unit.ofTime(seconds);
  }

  Axis axis() {
    return Axis.exactly(unit().of(seconds));
  }

  String title() {
    return "time since the first issue, " + unit().name();
  }

  /** A time in seconds, in the axis's unit. */
  double of(double second) {
    return unit().of(second);
  }

  /** A part of the time for people, such as {@code 12–13 s}. */
  String span(double from, double to) {
    return number(of(from)) + "–" + number(of(to)) + Numbers.SPACE + unit().name();
  }

  private static String number(double value) {
    return value == 0 ? "0" : Numbers.number(value);
  }
}
