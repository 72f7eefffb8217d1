package dev.loadgen.datasets;

import dev.loadgen.datasets.PickleValue.PyDict;
import dev.loadgen.datasets.PickleValue.PyList;
import dev.loadgen.datasets.PickleValue.PyTuple;
import dev.loadgen.datasets.PickleValue.Stateful;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The objects of pandas that a pickle may construct, as plain holders of their state; {@link
 * PandasTable} makes columns of them.
 */
final class PickleObjects {
  private PickleObjects() {}

  /** A DataFrame or a Series: its manager, and its name. */
  static final class Frame implements Stateful {
    private @Nullable PyDict state;

    @Override
    public void setState(@Nullable Object newState) {
      if (!(newState instanceof PyDict dict)) {
        throw invalid("a pandas object has another state");
      }
      state = dict;
    }

    Blocks blocks() {
      if (get("_mgr") instanceof Blocks blocks) {
        return blocks;
      }
      throw new InvalidContentException(
          "is a pickle of a pandas version that is not read; convert it with its pandas: to_parquet");
    }

    @Nullable Object get(String name) {
      return state == null ? null : state.get(name);
    }
  }

  /** A block manager: blocks and axes. */
  static final class Blocks implements Stateful {
    private List<Block> blocks = List.of();
    private List<@Nullable Object> axes = List.of();

    /** {@code (axes, values, items, {"0.14.1": {"axes": [...], "blocks": [...]}})}. */
    @Override
    public void setState(@Nullable Object state) {
      if (!(state instanceof PyTuple tuple)
          || !(tuple.get(3) instanceof PyDict versions)
          || !(versions.get("0.14.1") instanceof PyDict parts)) {
        throw invalid("a block manager has another state");
      }
      axes = values(parts.get("axes"));
      List<Block> read = new ArrayList<>();
      for (Object part : values(parts.get("blocks"))) {
        if (!(part instanceof PyDict block)) {
          throw invalid("a block has another state");
        }
        read.add(new Block(block.get("values"), block.get("mgr_locs")));
      }
      blocks = read;
    }

    List<Block> blocks() {
      return blocks;
    }

    @Nullable Object axis(int number) {
      return number < axes.size() ? axes.get(number) : null;
    }

    private static Blocks of(PyTuple args) {
      Blocks manager = new Blocks();
      if (args.size() == 0) {
        return manager;
      }
      List<Block> read = new ArrayList<>();
      for (Object block :
          args.get(0) instanceof Block ? List.of(args.get(0)) : values(args.get(0))) {
        if (!(block instanceof Block known)) {
          throw invalid("a block manager has other blocks");
        }
        read.add(known);
      }
      manager.blocks = read;
      manager.axes =
          args.get(1) instanceof PyList || args.get(1) instanceof PyTuple
              ? values(args.get(1))
              : Collections.singletonList(args.get(1));
      return manager;
    }
  }

  /**
   * Columns that are stored together.
   *
   * @param values a {@link NumpyArray} of columns by rows, or a {@link Backed} array
   * @param placement numbers of the columns: a {@link Slice} or a {@link NumpyArray}
   */
  record Block(@Nullable Object values, @Nullable Object placement) {}

  /** Python's slice. */
  record Slice(@Nullable Object start, @Nullable Object stop, @Nullable Object step) {}

  /**
   * An index.
   *
   * @param data its labels; null for a range
   */
  record Index(@Nullable Object data, @Nullable Object range) {}

  /** Something that says nothing about cells. */
  static final class Unread implements Stateful {
    private final PickleGlobal global;

    Unread(PickleGlobal global) {
      this.global = global;
    }

    @Override
    public void setState(@Nullable Object state) {
      // not needed
    }

    boolean is(PickleGlobal other) {
      return global == other;
    }
  }

  /** Values, and which of them are missing. */
  static final class Masked implements Stateful {
    private @Nullable NumpyArray values;
    private @Nullable NumpyArray mask;

    @Override
    public void setState(@Nullable Object state) {
      if (!(state instanceof PyDict dict)
          || !(dict.get("_data") instanceof NumpyArray newValues)
          || !(dict.get("_mask") instanceof NumpyArray newMask)
          || newValues.dimensions() != 1
          || newMask.dimensions() != 1
          || newValues.length() != newMask.length()) {
        throw invalid("an array with missing values has another state");
      }
      values = newValues;
      mask = newMask;
    }

    int length() {
      return values == null ? 0 : values.length();
    }

    @Nullable Object item(int row) {
      if (values == null || mask == null) {
        throw invalid("an array with missing values has no state");
      }
      return Boolean.TRUE.equals(mask.item(row, 0, 0)) ? null : values.item(row, 0, 0);
    }
  }

  /**
   * A Categorical, StringArray or DatetimeArray: an array, and a type that says what its values
   * mean.
   */
  static final class Backed implements Stateful {
    private @Nullable NumpyArray values;
    private @Nullable Object type;

    @Override
    public void setState(@Nullable Object state) {
      if (!(state instanceof PyTuple tuple)) {
        throw invalid("a pandas array has another state");
      }
      for (int i = 0; i < tuple.size(); i++) {
        switch (tuple.get(i)) {
          case NumpyArray array -> values = array;
          case PyDict attributes -> {
            // only caches
          }
          case null, default -> type = tuple.get(i);
        }
      }
    }

    NumpyArray values() {
      if (values == null) {
        throw invalid("a pandas array has no values");
      }
      return values;
    }

