package dev.loadgen.desired;

import dev.loadgen.contract.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with a spec, all of it at once; each problem names the field. */
public final class Problems {
  /** A DNS subdomain of RFC 1123. */
  private static final Pattern OBJECT_NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*+");

  private final List<String> found = new ArrayList<>();

  /** Adds a problem if {@code wrong}. */
  public Problems check(boolean wrong, String message) {
    if (wrong) {
      found.add(message);
    }
    return this;
  }

  /** A field that must be there. */
  public Problems required(String field, @Nullable Object value) {
    return check(value == null || "".equals(value), field + ": is missing");
  }

  /** A number that must not be below a bound; null is unset. */
  public Problems atLeast(String field, @Nullable Number value, long least) {
    return check(
        value != null && !(value.doubleValue() >= least),
        field + ": must be at least " + least + ", not " + value);
  }

  /** A share, above 0 and at most 1; null is unset. */
  public Problems share(String field, @Nullable Double value) {
    return check(
        value != null && !(value > 0 && value <= 1),
        field + ": must be above 0 and at most 1, not " + value);
  }

  /** A number between two bounds, both included; null is unset. */
  public Problems between(String field, @Nullable Number value, long least, long most) {
    return check(
        value != null && !(value.doubleValue() >= least && value.doubleValue() <= most),
        field + ": must be from " + least + " to " + most + ", not " + value);
  }

  /** A number with a least, and a most that hardly anybody asks for; null is unset. */
  public Problems bounded(String field, @Nullable Number value, long least, long most) {
    atLeast(field, value, least);
    return check(
        value != null && value.doubleValue() > most,
        field + ": must be at most " + most + ", not " + value);
  }

  /** A list that must not be longer than a bound; null is unset. */
  public Problems atMost(String field, @Nullable Collection<?> list, int most) {
    return check(
        list != null && list.size() > most,
        "%s: must have at most %s entries, not %s"
            .formatted(field, most, list == null ? 0 : list.size()));
  }

  /** A name of an object that the operator looks for; null is unset. */
  public Problems objectName(String field, @Nullable String name) {
    return check(
        name != null && (name.length() > 253 || !OBJECT_NAME.matcher(name).matches()),
        field
            + ": must be a valid Kubernetes name of lower-case letters, digits, dots and dashes,"
            + " not \""
            + name
            + "\"");
  }

  /** A text of a form; null is unset. */
  public Problems matches(String field, @Nullable String value, Pattern form, String words) {
    return check(
        value != null && !form.matcher(value).matches(), field + ": " + words + ", not " + value);
  }

  /** A duration longer than nothing; null is unset. */
  public Problems duration(String field, @Nullable String value) {
    Duration duration = parsed(field, value);
    return check(
        duration != null && duration.isZero(),
        field + ": " + value + " rounds to zero; give a longer time");
  }

  /** A duration, which may be none; null is unset. */
  public Problems durationOrZero(String field, @Nullable String value) {
    parsed(field, value);
    return this;
  }

  private @Nullable Duration parsed(String field, @Nullable String value) {
    try {
      return value == null ? null : Durations.parse(field, value);
    } catch (IllegalArgumentException e) {
      check(true, String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** All problems, in the order of the checks. */
  public List<String> all() {
    return List.copyOf(found);
  }
}
