package dev.loadgen.runner;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** What the client itself used during a test, so that it can be told from the server's share. */
final class ClientLoad {
  private final LongSupplier nanoTime;
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final long begun;
  private final long cpuAtBegin;
  private final long pausesAtBegin;

  /** Begins to measure. */
  ClientLoad(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.begun = nanoTime.getAsLong();
    this.cpuAtBegin = system.getProcessCpuTime();
    this.pausesAtBegin = collectionMillis();
  }

  /**
   * The client's share since the beginning.
   *
   * @param cpuSeconds CPU time of the process
   * @param cpuShare of all processors that it may use, 0 to 1
   * @param gcMillis time in garbage collections
   */
  record Usage(double cpuSeconds, double cpuShare, long gcMillis) {}

  Usage usage() {
    double seconds = (nanoTime.getAsLong() - begun) / 1e9;
    double cpu = (system.getProcessCpuTime() - cpuAtBegin) / 1e9;
    int processors = Runtime.getRuntime().availableProcessors();
    return new Usage(
        cpu, seconds > 0 ? cpu / seconds / processors : 0, collectionMillis() - pausesAtBegin);
  }

  private static long collectionMillis() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .filter(millis -> millis > 0)
        .sum();
  }
}
