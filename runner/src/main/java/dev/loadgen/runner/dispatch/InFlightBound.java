package dev.loadgen.runner.dispatch;

import dev.loadgen.runner.host.ProcessLimits;
import org.jspecify.annotations.Nullable;

/**
 * How many requests may be in flight. A run that sets no bound of its own gets one all the same:
 * where a server is slower than the load, requests pile up, and without a bound the client would
 * run out of file descriptors or local ports and fail requests that the server never saw.
 *
 * @param requests most in flight
 * @param reason what the bound is from, for a person
 */
public record InFlightBound(int requests, String reason) {
  /**
   * The part of what there is that requests may use. The rest is for connections that are being
   * closed, opened before another one is free, or waiting in TIME_WAIT.
   */
  private static final double SHARE = 0.8;

  /**
   * The bound of a run.
   *
   * @param asked {@code spec.client.maxConcurrency}; null: as many as the process can hold
   * @param limits of the process
   * @param servers number of servers
   */
  public static InFlightBound of(@Nullable Integer asked, ProcessLimits limits, int servers) {
    if (asked != null) {
      return new InFlightBound(asked, "spec.client.maxConcurrency");
    }
    long byFiles =
        limits.openFiles().isEmpty()
            ? Integer.MAX_VALUE
            : part(limits.openFiles().getAsLong() - limits.filesOpen());
    long byPorts =
        limits.ports().isEmpty()
            ? Integer.MAX_VALUE
            : part((long) limits.ports().getAsInt() * servers);
    return byFiles <= byPorts
        ? bound(byFiles, "the open-file limit (ulimit -n)")
        : bound(byPorts, "net.ipv4.ip_local_port_range and the number of servers");
  }

  private static InFlightBound bound(long most, String reason) {
    return most >= Integer.MAX_VALUE
        ? new InFlightBound(Integer.MAX_VALUE, "there is none")
        : new InFlightBound((int) most, reason);
  }

  private static long part(long all) {
    return Math.max(1, (long) (SHARE * all));
  }
}
