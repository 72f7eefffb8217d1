package dev.loadgen.simulator;

import java.time.Instant;

/**
 * One choice of one prompt on its way through the replica. The fields of progress are written by
 * the thread that plays the sequence and read by it, or by others after they joined it.
 */
final class Sequence {
  final int index;
  final String id;
  final int[] prompt;
  final long state;
  final boolean streamed;
  private final long receivedNanos;
  private final Instant received;
  private SequenceOutput output;
  private int cached;
  private long scheduledNanos;
  private long firstTokenNanos;
  private long lastTokenNanos;
  private boolean finished;

  /**
   * @param index the position of the choice in the answer
   * @param id the request id that the answer shows for it
   * @param state the random state for its jitter
   * @param streamed whether the client gets it token by token
   * @param receivedNanos arrival on the monotonic clock
   * @param received arrival by the time of day
   */
  Sequence(
      int index,
      String id,
      int[] prompt,
      long state,
      boolean streamed,
      long receivedNanos,
      Instant received,
      SequenceOutput output) {
    this.index = index;
    this.id = id;
    this.prompt = prompt;
    this.state = state;
    this.streamed = streamed;
    this.receivedNanos = receivedNanos;
    this.received = received;
    this.output = output;
  }

  SequenceOutput output() {
    return output;
  }

  /** Makes the sequence end after {@code tokens} tokens. Before it is played. */
  void shortenTo(int tokens, Finish finish) {
    output = output.shortenedTo(tokens, finish);
  }

  /** Makes the sequence have its tokens twice. Before it is played. */
  void repeat() {
    output = output.repeated();
  }

  /** How many prompt tokens came from the prefix cache. */
  int cached() {
    return cached;
  }

  void scheduled(long nanos, int cachedTokens) {
    scheduledNanos = nanos;
    cached = cachedTokens;
  }

  void producedFirst(long nanos) {
    firstTokenNanos = nanos;
  }

  void produced(long nanos) {
    lastTokenNanos = nanos;
  }

  /** The sequence has ended, by itself or by a fault. */
  void finish() {
    finished = true;
  }

  boolean finished() {
    return finished;
  }

  long lastTokenNanos() {
    return lastTokenNanos;
  }

  double queueSeconds() {
    return seconds(scheduledNanos - receivedNanos);
  }

  double prefillSeconds() {
    return seconds(firstTokenNanos - scheduledNanos);
  }

  double decodeSeconds() {
    return seconds(lastTokenNanos - firstTokenNanos);
  }

  double firstTokenSeconds() {
    return seconds(firstTokenNanos - receivedNanos);
  }

  double totalSeconds() {
    return seconds(lastTokenNanos - receivedNanos);
  }

  /** Mean time between output tokens; 0 for fewer than two. */
  double secondsPerOutputToken() {
    return output.size() < 2 ? 0 : decodeSeconds() / (output.size() - 1);
  }

  double receivedEpoch() {
    return epoch(receivedNanos);
  }

  double scheduledEpoch() {
    return epoch(scheduledNanos);
  }

  double firstTokenEpoch() {
    return epoch(firstTokenNanos);
  }

  double lastTokenEpoch() {
    return epoch(lastTokenNanos);
  }

  private double epoch(long nanos) {
    return received.getEpochSecond() + received.getNano() / 1e9 + seconds(nanos - receivedNanos);
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }
}
