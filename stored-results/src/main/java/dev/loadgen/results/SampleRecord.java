package dev.loadgen.results;

import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.TokenCountSource;
import org.jspecify.annotations.Nullable;

/**
 * What became of one query sample. Written by the thread that has the sample at the time, read
 * after the test; the hand-overs between threads (queue, LoadGen's call, end of the test) order the
 * accesses. Times are of {@link System#nanoTime}; 0 means that it did not happen.
 */
public final class SampleRecord {
  private final long id;
  private final int index;
  private final long issued;
  private int replica = -1;
  private long started;
  private long connected;
  private long sent;
  private long firstByte;
  private long firstToken;
  private long ended;
  private int tokens;
  private @Nullable TokenCountSource tokenCountSource;
  private String finishReason = "";
  private @Nullable RequestFailure failure;

  /**
   * A sample that LoadGen has just issued.
   *
   * @param id LoadGen's own
   * @param index its position in the dataset
   */
  public SampleRecord(long id, int index, long issued) {
    this.id = id;
    this.index = index;
    this.issued = issued;
  }

  /** It goes to the replica at a position of the plan, which may not be the first that had it. */
  public void sentTo(int replica) {
    this.replica = replica;
  }

  /**
   * How its request went out.
   *
   * @param taken when the transport had the request in hand; of several tries the first counts
   */
  public void timed(long taken, long connected, long sent, long firstByte) {
    if (started == 0) {
      started = taken;
    }
    this.connected = connected;
    this.sent = sent;
    this.firstByte = firstByte;
  }

  /** Its first token arrived. */
  public void firstToken(long nanoTime) {
    this.firstToken = nanoTime;
  }

  /** It was answered in full. */
  public void completed(int tokens, TokenCountSource source, String finishReason, long nanoTime) {
    this.tokens = tokens;
    this.tokenCountSource = source;
    this.finishReason = finishReason;
    this.ended = nanoTime;
  }

  /** It has no answer, and will have none. */
  public void failed(RequestFailure failure, long nanoTime) {
    this.failure = failure;
    this.ended = nanoTime;
  }

  /** LoadGen's own number of it. */
  public long id() {
    return id;
  }

  /** The sample's position in the dataset. */
  public int index() {
    return index;
  }

  /** When LoadGen issued it. */
  public long issued() {
    return issued;
  }

  /** The position in the plan of the replica that it was last sent to; -1: it was never sent. */
  public int replica() {
    return replica;
  }

  /**
   * When the transport had its request in hand, the first one where it was sent again. Until then
   * it waited for a place among those in flight, and for its turn in the queue of an event loop.
   */
  public long started() {
    return started;
  }

  /** When its request had a connection. */
  public long connected() {
    return connected;
  }

  /** When the kernel had taken the last byte of its request. */
  public long sent() {
    return sent;
  }

  /** When the status line and headers of the answer arrived. */
  public long firstByte() {
    return firstByte;
  }

  /** When its first token arrived; 0 if it was not streamed. */
  public long firstToken() {
    return firstToken;
  }

  /** When it was answered in full, or failed. */
  public long ended() {
    return ended;
  }

  /** Output tokens by the server's account; 0 if it failed. */
  public int tokens() {
    return tokens;
  }

  /** Where the count is from; null if it failed. */
  public @Nullable TokenCountSource tokenCountSource() {
    return tokenCountSource;
  }

  /** As the server says; empty if it failed. */
  public String finishReason() {
    return finishReason;
  }

  /** Why it failed; null if it was answered in full. */
  public @Nullable RequestFailure failure() {
    return failure;
  }

  /** Whether it was answered in full. */
  public boolean succeeded() {
    return ended != 0 && failure == null;
  }
}
