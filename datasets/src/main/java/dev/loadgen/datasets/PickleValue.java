package dev.loadgen.datasets;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Containers of a pickle. Scalars are Java's: null, {@code Boolean}, {@code Long}, {@code
 * BigInteger}, {@code Double}, {@code String}, {@code byte[]}.
 *
 * <p>{@link #cell} turns a value into a table's cell. A container that several cells share is
 * turned once and gives up its own storage, so no value is held twice.
 */
sealed interface PickleValue
    permits NumpyArray, PickleValue.PyDict, PickleValue.PyList, PickleValue.PyTuple {
  /** A value whose state comes after it, by the opcode BUILD. */
  interface Stateful {
    void setState(@Nullable Object state);
  }

  /**
   * What the container is as a cell.
   *
   * @param depth containers around this one
   */
  @Nullable Object cell(int depth);

  /** Values in the container, nested ones included; known after {@link #cell}. */
  long weight();

  /** Any pickled value as a cell of {@link Dataset#value}. */
  static @Nullable Object cell(@Nullable Object value, int depth) {
    return switch (value) {
      case null -> null;
      case Boolean flag -> flag;
      case Long number -> number;
      case BigInteger number -> number;
      case Double number -> number;
      case String text -> text;
      case byte[] bytes -> ByteBuffer.wrap(bytes).asReadOnlyBuffer();
      case PickleGlobal global when global == PickleGlobal.MISSING -> null;
      case Duration duration -> duration.toString();
      case PickleValue container -> {
        if (depth >= DatasetBounds.DEPTH) {
          throw new InvalidContentException(
              "has more than " + DatasetBounds.DEPTH + " lists or objects inside each other");
        }
        yield container.cell(depth);
      }
      default ->
          throw new InvalidContentException(
              "has a %s in a cell; write plain lists, text and numbers"
                  .formatted(value.getClass().getSimpleName()));
    };
  }

  /** Whether a value is null, a boolean, a number or text. */
  static boolean isScalar(@Nullable Object value) {
    return value == null
        || value instanceof Boolean
        || value instanceof Number
        || value instanceof String;
  }

  /** Values that a cell has by this one, however often its file shares it. */
  static long weightOf(@Nullable Object value) {
    return switch (value) {
      case PickleValue container -> container.weight();
      case String text -> 1 + text.length() / 4;
      case byte[] bytes -> 1 + bytes.length / 4;
      case ByteBuffer bytes -> 1 + bytes.remaining() / 4;
      case BigInteger number -> 1 + number.bitLength() / 8;
      case null, default -> 1;
    };
  }

  /** A list, or a set in the order of the file. */
  final class PyList implements PickleValue {
    private static final int[] NONE = {};

    private int[] ints = NONE;
    private int size;
    private @Nullable ArrayList<@Nullable Object> objects;
    private @Nullable List<?> cell;
    private long weight = 1;
    private boolean open;

    void add(@Nullable Object value) {
      if (objects == null && value instanceof Long number && number == number.intValue()) {
        if (size == ints.length) {
          reserve(size / 4 + 2);
        }
        ints[size++] = number.intValue();
        return;
      }
      if (objects == null) {
        objects = new ArrayList<>(size + 4);
        for (int i = 0; i < size; i++) {
          objects.add((long) ints[i]);
        }
        ints = NONE;
      }
      objects.add(value);
      size++;
    }

    /**
     * Makes room for as many more integers, with little to spare: all lists of a file are open
     * until its end.
     */
    void reserve(int more) {
      if (objects == null && ints.length - size < more) {
        ints = Arrays.copyOf(ints, size + Math.max(more, size / 4));
      }
    }

    int size() {
      return size;
    }

    @Nullable Object get(int index) {
      if (cell != null) {
        throw new InvalidContentException("has a list that is a value and a container of values");
      }
      return objects == null ? (Object) (long) ints[index] : objects.get(index);
    }

    @Override
    public List<?> cell(int depth) {
      if (cell == null) {
        cell = toCell(depth);
      }
      return cell;
    }

    private List<?> toCell(int depth) {
      if (objects == null) {
        weight += size;
        DatasetBounds.checkCell(weight);
        IntArray compact = size == ints.length ? new IntArray(ints) : IntArray.copyOf(ints, size);
        ints = NONE;
        return compact;
      }
      checkNotOpen(open);
      open = true;
      ListBuilder cells = new ListBuilder();
      for (Object element : objects) {
        cells.add(PickleValue.cell(element, depth + 1));
        weight += weightOf(element);
        DatasetBounds.checkCell(weight);
      }
      open = false;
      objects = new ArrayList<>(0);
      return cells.build();
    }

    @Override
    public long weight() {
      return weight;
    }
  }

  /** A tuple; as a cell it is a list. */
  final class PyTuple implements PickleValue {
    private final @Nullable Object[] values;
    private @Nullable List<?> cell;
    private long weight = 1;
    private boolean open;

    PyTuple(@Nullable Object[] values) {
      this.values = values;
    }

    int size() {
      return values.length;
    }

    /** The value at an index; null also where the tuple ends before it. */
    @Nullable Object get(int index) {
      return index < values.length ? values[index] : null;
    }

    @Override
    public List<?> cell(int depth) {
      if (cell == null) {
        checkNotOpen(open);
        open = true;
        ListBuilder cells = new ListBuilder();
        for (Object value : values) {
          cells.add(PickleValue.cell(value, depth + 1));
          weight += weightOf(value);
          DatasetBounds.checkCell(weight);
        }
        open = false;
        cell = cells.build();
      }
      return cell;
    }

    @Override
    public long weight() {
      return weight;
    }
  }

  /** A dict, in its order. */
  final class PyDict implements PickleValue {
    private final Map<@Nullable Object, @Nullable Object> values = new LinkedHashMap<>();
    private @Nullable Map<String, @Nullable Object> cell;
    private long weight = 1;
    private boolean open;

    void put(@Nullable Object key, @Nullable Object value) {
      if (!isScalar(key)) {
        throw new InvalidContentException(
            "has a dict with a key that is not text or a number; write text as keys");
      }
      values.put(key, value);
    }

    @Nullable Object get(String key) {
      return values.get(key);
    }

    Map<@Nullable Object, @Nullable Object> values() {
      return values;
    }

    @Override
    public Map<String, @Nullable Object> cell(int depth) {
      if (cell == null) {
        checkNotOpen(open);
        open = true;
        Map<String, @Nullable Object> cells = new LinkedHashMap<>();
        values.forEach(
            (key, value) -> {
              cells.put(String.valueOf(key), PickleValue.cell(value, depth + 1));
              weight += weightOf(key) + weightOf(value);
              DatasetBounds.checkCell(weight);
            });
        open = false;
        cell = Collections.unmodifiableMap(cells);
      }
      return cell;
    }

    @Override
    public long weight() {
      return weight;
    }
  }

  static void checkNotOpen(boolean open) {
    if (open) {
      throw new InvalidContentException("has a list or dict that contains itself");
    }
  }
}
