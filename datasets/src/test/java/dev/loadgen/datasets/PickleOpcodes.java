package dev.loadgen.datasets;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Divides a pickle into its opcodes with their arguments (Python's {@code pickletools}). */
final class PickleOpcodes {
  private PickleOpcodes() {}

  static List<byte[]> split(byte[] pickle) {
    List<byte[]> opcodes = new ArrayList<>();
    int at = 0;
    while (at < pickle.length) {
      int end = Math.min(pickle.length, at + 1 + argument(pickle, at));
      opcodes.add(Arrays.copyOfRange(pickle, at, end));
      at = end;
    }
    return opcodes;
  }

  private static int argument(byte[] pickle, int at) {
    return switch (pickle[at] & 0xff) {
      case 'F', 'I', 'L', 'S', 'V', 'g', 'p' -> line(pickle, at + 1);
      case 'c', 'i' -> {
        int first = line(pickle, at + 1);
        yield first + line(pickle, at + 1 + first);
      }
      case 'K', 'h', 'q', 0x80 -> 1;
      case 'M' -> 2;
      case 'J', 'j', 'r' -> 4;
      case 'G', 0x95 -> 8;
      case 'U', 'C', 0x8c, 0x8a -> 1 + length(pickle, at + 1, 1);
      case 'X', 'B', 'T', 0x8b -> 4 + length(pickle, at + 1, 4);
      case 0x8d, 0x8e, 0x96 -> 8 + length(pickle, at + 1, 8);
      default -> 0;
    };
  }

  private static int line(byte[] pickle, int from) {
    int end = from;
    while (end < pickle.length && pickle[end] != '\n') {
      end++;
    }
    return end + 1 - from;
  }

  private static int length(byte[] pickle, int from, int bytes) {
    long length = 0;
    for (int i = Math.min(bytes, 4) - 1; i >= 0; i--) {
      length = length << 8 | (pickle[from + i] & 0xff);
    }
    return (int) Math.min(length, pickle.length);
  }
}
