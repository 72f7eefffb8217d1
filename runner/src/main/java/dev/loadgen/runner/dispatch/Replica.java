package dev.loadgen.runner.dispatch;

import dev.loadgen.contract.RequestFailure;
import dev.loadgen.results.TestedServer;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server, and the requests that it has now. A server of which {@value #MOST_LOST} requests in a
 * row found no connection, or lost it, is dead: it is taken out for the rest of the test. Else the
 * requests that it fails at once would draw more and more of the load to it.
 */
public final class Replica implements TestedServer {
  /**
   * A server that ends cleanly, or that closes a connection just as it is used again, loses one
   * request or two; one that is dead loses all.
   */
  static final int MOST_LOST = 5;

  private static final Logger LOG = LoggerFactory.getLogger(Replica.class);

  private final int index;
  private final String name;
  private final URI url;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger lostInARow = new AtomicInteger();
  private volatile long heardAt = Long.MIN_VALUE;
  private volatile @Nullable String takenOut;

  /**
   * A server with no requests.
   *
   * @param index its position in the plan
   * @param url base URL, without the {@code /v1} of its routes
   */
  public Replica(int index, String name, URI url) {
    this.index = index;
    this.name = name;
    this.url = url;
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public String name() {
    return name;
  }

  /** Its base URL, without the {@code /v1} of its routes. */
  public URI url() {
    return url;
  }

  @Override
  public @Nullable String takenOut() {
    return takenOut;
  }

  /** A first token came at {@code nanoTime}. */
  void heard(long nanoTime) {
    heardAt = nanoTime;
  }

  /** A request was answered at {@code nanoTime}, be it by an error. */
  void answered(long nanoTime) {
    heardAt = nanoTime;
    if (lostInARow.get() != 0) {
      lostInARow.set(0);
    }
  }

  /**
   * A request that began at {@code begun} found no connection, or lost it. A server that others
   * heard of since then is not dead, if this request heard nothing at all: more connections were
   * opened at once than its listen queue holds. The kernel drops those who ask for one, or forgets
   * some that the client believes to have, and resets them when the request arrives.
   *
   * @param silent whether no byte of an answer had come
   */
  void lost(RequestFailure failure, boolean silent, long begun) {
    if (silent && heardAt > begun) {
      return;
    }
    if (lostInARow.incrementAndGet() == MOST_LOST && takenOut == null) {
      String why =
          MOST_LOST + " requests in a row lost their connection; the last: " + failure.message();
      takenOut = why;
      LOG.warn("{} is taken out of the test: {}", name, why);
    }
  }

  int inFlight() {
    return inFlight.get();
  }

  void began() {
    inFlight.incrementAndGet();
  }

  void ended() {
    inFlight.decrementAndGet();
  }
}
