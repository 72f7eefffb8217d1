package dev.loadgen.runner.client;

import java.util.Arrays;

/** Bytes that arrive in parts; the array is open to readers, so that nothing is copied again. */
final class GrowingBytes {
  private byte[] bytes = {};
  private int length;

  byte[] array() {
    return bytes;
  }

  int length() {
    return length;
  }

  void append(byte[] from, int offset, int count) throws BadResponseException {
    if (length + (long) count > Json.MAX_ANSWER_BYTES) {
      throw BadResponseException.malformed(
          "the answer is larger than " + (Json.MAX_ANSWER_BYTES >> 20) + " MiB");
    }
    if (length + count > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + count, Math.max(512, 2 * bytes.length)));
    }
    System.arraycopy(from, offset, bytes, length, count);
    length += count;
  }

  void clear() {
    length = 0;
  }
}
