package dev.loadgen.runner.dataset;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A NumPy array of a pickle, of at most two dimensions. */
final class NumpyArray implements PickleValue, PickleValue.Stateful {
  private int[] shape = {0};
  private boolean fortran;
  private @Nullable NumpyType type;
  private ByteBuffer data = ByteBuffer.allocate(0);
  private PickleValue.@Nullable PyList objects;
  private @Nullable Object cell;
  private boolean open;

  /** An array whose state follows. */
  NumpyArray() {}

  NumpyArray(NumpyType type, @Nullable Object shape, boolean fortran, @Nullable Object content) {
    set(type, shape, fortran, content);
  }

  /** {@code (version, shape, type, is Fortran, bytes or list)}. */
  @Override
  public void setState(@Nullable Object state) {
    if (!(state instanceof PickleValue.PyTuple tuple)
        || tuple.size() != 5
        || !(tuple.get(2) instanceof NumpyType newType)) {
      throw invalid("another state");
    }
    set(newType, tuple.get(1), Boolean.TRUE.equals(tuple.get(3)), tuple.get(4));
  }

  private void set(
      NumpyType newType, @Nullable Object newShape, boolean newFortran, @Nullable Object content) {
    type = newType;
    shape = shape(newShape);
    fortran = newFortran && shape.length == 2;
    cell = null;
    long items = 1;
    for (int length : shape) {
      items *= length;
      if (items > Integer.MAX_VALUE) {
        throw invalid("too many values");
      }
    }
    if (newType.isObject()) {
      if (!(content instanceof PickleValue.PyList list) || list.size() != items) {
        throw invalid("another number of objects than its shape says");
      }
      // lists of objects are written in logical order, whatever the order in memory
      fortran = false;
      objects = list;
    } else {
      if (!(content instanceof byte[] bytes) || bytes.length != items * newType.itemSize()) {
        throw invalid("another number of bytes than its shape says");
      }
      objects = null;
      data = ByteBuffer.wrap(bytes).order(newType.order());
    }
  }

  private static int[] shape(@Nullable Object value) {
    if (value instanceof Long length) { // numpy takes a number for a tuple of one
      return new int[] {length(length)};
    }
    if (!(value instanceof PickleValue.PyTuple tuple) || tuple.size() > 2) {
      throw new InvalidContentException(
          "has a NumPy array of more than two dimensions; write one row of lists for each sample");
    }
    int[] shape = new int[tuple.size()];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = length(tuple.get(i));
    }
    if (shape.length == 2 && shape[1] == 0 && shape[0] > 0) {
      // such an array has no bytes, however many rows it claims
      throw invalid("rows without values");
    }
    return shape;
  }

  private static int length(@Nullable Object value) {
    if (!(value instanceof Long length) || length < 0 || length > Integer.MAX_VALUE) {
      throw invalid("a wrong shape");
    }
    return length.intValue();
  }

  private static InvalidContentException invalid(String what) {
    return new InvalidContentException(
        "is not a valid pickle: a NumPy array has " + what + "; copy or write it again");
  }

  int dimensions() {
    return shape.length;
  }

  /** Length of the first dimension. */
  int length() {
    return shape.length == 0 ? 1 : shape[0];
  }

  /** Length of the second dimension. */
  int width() {
    return shape.length == 2 ? shape[1] : 1;
  }

  @Override
  public long weight() {
    return 1 + (long) length() * width();
  }

  boolean isDatetime() {
    return type != null && type.isDatetime();
  }

  /**
   * The item at a row and column, as a cell.
   *
   * @param depth containers around the item
   */
  @Nullable Object item(int row, int column, int depth) {
    int index = fortran ? row + column * length() : row * width() + column;
    if (objects != null) {
      return PickleValue.cell(objects.get(index), depth);
    }
    if (type == null || cell != null) {
      throw invalid("no content");
    }
    return type.item(data, index * type.itemSize());
  }

  /** One row, as a list. */
  List<?> row(int row, int depth) {
    ListBuilder list = new ListBuilder();
    for (int column = 0; column < width(); column++) {
      list.add(item(row, column, depth));
    }
    return list.build();
  }

  /** The array as a cell: a scalar, a list, or a list of lists. */
  @Override
  public @Nullable Object cell(int depth) {
    if (cell != null) {
      return cell;
    }
    PickleValue.checkNotOpen(open);
    open = true;
    Limits.checkCell(weight());
    Object value =
        switch (shape.length) {
          case 0 -> item(0, 0, depth + 1);
          case 1 -> column(depth + 1);
          default -> rows(depth + 1);
        };
    open = false;
    if (shape.length > 0) {
      cell = value;
      // the cell holds the values from now on
      data = ByteBuffer.allocate(0);
    }
    return value;
  }

  private List<?> column(int depth) {
    ListBuilder list = new ListBuilder();
    for (int i = 0; i < length(); i++) {
      list.add(item(i, 0, depth));
    }
    return list.build();
  }

  private List<?> rows(int depth) {
    List<List<?>> rows = new ArrayList<>(length());
    for (int i = 0; i < length(); i++) {
      rows.add(row(i, depth));
    }
    return Collections.unmodifiableList(rows);
  }
}
