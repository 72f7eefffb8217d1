package dev.loadgen.client;

import java.util.Arrays;

/** Bytes that arrive in parts; the array is open to readers, so that nothing is copied again. */
final class GrowingBytes {
  private static final byte[] NONE = {};

  private byte[] bytes = NONE;
  private int length;

  byte[] array() {
    return bytes;
  }

  int length() {
    return length;
  }

  /**
   * Takes more bytes.
   *
   * @throws BadResponseException if they are more than an answer may have, or than the runner has
   *     memory for; the bytes so far are given back then
   */
  void append(byte[] from, int offset, int count) throws BadResponseException {
    if (length + (long) count > Json.MAX_ANSWER_BYTES) {
      release();
      throw BadResponseException.malformed(
          "the answer is larger than " + (Json.MAX_ANSWER_BYTES >> 20) + " MiB");
    }
    if (length + count > bytes.length) {
      grow(length + count);
    }
    System.arraycopy(from, offset, bytes, length, count);
    length += count;
  }

  private void grow(int least) throws BadResponseException {
    int doubled = Math.min(Json.MAX_ANSWER_BYTES, 2 * bytes.length);
    try {
      bytes = Arrays.copyOf(bytes, Math.max(least, Math.max(512, doubled)));
    } catch (OutOfMemoryError e) {
      // One array did not fit, and nothing else has failed: it is this answer that ends, and not
      // the thread that carries all others.
      int had = length;
      release();
      throw BadResponseException.malformed(
          "the answer has more than "
              + had
              + " bytes, and the runner has no memory for more; raise spec.runner.resources.memory");
    }
  }

  private void release() {
    bytes = NONE;
    length = 0;
  }

  void clear() {
    length = 0;
  }
}
