package dev.loadgen.datasets;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;

/**
 * Runs of Parquet's RLE and bit-packing hybrid, which levels, dictionary indices and booleans are
 * made of. The library takes memory for all values that a bit-packed run claims before it looks
 * whether they are there: four bytes of a file are enough for gigabytes.
 */
final class HybridRuns {
  /** A varint of 32 bits has no more. */
  private static final int VARINT_BYTES = 5;

  private HybridRuns() {}

  /**
   * Whether no run of a page of version 1 claims what the page does not have.
   *
   * @param page decompressed; its position is left as it is
   */
  static boolean areSoundInFirst(
      ByteBuffer page,
      ColumnDescriptor column,
      Encoding repetition,
      Encoding definition,
      Encoding values,
      int count) {
    ByteBuffer rest = page.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    return levelsAreSound(rest, column.getMaxRepetitionLevel(), repetition, count)
        && levelsAreSound(rest, column.getMaxDefinitionLevel(), definition, count)
        && areSound(rest, values, count);
  }

  private static boolean levelsAreSound(ByteBuffer rest, int max, Encoding encoding, int count) {
    if (max == 0) {
      return true;
    }
    if (encoding == Encoding.RLE) {
      return sizedAreSound(rest, bits(max), count);
    }
    long packed = ((long) count * bits(max) + 7) / 8;
    rest.position(rest.position() + (int) Math.min(packed, rest.remaining()));
    return true;
  }

  /** Runs after their length in bytes; what follows them is left. */
  private static boolean sizedAreSound(ByteBuffer rest, int bits, int count) {
    if (rest.remaining() < Integer.BYTES) {
      return false;
    }
    int size = rest.getInt();
    if (size < 0 || size > rest.remaining()) {
      return false;
    }
    ByteBuffer runs = rest.slice(rest.position(), size);
    rest.position(rest.position() + size);
    return areSound(runs, bits, count);
  }

  /** Whether the levels of a page of version 2 are sound; {@code max}: the column's. */
  static boolean levelsAreSound(ByteBuffer levels, int max, int count) {
    return max == 0 || areSound(levels.duplicate(), bits(max), count);
  }

  /** Whether the values of a page, which follow its levels, are sound. */
  static boolean areSound(ByteBuffer values, Encoding encoding, int count) {
    ByteBuffer rest = values.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    return switch (encoding) {
      case RLE -> sizedAreSound(rest, 1, count);
      case PLAIN_DICTIONARY, RLE_DICTIONARY ->
          !rest.hasRemaining() || areSound(rest, rest.get() & 0xff, count);
      default -> true; // has no runs
    };
  }

  /**
   * Whether each bit-packed run has its bytes, or no more values than are left. Writers fill the
   * last run up, and some leave out the bytes of what they filled up.
   */
  private static boolean areSound(ByteBuffer runs, int bits, int count) {
    long left = count;
    while (left > 0 && runs.hasRemaining()) {
      long header = varint(runs);
      if (header < 0) {
        return false;
      }
      long run = header >>> 1;
      long size = (bits + 7L) / 8;
      if ((header & 1) == 1) {
        size = run * bits;
        run *= 8;
        if (run - 7 > left && (bits == 0 || size > runs.remaining())) {
          return false;
        }
      }
      runs.position(runs.position() + (int) Math.min(size, runs.remaining()));
      left -= run;
    }
    return true;
  }

  /** Of 32 bits, without a sign; negative: it does not end. */
  private static long varint(ByteBuffer bytes) {
    long value = 0;
    for (int i = 0; i < VARINT_BYTES && bytes.hasRemaining(); i++) {
      int next = bytes.get();
      value |= (next & 0x7fL) << (7 * i);
      if (next >= 0) {
        return value & 0xffff_ffffL;
      }
    }
    return -1;
  }

  private static int bits(int max) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(max);
  }
}
