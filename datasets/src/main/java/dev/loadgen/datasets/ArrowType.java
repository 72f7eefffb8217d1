package dev.loadgen.datasets;

import java.util.List;

/**
 * A type of Arrow's columnar format, as far as pandas pickles use it.
 *
 * @param kind how values are laid out and read
 * @param perSecond of times: counts in a second
 * @param zoned of times: whether they are points in time
 * @param scale of decimals: digits after the point
 * @param fields of structs: names of the children
 */
record ArrowType(Kind kind, long perSecond, boolean zoned, int scale, List<String> fields) {
  enum Kind {
    NULL(0),
    BOOLEAN(0),
    INT8(1),
    INT16(2),
    INT32(4),
    INT64(8),
    UINT8(1),
    UINT16(2),
    UINT32(4),
    UINT64(8),
    FLOAT16(2),
    FLOAT32(4),
    FLOAT64(8),
    DATE32(4),
    DATE64(8),
    TIMESTAMP(8),
    DECIMAL128(16),
    TEXT(4),
    LARGE_TEXT(8),
    BYTES(4),
    LARGE_BYTES(8),
    LIST(4),
    LARGE_LIST(8),
    STRUCT(0),
    DICTIONARY(0);

    private final int width;

    Kind(int width) {
      this.width = width;
    }

    /** Bytes of a value, or of an offset where values have no fixed length; 0: no such buffer. */
    int width() {
      return width;
    }

    boolean isText() {
      return this == TEXT || this == LARGE_TEXT;
    }

    boolean isBytes() {
      return this == BYTES || this == LARGE_BYTES;
    }

    boolean isList() {
      return this == LIST || this == LARGE_LIST;
    }
  }

  static ArrowType of(Kind kind) {
    return new ArrowType(kind, 1, false, 0, List.of());
  }

  /** The type that pyarrow's {@code type_for_alias} gives. */
  static ArrowType named(String alias) {
    return of(
        switch (alias) {
          case "null" -> Kind.NULL;
          case "bool" -> Kind.BOOLEAN;
          case "int8" -> Kind.INT8;
          case "int16" -> Kind.INT16;
          case "int32" -> Kind.INT32;
          case "int64" -> Kind.INT64;
          case "uint8" -> Kind.UINT8;
          case "uint16" -> Kind.UINT16;
          case "uint32" -> Kind.UINT32;
          case "uint64" -> Kind.UINT64;
          case "halffloat" -> Kind.FLOAT16;
          case "float" -> Kind.FLOAT32;
          case "double" -> Kind.FLOAT64;
          case "date32[day]" -> Kind.DATE32;
          case "date64[ms]" -> Kind.DATE64;
          case "string" -> Kind.TEXT;
          case "large_string" -> Kind.LARGE_TEXT;
          case "binary" -> Kind.BYTES;
          case "large_binary" -> Kind.LARGE_BYTES;
          default ->
              throw new InvalidContentException(
                  "has a column of Arrow's type '%s', which is not read; convert it with to_parquet"
                      .formatted(CellWords.brief(alias)));
        });
  }

  static ArrowType timestamp(long perSecond, boolean zoned) {
    return new ArrowType(Kind.TIMESTAMP, perSecond, zoned, 0, List.of());
  }

  static ArrowType decimal(int scale) {
    return new ArrowType(Kind.DECIMAL128, 1, false, scale, List.of());
  }

  static ArrowType struct(List<String> fields) {
    return new ArrowType(Kind.STRUCT, 1, false, 0, fields);
  }
}
