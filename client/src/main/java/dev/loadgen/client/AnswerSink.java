package dev.loadgen.client;

import dev.loadgen.contract.RequestFailure;

/**
 * Receives what becomes of each prompt of a request, by its position in the request. For each
 * prompt exactly one of {@link #completed} and {@link #failed} arrives; {@link #firstToken} at most
 * once, and before {@link #completed}. Calls do not overlap; they come on a thread of the
 * transport. Times are of {@link System#nanoTime}.
 */
public interface AnswerSink {
  /** In the place of a token id that the server did not send. */
  int UNKNOWN_TOKEN = -1;

  /**
   * The way of the request as a whole; comes at most once, when the server begins to answer or the
   * request fails. A time of 0 says that the request did not get that far.
   *
   * @param taken when the transport began with the request, which had waited for its turn
   * @param connected when the request had a connection
   * @param sent when the kernel had taken the last byte of the request
   * @param firstByte when the status line and headers of the answer arrived
   */
  default void timed(long taken, long connected, long sent, long firstByte) {}

  /**
   * The first token of a streamed answer has arrived. Not called for answers that are not streamed.
   *
   * @param token its id; {@link #UNKNOWN_TOKEN} if the server has sent none by now
   */
  void firstToken(int prompt, int token, long nanoTime);

  /** The answer is complete. */
  void completed(int prompt, Answer answer, long nanoTime);

  /** There will be no answer. */
  void failed(int prompt, RequestFailure failure, long nanoTime);
}
