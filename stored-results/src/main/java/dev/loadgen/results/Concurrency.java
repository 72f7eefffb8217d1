package dev.loadgen.results;

/**
 * How full a client was. A request that waits for a place is late by no fault of the server; its
 * wait is part of the measured latency all the same, which counts from LoadGen's issue.
 *
 * @param cap most requests in flight
 * @param peak most that were in flight at once
 * @param heldUp requests for which there was no place when they were issued
 * @param meanWaitNanos how long these waited on average; 0 if there are none
 * @param longestWaitNanos how long one of them waited at most
 */
public record Concurrency(
    int cap, int peak, long heldUp, long meanWaitNanos, long longestWaitNanos) {}
