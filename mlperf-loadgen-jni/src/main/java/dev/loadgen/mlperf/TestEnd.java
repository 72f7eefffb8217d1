package dev.loadgen.mlperf;

/**
 * How a test ended, as far as the binding can know. Whether its result is valid stands in LoadGen's
 * detail log.
 *
 * @param issuedSamples how many samples LoadGen issued
 * @param abandonedSamples how many of them {@link LoadGen#abortOutstanding} completed empty
 * @param aborted whether {@link LoadGen#abortOutstanding} was called; the detail log then has an
 *     {@code error_runtime}
 */
public record TestEnd(long issuedSamples, long abandonedSamples, boolean aborted) {}
