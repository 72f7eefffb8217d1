package dev.loadgen.runner.host;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.loadgen.runner.host.KernelFiles.PortRange;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * How many connections this process can hold: each takes a file descriptor, and a local port that
 * no other connection to the same server has.
 *
 * @param openFiles the most descriptors that may be open; empty if not known
 * @param filesOpen those that are open now
 * @param ports local ports that connections are opened from; empty if not known
 */
public record ProcessLimits(OptionalLong openFiles, long filesOpen, OptionalInt ports) {
  /**
   * Descriptors that are kept for all else: the results, LoadGen's logs, the servers' metrics,
   * progress.
   */
  static final int RESERVED = 64;

  /** Those of this process, now. */
  public static ProcessLimits here() {
    Optional<PortRange> range = KernelFiles.here().localPorts();
    return new ProcessLimits(
        openFilesLimit(),
        openNow().orElse(0),
        range.isEmpty() ? OptionalInt.empty() : OptionalInt.of(range.get().size()));
  }

  static OptionalLong openFilesLimit() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? OptionalLong.of(unix.getMaxFileDescriptorCount())
        : OptionalLong.empty();
  }

  static OptionalLong openNow() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? OptionalLong.of(unix.getOpenFileDescriptorCount())
        : OptionalLong.empty();
  }

  /**
   * What keeps so many connections from being held at once, and the cure.
   *
   * @param connections in all
   * @param servers over which they spread evenly
   * @return empty if nothing does
   */
  public Optional<String> problem(long connections, int servers) {
    long free = openFiles.orElse(Long.MAX_VALUE) - filesOpen - RESERVED;
    if (connections > free) {
      return Optional.of(
          connections
              + " requests in flight need as many file descriptors, and the open-file limit of "
              + openFiles.orElse(0)
              + " leaves "
              + Math.max(0, free)
              + "; raise the limit (ulimit -n, or the container runtime's) to "
              + (connections + filesOpen + RESERVED)
              + " or more, or set spec.client.maxConcurrency to "
              + Math.max(1, free)
              + " or less");
    }
    long perServer = (connections + servers - 1) / servers;
    int available = ports.orElse(Integer.MAX_VALUE);
    if (perServer > available) {
      return Optional.of(
          ("%s requests in flight to one server need as many local ports, and"
                  + " net.ipv4.ip_local_port_range has %s; widen the range, or set"
                  + " spec.client.maxConcurrency to %s or less")
              .formatted(perServer, available, (long) available * servers));
    }
    return Optional.empty();
  }
}
