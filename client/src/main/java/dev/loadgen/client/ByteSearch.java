package dev.loadgen.client;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Searches in arrays, eight bytes at a time: looking at each byte by itself was two thirds of what
 * a stream cost whose events arrive together.
 */
final class ByteSearch {
  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;

  private ByteSearch() {}

  /** The index of the first line feed or carriage return; {@code to} if there is none. */
  static int lineEnd(byte[] bytes, int from, int to) {
    int i = from;
    for (; i <= to - Long.BYTES; i += Long.BYTES) {
      long eight = (long) EIGHT.get(bytes, i);
      long found = zeros(eight ^ ('\n' * ONES)) | zeros(eight ^ ('\r' * ONES));
      if (found != 0) {
        return i + first(found);
      }
    }
    while (i < to && bytes[i] != '\n' && bytes[i] != '\r') {
      i++;
    }
    return i;
  }

  /**
   * The index of the first byte that ends a JSON string or may not be taken as it is: a quotation
   * mark, a backslash, a control character, anything beyond ASCII; {@code to} if there is none.
   */
  static int plainTextEnd(byte[] bytes, int from, int to) {
    int i = from;
    for (; i <= to - Long.BYTES; i += Long.BYTES) {
      long eight = (long) EIGHT.get(bytes, i);
      long control = (eight - ' ' * ONES) & ~eight & HIGH_BITS;
      long found =
          zeros(eight ^ ('"' * ONES))
              | zeros(eight ^ ('\\' * ONES))
              | control
              | (eight & HIGH_BITS);
      if (found != 0) {
        return i + first(found);
      }
    }
    while (i < to && bytes[i] >= ' ' && bytes[i] != '"' && bytes[i] != '\\') {
      i++;
    }
    return i;
  }

  /**
   * Has the high bit set of the first byte that is zero, and of none before it; later ones mean
   * nothing, as the subtraction borrows from them.
   */
  private static long zeros(long eight) {
    return (eight - ONES) & ~eight & HIGH_BITS;
  }

  private static int first(long found) {
    return Long.numberOfTrailingZeros(found) / Byte.SIZE;
  }
}
