package dev.loadgen.results;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The client of a test, from its beginning; {@code client} of {@code environment.json}. What the
 * machine does not tell is null.
 *
 * @param seconds how long it was measured
 * @param cpuSeconds CPU time of the process
 * @param cpuShare of all processors that it may use, 0 to 1
 * @param gcMillis time that all threads stood still for garbage collections
 * @param gcPauses how many such times there were
 * @param gcLongestMillis the longest of them
 * @param stampLagP50Ms how late a thread ran that wanted to run at a known time, in milliseconds;
 *     about as late as it would have stamped an answer
 * @param stampLagP99Ms the 99th percentile of the same
 * @param stampLagMaxMs the longest of the same
 * @param throttledShare share of the scheduler's periods with the container's CPU limit used up
 * @param throttledSeconds time that the process was stopped by that limit
 * @param stealShare share of the machine's CPU time that a hypervisor gave to others
 * @param openFiles the most file descriptors that were seen open
 * @param openFilesLimit the most that may be open
 * @param lanes what carries the requests; null: written by a runner that did not measure it
 */
public record ClientUsage(
    double seconds,
    double cpuSeconds,
    double cpuShare,
    long gcMillis,
    long gcPauses,
    long gcLongestMillis,
    double stampLagP50Ms,
    double stampLagP99Ms,
    double stampLagMaxMs,
    @Nullable Double throttledShare,
    @Nullable Double throttledSeconds,
    @Nullable Double stealShare,
    @Nullable Long openFiles,
    @Nullable Long openFilesLimit,
    @Nullable List<LaneLoad> lanes) {
  /** Share of the time in which all threads stood still for garbage collections. */
  public double gcShare() {
    return seconds > 0 ? gcMillis / 1e3 / seconds : 0;
  }
}
