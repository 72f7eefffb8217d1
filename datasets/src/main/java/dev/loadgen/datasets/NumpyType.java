package dev.loadgen.datasets;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A NumPy dtype: numbers, booleans, text, bytes, dates and times, and objects; others are refused.
 */
final class NumpyType implements PickleValue.Stateful {
  private static final Pattern CODE =
      Pattern.compile("([<>=|]?)([biufOMmSU])(\\d{1,8})(?:\\[(\\w+)])?");

  private final char kind;
  private final int itemSize;
  private boolean bigEndian;
  private @Nullable String unit;

  private NumpyType(char kind, int itemSize, boolean bigEndian, @Nullable String unit) {
    this.kind = kind;
    this.itemSize = itemSize;
    this.bigEndian = bigEndian;
    this.unit = unit;
  }

  /** The type that a code such as {@code i4}, {@code <f8} or {@code O8} names. */
  static NumpyType of(@Nullable Object code) {
    if (code instanceof String text) {
      Matcher parts =
          CODE.matcher(
              switch (text) {
                case "O", "|O" -> "O8";
                case "?", "|?" -> "b1";
                default -> text;
              });
      if (parts.matches()) {
        char kind = parts.group(2).charAt(0);
        int size = Integer.parseInt(parts.group(3));
        boolean known =
            switch (kind) {
              case 'b' -> size == 1;
              case 'i', 'u' -> size == 1 || size == 2 || size == 4 || size == 8;
              case 'f' -> size == 2 || size == 4 || size == 8;
              case 'S', 'U' -> size > 0;
              default -> size == 8;
            };
        if (known) {
          return new NumpyType(
              kind,
              kind == 'U' ? size * Integer.BYTES : size,
              ">".equals(parts.group(1)),
              parts.group(4));
        }
      }
    }
    throw new InvalidContentException(
        "has a NumPy array of type %s, which is not read; make it numbers, text objects or lists"
            .formatted(code instanceof String text ? "'" + CellWords.brief(text) + "'" : "other"));
  }

  boolean isObject() {
    return kind == 'O';
  }

  boolean isDatetime() {
    return kind == 'M' || kind == 'm';
  }

  int itemSize() {
    return itemSize;
  }

  ByteOrder order() {
    return bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
  }

  /** {@code (version, byte order, ..., metadata)}; only order and a datetime's unit concern us. */
  @Override
  public void setState(@Nullable Object state) {
    if (!(state instanceof PickleValue.PyTuple tuple) || tuple.size() < 2) {
      throw new InvalidContentException("is not a valid pickle: a NumPy type has another state");
    }
    bigEndian = ">".equals(tuple.get(1));
    if (isDatetime()
        && tuple.get(8) instanceof PickleValue.PyTuple metadata
        && metadata.get(1) instanceof PickleValue.PyTuple datetime) {
      unit =
          datetime.get(0) instanceof byte[] name
              ? new String(name, StandardCharsets.ISO_8859_1)
              : String.valueOf(datetime.get(0));
    }
  }

  /** The item at a byte offset. */
  @Nullable Object item(ByteBuffer data, int offset) {
    return switch (kind) {
      case 'b' -> data.get(offset) != 0;
      case 'i' -> signed(data, offset);
      case 'u' -> unsigned(data, offset);
      case 'f' -> floating(data, offset);
      case 'U' -> text(data, offset);
      case 'S' -> bytes(data, offset);
      default -> datetime(data.getLong(offset));
    };
  }

  private long signed(ByteBuffer data, int offset) {
    return switch (itemSize) {
      case 1 -> data.get(offset);
      case 2 -> data.getShort(offset);
      case 4 -> data.getInt(offset);
      default -> data.getLong(offset);
    };
  }

  private Object unsigned(ByteBuffer data, int offset) {
    return switch (itemSize) {
      case 1 -> (long) (data.get(offset) & 0xff);
      case 2 -> (long) (data.getShort(offset) & 0xffff);
      case 4 -> data.getInt(offset) & 0xffffffffL;
      default -> {
        long value = data.getLong(offset);
        yield value >= 0 ? (Object) value : new BigInteger(Long.toUnsignedString(value));
      }
    };
  }

  private double floating(ByteBuffer data, int offset) {
    return switch (itemSize) {
      case 2 -> Float.float16ToFloat(data.getShort(offset));
      case 4 -> data.getFloat(offset);
      default -> data.getDouble(offset);
    };
  }

  /** Text in UTF-32, of which zeros at the end are padding. */
  private String text(ByteBuffer data, int offset) {
    StringBuilder text = new StringBuilder();
    int zeros = 0;
    for (int at = 0; at < itemSize; at += Integer.BYTES) {
      int c = data.getInt(offset + at);
      if (c == 0) {
        zeros++;
        continue;
      }
      text.repeat('\0', zeros);
      zeros = 0;
      if (!Character.isValidCodePoint(c)) {
        throw new InvalidContentException("has text that is not Unicode; copy or write it again");
      }
      text.appendCodePoint(c);
    }
    return text.toString();
  }

  /** Bytes, of which zeros at the end are padding. */
  private ByteBuffer bytes(ByteBuffer data, int offset) {
    int length = itemSize;
    while (length > 0 && data.get(offset + length - 1) == 0) {
      length--;
    }
    byte[] bytes = new byte[length];
    data.get(offset, bytes);
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  private @Nullable Object datetime(long count) {
    if (count == Long.MIN_VALUE) { // NaT
      return null;
    }
    if ("D".equals(unit) && kind == 'M') {
      return Times.date(count);
    }
    int seconds =
        switch (unit) {
          case "m" -> 60;
          case "h" -> 3600;
          case "D" -> 86_400;
          case null, default -> 1;
        };
    long perSecond = seconds == 1 ? Times.perSecond(unit) : 1;
    if (Math.abs(count) > Long.MAX_VALUE / seconds) {
      throw new InvalidContentException("has a date that is out of range");
    }
    return kind == 'M'
        ? Times.dateTime(count * seconds, perSecond)
        : Times.duration(count * seconds, perSecond);
  }
}
