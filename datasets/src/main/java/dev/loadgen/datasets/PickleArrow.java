package dev.loadgen.datasets;

import static dev.loadgen.datasets.PickleObjects.invalid;

import dev.loadgen.datasets.PickleValue.PyDict;
import dev.loadgen.datasets.PickleValue.PyTuple;
import dev.loadgen.datasets.PickleValue.Stateful;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Arrow arrays as pyarrow pickles them, and pandas' columns of them. */
final class PickleArrow {
  private PickleArrow() {}

  /** A named and typed child of a type. */
  record Field(String name) {}

  /** A pandas column that Arrow holds. */
  static final class Column implements Stateful {
    private ArrowArray.@Nullable Chunks chunks;

    @Override
    public void setState(@Nullable Object state) {
      // pandas before 2.1 has it under the older name
      Object array =
          state instanceof PyDict dict
              ? dict.get("_pa_array") == null ? dict.get("_data") : dict.get("_pa_array")
              : null;
      chunks =
          switch (array) {
            case ArrowArray one -> new ArrowArray.Chunks(List.of(one));
            case ArrowArray.Chunks several -> several;
            case null, default -> throw invalid("an Arrow column has another state");
          };
    }

    ArrowArray.Chunks chunks() {
      if (chunks == null) {
        throw invalid("an Arrow column has no values");
      }
      return chunks;
    }
  }

  /** What calling one of pyarrow's functions makes. */
  static Object construct(PickleGlobal global, PyTuple args) {
    return switch (global) {
      case ARROW_BUFFER -> {
        if (!(args.get(0) instanceof byte[] bytes)) {
          throw invalid("an Arrow buffer has no bytes");
        }
        yield bytes;
      }
      case ARROW_ALIAS -> ArrowType.named(text(args.get(0)));
      case ARROW_FIELD -> new Field(text(args.get(0)));
      case ARROW_LIST -> {
        if (args.get(1) != null && !Long.valueOf(-1).equals(args.get(1))) {
          throw invalid("an Arrow list has a fixed size, which is not read");
        }
        yield ArrowType.of(ArrowType.Kind.LIST);
      }
      case ARROW_LARGE_LIST -> ArrowType.of(ArrowType.Kind.LARGE_LIST);
      case ARROW_DICTIONARY -> new Dictionary(type(args.get(0)));
      case ARROW_STRUCT -> ArrowType.struct(fields(args.get(0)));
      case ARROW_TIMESTAMP ->
          ArrowType.timestamp(Times.perSecond(text(args.get(0))), args.get(1) != null);
      case ARROW_DECIMAL -> {
        if (!(args.get(1) instanceof Long scale) || Math.abs(scale) > 38) {
          throw invalid("an Arrow decimal has no scale");
        }
        yield ArrowType.decimal(scale.intValue());
      }
      case ARROW_RESTORE -> array(args.get(0), 0);
      case ARROW_CHUNKS -> {
        List<ArrowArray> arrays = new ArrayList<>();
        for (Object array : PickleObjects.values(args.get(0))) {
          arrays.add(array instanceof ArrowArray one ? one : array(array, 0));
        }
        yield new ArrowArray.Chunks(arrays);
      }
      default -> throw invalid("makes a " + global);
    };
  }

  /** The type of an array of indices. */
  private record Dictionary(ArrowType indices) {}

  /** {@code (type, length, nulls, offset, buffers, children, dictionary)}. */
  private static ArrowArray array(@Nullable Object parts, int depth) {
    if (!(parts instanceof PyTuple tuple)
        || tuple.size() < 7
        || !(tuple.get(1) instanceof Long length)
        || !(tuple.get(3) instanceof Long offset)
        || depth > DatasetBounds.DEPTH) {
      throw invalid("an Arrow array has another form");
    }
    List<byte @Nullable []> buffers = new ArrayList<>();
    for (Object buffer : PickleObjects.values(tuple.get(4))) {
      if (buffer != null && !(buffer instanceof byte[])) {
        throw invalid("an Arrow array has other than buffers");
      }
      buffers.add((byte[]) buffer);
    }
    List<ArrowArray> children = new ArrayList<>();
    for (Object child : PickleObjects.values(tuple.get(5))) {
      children.add(array(child, depth + 1));
    }
    if (tuple.get(0) instanceof Dictionary dictionary) {
      ArrowArray indices =
          new ArrowArray(dictionary.indices(), length, offset, buffers, List.of(), null);
      return new ArrowArray(
          ArrowType.of(ArrowType.Kind.DICTIONARY),
          length,
          0,
          List.of(),
          List.of(indices),
          array(tuple.get(6), depth + 1));
    }
    return new ArrowArray(type(tuple.get(0)), length, offset, buffers, children, null);
  }

  private static ArrowType type(@Nullable Object value) {
    if (value instanceof ArrowType type) {
      return type;
    }
    throw invalid("an Arrow array has no type");
  }

  private static List<String> fields(@Nullable Object values) {
    List<String> names = new ArrayList<>();
    for (Object value : PickleObjects.values(values)) {
      if (!(value instanceof Field field)) {
        throw invalid("an Arrow struct has other than fields");
      }
      names.add(field.name());
    }
    return names;
  }

  private static String text(@Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw invalid("an Arrow type has no name");
  }
}
