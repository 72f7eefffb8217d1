package dev.loadgen.api.v1alpha1;

/** Which fields of a status are times, all of RFC 3339. */
final class StatusTimes {
  private StatusTimes() {}

  /** Whether a field is one, by its name: {@code time}, {@code startTime}, {@code idleSince}. */
  static boolean isTime(String field) {
    return field.equals("time") || field.endsWith("Time") || field.endsWith("Since");
  }
}
