package dev.loadgen.runner.dispatch;

import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;

/** One server, and the requests that it has now. */
public final class Replica {
  private final int index;
  private final String name;
  private final URI url;
  private final AtomicInteger inFlight = new AtomicInteger();

  /**
   * A server with no requests.
   *
   * @param index its position in the plan
   * @param url base URL, without a path
   */
  public Replica(int index, String name, URI url) {
    this.index = index;
    this.name = name;
    this.url = url;
  }

  /** Its position in the plan. */
  public int index() {
    return index;
  }

  /** Its name in results. */
  public String name() {
    return name;
  }

  /** Its base URL, without a path. */
  public URI url() {
    return url;
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
