package dev.loadgen.simulator;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * What a simulator did so far.
 *
 * @param requests inference requests that arrived, struck by faults or not
 * @param rejected inference requests that were answered with an error because of what they asked
 * @param struck inference requests that a fault struck
 * @param disconnected requests whose client left before the answer was complete
 * @param sequencesFinished sequences that came to their end; a request may have several
 * @param promptTokens prompt tokens of all sequences that ran
 * @param generationTokens tokens generated; a stream that is cut counts what it sent
 * @param running sequences that run now
 * @param waiting sequences that wait for a slot now
 * @param peakRunning the most sequences that ever ran at once
 */
@RecordBuilder
public record SimulatorCounters(
    long requests,
    long rejected,
    long struck,
    long disconnected,
    long sequencesFinished,
    long promptTokens,
    long generationTokens,
    int running,
    int waiting,
    int peakRunning) {}
