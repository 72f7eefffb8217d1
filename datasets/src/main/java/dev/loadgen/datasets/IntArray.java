package dev.loadgen.datasets;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.RandomAccess;

/** An immutable list of integers that takes four bytes for each. */
final class IntArray extends AbstractList<Long> implements RandomAccess {
  static final IntArray EMPTY = new IntArray(new int[0]);

  private final int[] values;

  /** Takes over {@code values}, which must not be changed any more. */
  IntArray(int[] values) {
    this.values = values;
  }

  @Override
  public Long get(int index) {
    return (long) values[index];
  }

  @Override
  public int size() {
    return values.length;
  }

  int[] toInts() {
    return values.clone();
  }

  /** The first {@code count} integers. */
  IntArray first(int count) {
    return count == values.length ? this : copyOf(values, count);
  }

  /** Position of the first negative value, or -1. */
  int indexOfNegative() {
    for (int i = 0; i < values.length; i++) {
      if (values[i] < 0) {
        return i;
      }
    }
    return -1;
  }

  /**
   * {@code count} integers as the smallest list that holds them.
   *
   * @param values read from 0 up, not kept
   */
  static IntArray copyOf(int[] values, int count) {
    return count == 0 ? EMPTY : new IntArray(Arrays.copyOf(values, count));
  }
}
