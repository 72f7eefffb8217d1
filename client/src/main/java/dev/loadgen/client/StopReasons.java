package dev.loadgen.client;

import dev.loadgen.rules.evidence.AskedAnswer;

/** Why an answer ended, in the words that both engines share. */
final class StopReasons {
  private StopReasons() {}

  /**
   * Both engines say {@code stop} whether the model ended its answer or a text did that stands in
   * it; which of the two, they say in a field of its own.
   */
  static String of(String reason, boolean atText) {
    return atText && reason.equals(AskedAnswer.STOP) ? AskedAnswer.STOP_STRING : reason;
  }
}
