package dev.loadgen.datasets;

import static dev.loadgen.datasets.PickleObjects.invalid;

import dev.loadgen.datasets.PickleValue.PyTuple;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Dates and times of Python and pandas, as text in ISO 8601. */
final class PickleTimes {
  private PickleTimes() {}

  /** What constructing one of Python's classes makes. */
  static Object construct(PickleGlobal global, PyTuple args) {
    try {
      return switch (global) {
        case DATE -> date(bytes(args, 4)).toString();
        case DATE_TIME -> dateTime(bytes(args, 10), args.get(1));
        case TIME_DELTA ->
            Duration.ofDays(number(args.get(0)))
                .plusSeconds(number(args.get(1)))
                .plusNanos(Math.multiplyExact(number(args.get(2)), 1000L));
        case TIME_ZONE -> {
          if (!(args.get(0) instanceof Duration offset)) {
            throw invalid("a time zone has no offset");
          }
          yield ZoneOffset.ofTotalSeconds(Math.toIntExact(offset.toSeconds()));
        }
        case TIMESTAMP -> timestamp(args);
        default -> throw invalid("makes a " + global);
      };
    } catch (DateTimeException | ArithmeticException e) {
      throw new InvalidContentException("has a date that is out of range", e);
    }
  }

  /** The state of {@code datetime.date} and {@code datetime.datetime}, a byte a part. */
  private static byte[] bytes(PyTuple args, int length) {
    if (args.get(0) instanceof byte[] bytes && bytes.length == length) {
      return bytes;
    }
    throw invalid("a date has another state");
  }

  private static LocalDate date(byte[] parts) {
    // the highest bit of the month tells the second of two equal clock times
    return LocalDate.of((parts[0] & 0xff) << 8 | (parts[1] & 0xff), parts[2] & 0x7f, parts[3]);
  }

  private static String dateTime(byte[] parts, @Nullable Object zone) {
    int micros = (parts[7] & 0xff) << 16 | (parts[8] & 0xff) << 8 | (parts[9] & 0xff);
    LocalDateTime time = date(parts).atTime(parts[4], parts[5], parts[6], micros * 1000);
    String text = DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time);
    return switch (zone) {
      case null -> text;
      case ZoneOffset offset -> text + offset;
      default -> throw invalid("a date has a time zone that is not read; write it in UTC");
    };
  }

  /** {@code (count, freq, zone, unit)}; pandas before 2.0 counts nanoseconds and gives no unit. */
  private static String timestamp(PyTuple args) {
    long count = number(args.get(0));
    long perSecond =
        switch (args.get(3)) {
          case null -> 1_000_000_000;
          case Long unit when unit == 7 -> 1;
          case Long unit when unit == 8 -> 1_000;
          case Long unit when unit == 9 -> 1_000_000;
          case Long unit when unit == 10 -> 1_000_000_000;
          default -> throw invalid("a Timestamp has another unit");
        };
    return args.get(2) == null ? Times.dateTime(count, perSecond) : Times.instant(count, perSecond);
  }

  private static long number(@Nullable Object value) {
    if (value instanceof Long number) {
      return number;
    }
    throw invalid("a date has other than numbers");
  }
}
