package dev.loadgen.accuracy.input;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One entry of an accuracy log.
 *
 * @param sampleIndex row of the dataset ({@code qsl_idx}); 0 or more
 * @param data what the client handed to LoadGen; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // read once and dropped; never compared
public record LoggedAnswer(int sampleIndex, byte[] data) {
  /**
   * The data as little-endian int32.
   *
   * @throws UnusableInputException if they are no such list, or an id is negative
   */
  public int[] tokenIds() throws UnusableInputException {
    if (data.length % Integer.BYTES != 0) {
      throw new UnusableInputException(
          ("the answer to sample %d has %d bytes, which are not int32 token ids; was the test run"
                  + " with completion data TEXT?")
              .formatted(sampleIndex, data.length));
    }
    int[] ids = new int[data.length / Integer.BYTES];
    ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(ids);
    for (int id : ids) {
      if (id < 0) {
        throw new UnusableInputException(
            "the answer to sample %d has the token id %d; token ids are 0 or more, little-endian int32"
                .formatted(sampleIndex, id));
      }
    }
    return ids;
  }
}
