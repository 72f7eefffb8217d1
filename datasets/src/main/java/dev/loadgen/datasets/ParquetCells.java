package dev.loadgen.datasets;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.io.api.RecordMaterializer;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Assembles the cells of one column of a Parquet file. Lists follow the format's rules for LIST
 * with their older forms (parquet-format, LogicalTypes.md), so the names inside them do not matter.
 */
final class ParquetCells extends RecordMaterializer<Void> {
  private final StructConverter root;

  /**
   * @param column takes the cell of each row, null where the row has none
   */
  ParquetCells(Type field, Consumer<@Nullable Object> column) {
    root = new StructConverter(List.of(field), row -> column.accept(row.get(field.getName())), 0);
  }

  @Override
  public GroupConverter getRootConverter() {
    return root;
  }

  @Override
  @SuppressWarnings("NullAway") // the rows go to the column as they end
  public Void getCurrentRecord() {
    return null;
  }

  /** Takes values that are there; what is not there is not told. */
  private interface Sink {
    void accept(Object value);

    default void acceptInt(int value) {
      accept((long) value);
    }
  }

  private static Converter converter(Type type, Sink sink, int depth) {
    if (depth > DatasetBounds.DEPTH) {
      throw new InvalidContentException(
          "has columns with more than " + DatasetBounds.DEPTH + " groups inside each other");
    }
    if (type.isPrimitive()) {
      return new ValueConverter(type.asPrimitiveType(), sink);
    }
    GroupType group = type.asGroupType();
    LogicalTypeAnnotation logical = group.getLogicalTypeAnnotation();
    if (logical instanceof ListLogicalTypeAnnotation
        && group.getFieldCount() == 1
        && group.getType(0).isRepetition(Type.Repetition.REPEATED)) {
      return new ListConverter(group, sink, depth);
    }
    if (logical instanceof MapLogicalTypeAnnotation
        && group.getFieldCount() == 1
        && !group.getType(0).isPrimitive()) {
      return new MapConverter(group.getType(0).asGroupType(), sink, depth);
    }
    return new StructConverter(
        group.getFields(), row -> sink.accept(Collections.unmodifiableMap(row)), depth);
  }

  /** A group with named fields; a repeated one among them is a list. */
  private static final class StructConverter extends GroupConverter {
    private final List<Type> fields;
    private final Consumer<Map<String, @Nullable Object>> sink;
    private final List<Converter> converters = new ArrayList<>();
    private final Map<String, ListBuilder> repeated = new LinkedHashMap<>();
    private Map<String, @Nullable Object> row = new LinkedHashMap<>();

    StructConverter(List<Type> fields, Consumer<Map<String, @Nullable Object>> sink, int depth) {
      this.fields = fields;
      this.sink = sink;
      for (Type field : fields) {
        if (field.isRepetition(Type.Repetition.REPEATED)) {
          ListBuilder list = new ListBuilder();
          repeated.put(field.getName(), list);
          converters.add(converter(field, elementsOf(list), depth + 1));
        } else {
          converters.add(converter(field, value -> row.put(field.getName(), value), depth + 1));
        }
      }
    }

    @Override
    public Converter getConverter(int field) {
      return converters.get(field);
    }

    @Override
    public void start() {
      row = new LinkedHashMap<>();
      for (Type field : fields) {
        row.put(field.getName(), null);
      }
    }

    @Override
    public void end() {
      repeated.forEach((name, list) -> row.put(name, list.build()));
      sink.accept(row);
    }
  }

  private static Sink elementsOf(ListBuilder list) {
    return new Sink() {
      @Override
      public void accept(Object value) {
        list.add(value);
      }

      @Override
      public void acceptInt(int value) {
        list.addInt(value);
      }
    };
  }

  private static final class ListConverter extends GroupConverter {
    private final ListBuilder list = new ListBuilder();
    private final Converter repeated;
    private final Sink sink;

    ListConverter(GroupType group, Sink sink, int depth) {
      this.sink = sink;
      Type repeatedType = group.getType(0);
      boolean isElement =
          repeatedType.isPrimitive()
              || repeatedType.asGroupType().getFieldCount() != 1
              || repeatedType.getName().equals("array")
              || repeatedType.getName().equals(group.getName() + "_tuple");
      this.repeated =
          isElement
              ? converter(repeatedType, elementsOf(list), depth + 1)
              : new ElementConverter(repeatedType.asGroupType().getType(0), list, depth + 1);
    }

    @Override
    public Converter getConverter(int field) {
      return repeated;
    }

    @Override
    public void start() {
      // the builder is empty
    }

    @Override
    public void end() {
      sink.accept(list.build());
    }
  }

  /** The repeated group of a list, whose one field is the element and may be null. */
  private static final class ElementConverter extends GroupConverter {
    private final ListBuilder list;
    private final Converter element;
    private boolean present;

    ElementConverter(Type type, ListBuilder list, int depth) {
      this.list = list;
      Sink elements = elementsOf(list);
      Sink noticing =
          new Sink() {
            @Override
            public void accept(Object value) {
              present = true;
              elements.accept(value);
            }

            @Override
            public void acceptInt(int value) {
              present = true;
              elements.acceptInt(value);
            }
          };
      this.element = converter(type, noticing, depth);
    }

    @Override
    public Converter getConverter(int field) {
      return element;
    }

    @Override
    public void start() {
      present = false;
    }

    @Override
    public void end() {
      if (!present) {
        list.add(null);
      }
    }
  }

  private static final class MapConverter extends GroupConverter {
    private final StructConverter entry;
    private final Sink sink;
    private Map<String, @Nullable Object> map = new LinkedHashMap<>();

