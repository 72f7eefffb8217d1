package dev.loadgen.datasets;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A NumPy array of a pickle. */
final class NumpyArray implements PickleValue, PickleValue.Stateful {
  private static final int MOST_AXES = 32;

  private int[] shape = {0};

  /** How far apart, in items, neighbours along each axis are. */
  private int[] strides = {1};

  private @Nullable NumpyType type;
  private ByteBuffer data = ByteBuffer.allocate(0);
  private PickleValue.@Nullable PyList objects;
  private @Nullable Object cell;
  private boolean open;

  /** Values of the cell that is being made, or was made last. */
  private long weight;

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
      strides = strides(shape, false);
      objects = list;
    } else {
      if (!(content instanceof byte[] bytes) || bytes.length != items * newType.itemSize()) {
        throw invalid("another number of bytes than its shape says");
      }
      strides = strides(shape, newFortran);
      objects = null;
      data = ByteBuffer.wrap(bytes).order(newType.order());
    }
  }

  private static int[] shape(@Nullable Object value) {
    if (value instanceof Long length) { // numpy takes a number for a tuple of one
      return new int[] {length(length)};
    }
    if (!(value instanceof PickleValue.PyTuple tuple) || tuple.size() > MOST_AXES) {
      throw invalid("a wrong shape");
    }
    int[] shape = new int[tuple.size()];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = length(tuple.get(i));
    }
    if (Arrays.stream(shape).anyMatch(length -> length == 0)) {
      DatasetBounds.checkEmpty(Arrays.stream(shape).asLongStream().toArray());
    }
    return shape;
  }

  private static int[] strides(int[] shape, boolean fortran) {
    int[] strides = new int[shape.length];
    int stride = 1;
    for (int i = 0; i < shape.length; i++) {
      int axis = fortran ? i : shape.length - 1 - i;
      strides[axis] = stride;
      stride *= Math.max(shape[axis], 1);
    }
    return strides;
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
    return shape.length < 2 ? 1 : shape[1];
  }

  @Override
  public long weight() {
    return weight;
  }

  private void take(long values) {
    weight += values;
    DatasetBounds.checkCell(weight);
  }

  boolean isObject() {
    return type != null && type.isObject();
  }

  boolean isDatetime() {
    return type != null && type.isDatetime();
  }

  /**
   * The item at a row and column of an array with at most two dimensions, as a cell.
   *
   * @param depth containers around the item
   */
  @Nullable Object item(int row, int column, int depth) {
    weight = 0;
    return item((shape.length == 0 ? 0 : row * strides[0]) + column * columnStride(), depth);
  }

  private int columnStride() {
    return shape.length < 2 ? 0 : strides[1];
  }

  private @Nullable Object item(int index, int depth) {
    Object value;
    if (objects != null) {
      Object pickled = objects.get(index);
      value = PickleValue.cell(pickled, depth);
      take(PickleValue.weightOf(pickled));
    } else if (type == null || cell != null) {
      throw invalid("no content");
    } else {
      value = type.item(data, index * type.itemSize());
      take(PickleValue.weightOf(value));
    }
    return value;
  }

  /** The element along the first axis: an item, a list of them, or a list of lists. */
  @Nullable Object element(int row, int depth) {
    weight = 0;
    return part(1, row * strides[0], depth);
  }

  private @Nullable Object part(int axis, int index, int depth) {
    if (axis == shape.length) {
      return item(index, depth);
    }
    take(1);
    if (axis < shape.length - 1) {
      List<@Nullable Object> parts = new ArrayList<>();
      for (int i = 0; i < shape[axis]; i++) {
        parts.add(part(axis + 1, index + i * strides[axis], depth + 1));
      }
      return Collections.unmodifiableList(parts);
    }
    ListBuilder list = new ListBuilder();
    for (int i = 0; i < shape[axis]; i++) {
      list.add(item(index + i * strides[axis], depth + 1));
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
    weight = 0;
    Object value = part(0, 0, depth);
    open = false;
    if (shape.length > 0) {
      cell = value;
      // the cell holds the values from now on
      data = ByteBuffer.allocate(0);
    }
    return value;
  }
}
