package dev.loadgen.results;

import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.TokenCountSource;

/** Records of samples for tests of what is made of them. Times are in milliseconds. */
public final class Records {
  /** Times count from here, since 0 means that something did not happen. */
  private static final long ORIGIN = 1_000_000_000L;

  private Records() {}

  /** A streamed answer, sent as soon as it was issued. */
  public static SampleRecord streamed(
      int index, int replica, double issued, double firstToken, double ended, int tokens) {
    SampleRecord sample = whole(index, replica, issued, issued, ended, tokens);
    sample.firstToken(at(firstToken));
    return sample;
  }

  /** An answer that was not streamed. */
  public static SampleRecord whole(
      int index, int replica, double issued, double started, double ended, int tokens) {
    SampleRecord sample = new SampleRecord(index, index, at(issued));
    sample.sentTo(replica);
    sample.timed(at(started), 0, 0, 0);
    sample.completed(tokens, TokenCountSource.TOKEN_IDS, "length", at(ended));
    return sample;
  }

  /** The way of a sample's request; a time of 0 did not happen. */
  public static SampleRecord timed(
      SampleRecord sample, double connected, double sent, double firstByte) {
    sample.timed(
        sample.started(),
        connected == 0 ? 0 : at(connected),
        sent == 0 ? 0 : at(sent),
        firstByte == 0 ? 0 : at(firstByte));
    return sample;
  }

  /** A request that failed. */
  public static SampleRecord failed(
      int index, int replica, double issued, double ended, RequestFailure failure) {
    SampleRecord sample = new SampleRecord(index, index, at(issued));
    sample.sentTo(replica);
    sample.timed(at(issued), 0, 0, 0);
    sample.failed(failure, at(ended));
    return sample;
  }

  /** A sample that was never sent. */
  public static SampleRecord unsent(int index, double issued, double ended) {
    SampleRecord sample = new SampleRecord(index, index, at(issued));
    sample.failed(new RequestFailure(RequestFailure.Kind.ABORTED, "ended"), at(ended));
    return sample;
  }

  private static long at(double millis) {
    return ORIGIN + Math.round(millis * 1e6);
  }
}
