package dev.loadgen.results;

import org.jspecify.annotations.Nullable;

/**
 * How busy a lane of the transport was; part of {@code client} of {@code environment.json}.
 *
 * @param busyShare share of the time in which it had something to do, 0 to 1; null: it does not
 *     know, or was watched for less than a second
 * @param busyP95 the share that it reached or exceeded in a twentieth of the seconds; null: the
 *     same
 * @param lagMeanMs how long a task waited in its queue on average, in milliseconds
 * @param lagP99Ms the 99th percentile of the same
 * @param lagMaxMs the longest of the same
 */
public record LaneLoad(
    String name,
    @Nullable Double busyShare,
    @Nullable Double busyP95,
    double lagMeanMs,
    double lagP99Ms,
    double lagMaxMs) {}
