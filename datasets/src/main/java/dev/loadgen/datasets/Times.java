package dev.loadgen.datasets;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Dates and times as text in ISO 8601, from counts of a unit since 1970. */
final class Times {
  private Times() {}

  /** Counts in a second of a unit of NumPy and Arrow. */
  static long perSecond(@Nullable String unit) {
    return switch (unit) {
      case "s" -> 1;
      case "ms" -> 1_000;
      case "us" -> 1_000_000;
      case "ns" -> 1_000_000_000;
      case null, default ->
          throw new InvalidContentException(
              "has datetimes in another unit than D, h, m, s, ms, us and ns; write them as text");
    };
  }

  /** A date and time; {@code 2026-01-31T08:30:00}, with a fraction where there is one. */
  static String dateTime(long count, long perSecond) {
    return text(count, perSecond, "");
  }

  /** A point in time, in UTC and with a Z. */
  static String instant(long count, long perSecond) {
    return text(count, perSecond, "Z");
  }

  private static String text(long count, long perSecond, String zone) {
    try {
      Instant instant =
          Instant.ofEpochSecond(
              Math.floorDiv(count, perSecond),
              Math.floorMod(count, perSecond) * (1_000_000_000 / perSecond));
      return text(LocalDateTime.ofInstant(instant, ZoneOffset.UTC)) + zone;
    } catch (DateTimeException | ArithmeticException e) {
      throw outOfRange(e);
    }
  }

  /** A date and time, from days and the nanoseconds of the day. */
  static String dateTimeOfDay(long days, long nanoOfDay) {
    try {
      return text(LocalDate.ofEpochDay(days).atStartOfDay().plusNanos(nanoOfDay));
    } catch (DateTimeException e) {
      throw outOfRange(e);
    }
  }

  private static String text(LocalDateTime time) {
    return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time);
  }

  private static InvalidContentException outOfRange(RuntimeException e) {
    return new InvalidContentException("has a date that is out of range", e);
  }

  static String date(long days) {
    try {
      return LocalDate.ofEpochDay(days).toString();
    } catch (DateTimeException e) {
      throw outOfRange(e);
    }
  }

  /** A length of time; {@code PT1H30M}. */
  static String duration(long count, long perSecond) {
    return Duration.ofSeconds(
            Math.floorDiv(count, perSecond),
            Math.floorMod(count, perSecond) * (1_000_000_000 / perSecond))
        .toString();
  }
}
