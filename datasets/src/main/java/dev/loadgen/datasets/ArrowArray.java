package dev.loadgen.datasets;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An array in Arrow's columnar format (arrow.apache.org/docs/format/Columnar.html), of the buffers
 * that a pickle holds. All offsets are checked when the array is made.
 */
final class ArrowArray {
  private static final long MOST_VALUES = DatasetBounds.CELL_VALUES * 8L;

  private final ArrowType type;
  private final int length;
  private final int offset;

  /** A bit a value, set where it is not null; null: no value is null. */
  private final @Nullable ByteBuffer validity;

  /** Values of fixed width, or offsets into the data or the child. */
  private final ByteBuffer values;

  private final ByteBuffer data;
  private final List<ArrowArray> children;
  private final @Nullable ArrowArray dictionary;

  /** Texts of the dictionary by index: many values share one of them. */
  private final Map<Integer, String> texts = new HashMap<>();

  /**
   * @param buffers in the order of the format for {@code type}; a null one is empty
   * @param dictionary what an array of indices stands for; null: it is no such array
   */
  ArrowArray(
      ArrowType type,
      long length,
      long offset,
      List<byte @Nullable []> buffers,
      List<ArrowArray> children,
      @Nullable ArrowArray dictionary) {
    require(length >= 0 && offset >= 0 && length <= MOST_VALUES - offset);
    this.type = type;
    this.length = (int) length;
    this.offset = (int) offset;
    this.validity = buffers.isEmpty() || buffers.get(0) == null ? null : buffer(buffers, 0);
    this.values = buffer(buffers, 1);
    this.data = buffer(buffers, 2);
    this.children = List.copyOf(children);
    this.dictionary = dictionary;
    check();
  }