    /** Whether its times are points in time. */
    boolean isZoned() {
      return type instanceof Unread unread && unread.is(PickleGlobal.DATETIME_TZ_DTYPE);
    }

    /** The categories' labels; null when the values stand for themselves. */
    @Nullable Index categories() {
      return type instanceof CategoricalType categorical ? categorical.categories() : null;
    }
  }

  static final class CategoricalType implements Stateful {
    private @Nullable Index categories;

    @Override
    public void setState(@Nullable Object state) {
      if (state instanceof PyDict dict && dict.get("categories") instanceof Index index) {
        categories = index;
      } else {
        throw invalid("a categorical type has other categories");
      }
    }

    @Nullable Index categories() {
      return categories;
    }
  }

  /** What calling {@code global} with {@code args} makes. */
  static @Nullable Object construct(PickleGlobal global, PyTuple args) {
    return switch (global) {
      case SLICE -> new Slice(args.get(0), args.get(1), args.get(2));
      case BYTEARRAY -> bytes(args);
      case ENCODE -> encode(args);
      case RECONSTRUCT -> new NumpyArray();
      case FROM_BUFFER ->
          new NumpyArray(type(args.get(1)), args.get(2), "F".equals(args.get(3)), args.get(0));
      case SCALAR -> scalar(args);
      case DTYPE -> NumpyType.of(args.get(0));
      case SET -> args.get(0) == null ? new PickleValue.PyList() : args.get(0);
      case ORDERED_DICT, DEFAULT_DICT -> new PyDict();
      case DECIMAL -> args.get(0);
      case DATE, DATE_TIME, TIME_DELTA, TIME_ZONE, TIMESTAMP -> PickleTimes.construct(global, args);
      case NOT_A_TIME -> null;
      case DATA_FRAME, SERIES -> new Frame();
      case BLOCK_MANAGER, SINGLE_BLOCK_MANAGER -> Blocks.of(args);
      case UNPICKLE_BLOCK -> new Block(args.get(0), args.get(1));
      case NEW_INDEX -> index(args);
      case ARRAY_BACKED, BACKED_ARRAY -> new Backed();
      case CATEGORICAL_DTYPE -> new CategoricalType();
      case GETATTR -> {
        if (args.get(0) == PickleGlobal.ZONE_INFO && "_unpickle".equals(args.get(1))) {
          yield PickleGlobal.ZONE_INFO;
        }
        throw PickleGlobal.refused("builtins.getattr");
      }
      case DATETIME_TZ_DTYPE, UNREAD, ZONE_INFO -> new Unread(global);
      case MASKED_ARRAY -> new Masked();
      case ARROW_COLUMN -> new PickleArrow.Column();
      case ARROW_RESTORE,
          ARROW_CHUNKS,
          ARROW_BUFFER,
          ARROW_ALIAS,
          ARROW_FIELD,
          ARROW_LIST,
          ARROW_LARGE_LIST,
          ARROW_STRUCT,
          ARROW_DICTIONARY,
          ARROW_TIMESTAMP,
          ARROW_DECIMAL ->
          PickleArrow.construct(global, args);
      case NDARRAY, INDEX, RANGE_INDEX, LIST, MISSING ->
          throw invalid("makes a %s directly".formatted(global));
    };
  }

  private static NumpyType type(@Nullable Object value) {
    if (value instanceof NumpyType type) {
      return type;
    }
    throw invalid("a NumPy array has no type");
  }

  private static @Nullable Object scalar(PyTuple args) {
    NumpyType type = type(args.get(0));
    if (type.isObject()) {
      return args.get(1);
    }
    return new NumpyArray(type, new PyTuple(new Object[0]), false, args.get(1)).item(0, 0, 0);
  }

  private static byte[] bytes(PyTuple args) {
    return switch (args.get(0)) {
      case null -> new byte[0];
      case byte[] bytes -> bytes;
      default -> throw invalid("a bytearray is made of other than bytes");
    };
  }

  /** How protocols before 3 write bytes: as text of which each character is a byte. */
  private static byte[] encode(PyTuple args) {
    if (!(args.get(0) instanceof String text)
        || !("latin1".equals(args.get(1)) || "latin-1".equals(args.get(1)))) {
      throw invalid("bytes are written in another encoding than latin1");
    }
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    if (!new String(bytes, StandardCharsets.ISO_8859_1).equals(text)) {
      throw invalid("bytes are written with characters beyond a byte");
    }
    return bytes;
  }

  private static Index index(PyTuple args) {
    if (!(args.get(1) instanceof PyDict state)) {
      throw invalid("an index has another state");
    }
    return args.get(0) == PickleGlobal.RANGE_INDEX
        ? new Index(null, new Slice(state.get("start"), state.get("stop"), state.get("step")))
        : new Index(state.get("data"), null);
  }

  static List<@Nullable Object> values(@Nullable Object container) {
    List<@Nullable Object> values = new ArrayList<>();
    switch (container) {
      case PyList list -> {
        for (int i = 0; i < list.size(); i++) {
          values.add(list.get(i));
        }
      }
      case PyTuple tuple -> {
        for (int i = 0; i < tuple.size(); i++) {
          values.add(tuple.get(i));
        }
      }
      case null, default -> throw invalid("a list is missing");
    }
    return values;
  }

  static InvalidContentException invalid(String problem) {
    return new InvalidContentException(
        "is not a valid pickle of pandas: "
            + problem
            + "; copy or write it again, or convert it with to_parquet");
  }
}
