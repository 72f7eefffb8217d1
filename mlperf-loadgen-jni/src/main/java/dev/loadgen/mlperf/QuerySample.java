package dev.loadgen.mlperf;

/**
 * One sample of an issued query.
 *
 * @param id a handle for this one issue of the sample, to be given back on completion. Unique in
 *     the process and never used again; not LoadGen's own id, which is an address
 * @param index the sample's position in the {@link QuerySampleLibrary}
 */
public record QuerySample(long id, int index) {}