  private static ByteBuffer buffer(List<byte @Nullable []> buffers, int index) {
    byte[] bytes = index < buffers.size() ? buffers.get(index) : null;
    return ByteBuffer.wrap(bytes == null ? new byte[0] : bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static InvalidContentException invalid() {
    return PickleObjects.invalid("an Arrow array is damaged");
  }

  private void check() {
    long end = (long) offset + length;
    if (validity != null && validity.capacity() < (end + 7) / 8) {
      throw invalid();
    }
    ArrowType.Kind kind = type.kind();
    switch (kind) {
      // nulls take no bytes
      case NULL -> require(length <= DatasetBounds.ROWS);
      case DICTIONARY -> {}
      case BOOLEAN -> require(values.capacity() >= (end + 7) / 8);
      case STRUCT -> {
        require(children.size() == type.fields().size());
        children.forEach(child -> require(child.length >= end));
      }
      default -> {
        boolean varies = kind.isText() || kind.isBytes() || kind.isList();
        long count = varies && length > 0 ? end + 1 : end;
        require((varies && length == 0) || values.capacity() >= count * kind.width());
        if (varies) {
          require(!kind.isList() || children.size() == 1);
          checkOffsets(kind.isList() ? children.getFirst().length : data.capacity());
        }
      }
    }
    require((kind == ArrowType.Kind.DICTIONARY) == (dictionary != null));
    require(kind != ArrowType.Kind.DICTIONARY || children.size() == 1);
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw invalid();
    }
  }

  private void checkOffsets(long most) {
    long last = 0;
    for (int i = 0; i <= length && length > 0; i++) {
      long next = offsetAt(i);
      require(next >= last && next <= most);
      last = next;
    }
  }

  private long offsetAt(int index) {
    int at = offset + index;
    return type.kind().width() == Integer.BYTES
        ? values.getInt(at * Integer.BYTES)
        : values.getLong(at * Long.BYTES);
  }

  int length() {
    return length;
  }

  /**
   * The value at an index, as a cell.
   *
   * @param depth containers around it
   */
  @Nullable Object cell(int index, int depth) {
    return cell(index, depth, new Budget());
  }

  /** Values that one cell may still have. */
  private static final class Budget {
    private long used;

    void take(long values) {
      used += values;
      DatasetBounds.checkCell(used);
    }
  }

  private @Nullable Object cell(int index, int depth, Budget budget) {
    if (depth >= DatasetBounds.DEPTH) {
      throw new InvalidContentException(
          "has more than " + DatasetBounds.DEPTH + " lists or objects inside each other");
    }
    budget.take(1);
    int at = offset + index;
    if (validity != null && !bit(validity, at)) {
      return null;
    }
    return switch (type.kind()) {
      case NULL -> null;
      case BOOLEAN -> bit(values, at);
      case INT8 -> (long) values.get(at);
      case INT16 -> (long) values.getShort(at * 2);
      case INT32 -> (long) values.getInt(at * 4);
      case INT64 -> values.getLong(at * 8);
      case UINT8 -> (long) (values.get(at) & 0xff);
      case UINT16 -> (long) (values.getShort(at * 2) & 0xffff);
      case UINT32 -> values.getInt(at * 4) & 0xffffffffL;
      case UINT64 -> {
        long value = values.getLong(at * 8);
        yield value >= 0 ? (Object) value : new BigInteger(Long.toUnsignedString(value));
      }
      case FLOAT16 -> (double) Float.float16ToFloat(values.getShort(at * 2));
      case FLOAT32 -> (double) values.getFloat(at * 4);
      case FLOAT64 -> values.getDouble(at * 8);
      case DATE32 -> Times.date(values.getInt(at * 4));
      case DATE64 -> Times.date(Math.floorDiv(values.getLong(at * 8), 86_400_000L));
      case TIMESTAMP ->
          type.zoned()
              ? Times.instant(values.getLong(at * 8), type.perSecond())
              : Times.dateTime(values.getLong(at * 8), type.perSecond());
      case DECIMAL128 -> decimal(at);
      case TEXT, LARGE_TEXT -> text(index, budget);
      case BYTES, LARGE_BYTES -> ByteBuffer.wrap(bytes(index)).asReadOnlyBuffer();
      case LIST, LARGE_LIST -> list(index, depth, budget);
      case STRUCT -> struct(at, depth, budget);
      case DICTIONARY -> fromDictionary(at, depth, budget);
    };
  }

  private static boolean bit(ByteBuffer bits, int at) {
    return (bits.get(at >> 3) & (1 << (at & 7))) != 0;
  }

  private String decimal(int at) {
    byte[] bigEndian = new byte[16];
    for (int i = 0; i < 16; i++) {
      bigEndian[i] = values.get(at * 16 + 15 - i);
    }
    return new BigDecimal(new BigInteger(bigEndian), type.scale()).toPlainString();
  }

  private byte[] bytes(int index) {
    int start = (int) offsetAt(index);
    byte[] bytes = new byte[(int) offsetAt(index + 1) - start];
    data.get(start, bytes);
    return bytes;
  }

  private String text(int index, Budget budget) {
    String text = new String(bytes(index), StandardCharsets.UTF_8);
    budget.take(text.length() / 4);
    return text;
  }

  private List<?> list(int index, int depth, Budget budget) {
    ListBuilder list = new ListBuilder();
    for (int i = (int) offsetAt(index); i < (int) offsetAt(index + 1); i++) {
      list.add(children.getFirst().cell(i, depth + 1, budget));
    }
    return list.build();
  }

  private Map<String, @Nullable Object> struct(int at, int depth, Budget budget) {
    if (children.isEmpty()) {
      return Map.of();
    }
    Map<String, @Nullable Object> struct = new LinkedHashMap<>();
    for (int i = 0; i < children.size(); i++) {
      struct.put(type.fields().get(i), children.get(i).cell(at, depth + 1, budget));
    }
    return Collections.unmodifiableMap(struct);
  }

  /** The one child of an array with a dictionary holds the indices. */
  private @Nullable Object fromDictionary(int at, int depth, Budget budget) {
    Object index = children.getFirst().cell(at, depth + 1, budget);
    if (index == null) {
      return null;
    }
    if (dictionary == null
        || !(index instanceof Long number)
        || number < 0
        || number >= dictionary.length) {
      throw invalid();
    }
    String known = texts.get(number.intValue());
    if (known != null) {
      budget.take(PickleValue.weightOf(known));
      return known;
    }
    Object value = dictionary.cell(number.intValue(), depth + 1, budget);
    if (value instanceof String text) {
      texts.put(number.intValue(), text);
    }
    return value;
  }

  /** Several arrays after one another, as a pickle's chunked array. */
  record Chunks(List<ArrowArray> arrays) {
    Chunks {
      arrays = List.copyOf(arrays);
    }

    /** Whether values are text, which takes its own bytes alone here. */
    boolean isText() {
      return arrays.stream().allMatch(array -> array.type.kind().isText());
    }

    /** The values as a column that decodes them where they are requested. */
    List<@Nullable Object> asColumn() {
      int rows = length();
      return new AbstractList<>() {
        @Override
        public int size() {
          return rows;
        }

        @Override
        public @Nullable Object get(int row) {
          return cell(row);
        }
      };
    }

    int length() {
      long length = 0;
      for (ArrowArray array : arrays) {
        length += array.length;
      }
      DatasetBounds.checkRows(length);
      return (int) length;
    }

    @Nullable Object cell(int row) {
      int index = row;
      for (ArrowArray array : arrays) {
        if (index < array.length) {
          return array.cell(index, 0);
        }
        index -= array.length;
      }
      throw new IndexOutOfBoundsException(row);
    }
  }
}