    MapConverter(GroupType keyValue, Sink sink, int depth) {
      this.sink = sink;
      String key = keyValue.getFieldName(0);
      @Nullable String value = keyValue.getFieldCount() > 1 ? keyValue.getFieldName(1) : null;
      this.entry =
          new StructConverter(
              keyValue.getFields(),
              row -> map.put(String.valueOf(row.get(key)), value == null ? null : row.get(value)),
              depth + 1);
    }

    @Override
    public Converter getConverter(int field) {
      return entry;
    }

    @Override
    public void start() {
      map = new LinkedHashMap<>();
    }

    @Override
    public void end() {
      sink.accept(Collections.unmodifiableMap(map));
    }
  }

  /** A single value; strings of a dictionary are decoded once and shared. */
  private static final class ValueConverter extends PrimitiveConverter {
    private static final long JULIAN_DAY_OF_1970 = 2_440_588;

    private final PrimitiveType type;
    private final Sink sink;
    private final Kind kind;
    private @Nullable Object @Nullable [] dictionary;

    ValueConverter(PrimitiveType type, Sink sink) {
      this.type = type;
      this.sink = sink;
      this.kind = kind(type);
    }

    /** What the bits of a value mean. */
    private enum Kind {
      PLAIN,
      UNSIGNED,
      TEXT,
      HALF_FLOAT,
      DATE,
      DATE_TIME,
      INSTANT,
      /** As the library writes it: decimals, times of day, UUIDs. */
      WRITTEN
    }

    private static Kind kind(PrimitiveType type) {
      return switch (type.getLogicalTypeAnnotation()) {
        case null -> Kind.PLAIN;
        case LogicalTypeAnnotation.StringLogicalTypeAnnotation s -> Kind.TEXT;
        case LogicalTypeAnnotation.EnumLogicalTypeAnnotation e -> Kind.TEXT;
        case LogicalTypeAnnotation.JsonLogicalTypeAnnotation j -> Kind.TEXT;
        case IntLogicalTypeAnnotation integer -> integer.isSigned() ? Kind.PLAIN : Kind.UNSIGNED;
        case LogicalTypeAnnotation.Float16LogicalTypeAnnotation f -> Kind.HALF_FLOAT;
        case LogicalTypeAnnotation.DateLogicalTypeAnnotation d -> Kind.DATE;
        case LogicalTypeAnnotation.TimestampLogicalTypeAnnotation t ->
            t.isAdjustedToUTC() ? Kind.INSTANT : Kind.DATE_TIME;
        default -> Kind.WRITTEN;
      };
    }

    private long perSecond() {
      return type.getLogicalTypeAnnotation()
              instanceof LogicalTypeAnnotation.TimestampLogicalTypeAnnotation timestamp
          ? switch (timestamp.getUnit()) {
            case MILLIS -> 1_000;
            case MICROS -> 1_000_000;
            case NANOS -> 1_000_000_000;
          }
          : 1;
    }

    @Override
    public boolean hasDictionarySupport() {
      return kind == Kind.TEXT;
    }

    @Override
    public void setDictionary(Dictionary values) {
      Object[] decoded = new Object[values.getMaxId() + 1];
      for (int id = 0; id < decoded.length; id++) {
        decoded[id] = values.decodeToBinary(id).toStringUsingUTF8();
      }
      dictionary = decoded;
    }

    @Override
    public void addValueFromDictionary(int id) {
      if (dictionary == null || dictionary[id] == null) {
        throw new InvalidContentException("is not valid Parquet: a page has no dictionary");
      }
      sink.accept(dictionary[id]);
    }

    @Override
    public void addBinary(Binary value) {
      if (type.getPrimitiveTypeName() == PrimitiveType.PrimitiveTypeName.INT96) {
        sink.accept(int96(value));
        return;
      }
      sink.accept(
          switch (kind) {
            case TEXT -> value.toStringUsingUTF8();
            case HALF_FLOAT ->
                (double)
                    Float.float16ToFloat(
                        value.toByteBuffer().order(ByteOrder.LITTLE_ENDIAN).getShort());
            case WRITTEN -> type.stringifier().stringify(value);
            default -> ByteBuffer.wrap(value.getBytes()).asReadOnlyBuffer();
          });
    }

    /** The time stamps of older writers: nanoseconds of the day, and the Julian day. */
    private static String int96(Binary value) {
      ByteBuffer parts = ByteBuffer.wrap(value.getBytes()).order(ByteOrder.LITTLE_ENDIAN);
      long nanoOfDay = parts.getLong();
      return Times.dateTimeOfDay(parts.getInt() - JULIAN_DAY_OF_1970, nanoOfDay);
    }

    @Override
    public void addInt(int value) {
      switch (kind) {
        case UNSIGNED -> sink.accept(Integer.toUnsignedLong(value));
        case DATE -> sink.accept(Times.date(value));
        case WRITTEN -> sink.accept(type.stringifier().stringify(value));
        default -> sink.acceptInt(value);
      }
    }

    @Override
    public void addLong(long value) {
      switch (kind) {
        case DATE_TIME -> sink.accept(Times.dateTime(value, perSecond()));
        case INSTANT -> sink.accept(Times.instant(value, perSecond()));
        case WRITTEN -> sink.accept(type.stringifier().stringify(value));
        default -> {
          if (kind == Kind.UNSIGNED && value < 0) {
            sink.accept(new BigInteger(Long.toUnsignedString(value)));
          } else if (value == (int) value) {
            sink.acceptInt((int) value);
          } else {
            sink.accept(value);
          }
        }
      }
    }

    @Override
    public void addBoolean(boolean value) {
      sink.accept(value);
    }

    @Override
    public void addFloat(float value) {
      sink.accept((double) value);
    }

    @Override
    public void addDouble(double value) {
      sink.accept(value);
    }
  }
}
