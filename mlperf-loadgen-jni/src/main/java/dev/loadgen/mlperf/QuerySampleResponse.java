package dev.loadgen.mlperf;

import java.util.Objects;

/**
 * A completed sample, for {@link LoadGen#querySamplesComplete(java.util.List)}. The array is not
 * copied.
 *
 * @param id the handle from {@link QuerySample#id}
 * @param data the bytes for LoadGen's accuracy log, from {@code offset} on
 * @param offset the first byte
 * @param length how many bytes
 * @param tokenCount the number of tokens of the response; matters only with {@link
 *     TestSettings#useTokenLatencies}
 */
@SuppressWarnings(
    "ArrayRecordComponent") // a view of the caller's buffer: records of it are never compared
public record QuerySampleResponse(long id, byte[] data, int offset, int length, long tokenCount) {
  /** Checks that offset and length lie within the data. */
  public QuerySampleResponse {
    Objects.checkFromIndexSize(offset, length, data.length);
  }

  /** A response of a whole array. */
  public QuerySampleResponse(long id, byte[] data, long tokenCount) {
    this(id, data, 0, data.length, tokenCount);
  }
}
