package dev.loadgen.simulator;

sealed interface Finish {
  /** The limit of tokens was reached. */
  record Length() implements Finish {}

  /** The end-of-sequence token was generated. */
  record EndOfSequence() implements Finish {}

  /** The text came to hold one of the request's stop strings. */
  record StopString(String matched) implements Finish {}

  /** One of the request's stop token ids was generated. */
  record StopToken(int matched) implements Finish {}

  /** {@code length} or {@code stop}, the words of both engines. */
  default String reason() {
    return this instanceof Length ? "length" : "stop";
  }
}
