package dev.loadgen.runner.debug;

import dev.loadgen.results.SampleRecord;
import java.util.Locale;
import java.util.OptionalDouble;

/** The parts of a sample's latency, in their order; together they are all of it. */
public enum SamplePhase {
  /** From LoadGen's issue until the transport has the request in hand. */
  QUEUE,
  /** Until the request has a connection, an idle one or a new one. */
  CONNECT,
  /** Until the kernel has taken the last byte of the request. */
  SEND,
  /** Until the answer's status line and headers are there. */
  FIRST_BYTE,
  /** Until the first token of a streamed answer. */
  FIRST_TOKEN,
  /** Until the answer is complete. */
  STREAM;

  /** Its name in files, such as {@code first_byte}. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * How long it was in a sample, in milliseconds; empty if the sample did not get to its end, or
   * has no such phase.
   */
  public OptionalDouble millis(SampleRecord sample) {
    long end = end(sample);
    if (end == 0) {
      return OptionalDouble.empty();
    }
    long begin = sample.issued();
    for (SamplePhase before : values()) {
      if (before == this) {
        break;
      }
      // A server that answers before it has read the whole request skips a phase.
      begin = Math.max(begin, before.end(sample));
    }
    return OptionalDouble.of(Math.max(0, end - begin) / 1e6);
  }

  private long end(SampleRecord sample) {
    return switch (this) {
      case QUEUE -> sample.started();
      case CONNECT -> sample.connected();
      case SEND -> sample.sent();
      case FIRST_BYTE -> sample.firstByte();
      case FIRST_TOKEN -> sample.firstToken();
      case STREAM -> sample.succeeded() ? sample.ended() : 0;
    };
  }
}
