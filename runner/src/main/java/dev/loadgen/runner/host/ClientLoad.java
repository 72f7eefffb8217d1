package dev.loadgen.runner.host;

import com.sun.management.OperatingSystemMXBean;
import dev.loadgen.client.transport.Lane;
import dev.loadgen.results.ClientUsage;
import dev.loadgen.runner.host.KernelFiles.CpuTime;
import dev.loadgen.runner.host.KernelFiles.Throttling;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the client itself during a test, so that what it could not do is not taken for what the
 * server did not do. Begins as it is made.
 */
public final class ClientLoad implements AutoCloseable {
  private final LongSupplier nanoTime;
  private final KernelFiles kernel;
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final GcPauses pauses = new GcPauses();
  private final List<LaneWatch> lanes;
  private final Canary canary;
  private final long begun;
  private final long cpuAtBegin;
  private final Optional<Throttling> throttlingAtBegin;
  private final Optional<CpuTime> machineAtBegin;
  private long openFilesPeak;

  /** Begins to measure this process and the lanes of its transport. */
  public static ClientLoad begin(List<Lane> lanes) {
    return new ClientLoad(System::nanoTime, KernelFiles.here(), lanes);
  }

  ClientLoad(LongSupplier nanoTime, KernelFiles kernel, List<Lane> lanes) {
    this.nanoTime = nanoTime;
    this.kernel = kernel;
    this.begun = nanoTime.getAsLong();
    this.cpuAtBegin = system.getProcessCpuTime();
    this.throttlingAtBegin = kernel.throttling();
    this.machineAtBegin = kernel.cpuTime();
    this.lanes = lanes.stream().map(lane -> new LaneWatch(lane, nanoTime)).toList();
    this.canary = new Canary(nanoTime, this.lanes, this::countOpenFiles);
    canary.start();
  }

  /** The client from the beginning to now. Any thread. */
  public synchronized ClientUsage usage() {
    double seconds = (nanoTime.getAsLong() - begun) / 1e9;
    double cpu = (system.getProcessCpuTime() - cpuAtBegin) / 1e9;
    int processors = Runtime.getRuntime().availableProcessors();
    Lags lags = canary.lags();
    Throttling throttled = throttledSince();
    countOpenFiles();
    OptionalLong limit = ProcessLimits.openFilesLimit();
    return new ClientUsage(
        seconds,
        cpu,
        seconds > 0 ? cpu / seconds / processors : 0,
        pauses.totalMillis(),
        pauses.pauses(),
        pauses.longestMillis(),
        lags.percentileMillis(50),
        lags.percentileMillis(99),
        lags.maxMillis(),
        throttled == null ? null : share(throttled.throttled(), throttled.periods()),
        throttled == null ? null : throttled.seconds(),
        stolenSince(),
        limit.isEmpty() ? null : openFilesPeak,
        limit.isEmpty() ? null : limit.getAsLong(),
        this.lanes.stream().map(LaneWatch::load).toList());
  }

  private synchronized void countOpenFiles() {
    openFilesPeak = Math.max(openFilesPeak, ProcessLimits.openNow().orElse(0));
  }

  private @Nullable Throttling throttledSince() {
    Optional<Throttling> now = kernel.throttling();
    if (throttlingAtBegin.isEmpty() || now.isEmpty()) {
      return null;
    }
    Throttling before = throttlingAtBegin.get();
    return new Throttling(
        now.get().periods() - before.periods(),
        now.get().throttled() - before.throttled(),
        now.get().seconds() - before.seconds());
  }

  private @Nullable Double stolenSince() {
    Optional<CpuTime> now = kernel.cpuTime();
    if (machineAtBegin.isEmpty() || now.isEmpty()) {
      return null;
    }
    CpuTime before = machineAtBegin.get();
    return share(now.get().stolen() - before.stolen(), now.get().total() - before.total());
  }

  private static double share(long part, long whole) {
    return whole > 0 ? (double) part / whole : 0;
  }

  @Override
  public void close() {
    canary.close();
    pauses.close();
  }
}
