package dev.loadgen.datasets;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gives columns of CSV, whose cells are text, the type that all their cells can be written as:
 * integers, numbers or booleans. A numeral that another one equals, such as {@code 007}, is text.
 */
final class CsvTypes {
  private static final Pattern INTEGER = Pattern.compile("0|-?[1-9]\\d{0,17}");
  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9]\\d{0,17})(?:\\.\\d{1,30})?(?:[eE][+-]?\\d{1,3})?");
  private static final Pattern BOOLEAN = Pattern.compile("True|False|true|false|TRUE|FALSE");

  private CsvTypes() {}

  /**
   * Converts columns in place.
   *
   * @param asText columns that stay as they are
   */
  static void settle(Map<String, List<@Nullable Object>> columns, Set<String> asText) {
    columns.forEach(
        (name, values) -> {
          if (asText.contains(name)) {
            return;
          }
          if (all(values, INTEGER)) {
            convert(values, Long::valueOf);
          } else if (all(values, NUMBER)) {
            convert(values, Double::valueOf);
          } else if (all(values, BOOLEAN)) {
            convert(values, Boolean::valueOf);
          }
        });
  }

  private static boolean all(List<@Nullable Object> values, Pattern pattern) {
    boolean some = false;
    for (Object value : values) {
      if (value != null) {
        if (!(value instanceof String text) || !pattern.matcher(text).matches()) {
          return false;
        }
        some = true;
      }
    }
    return some;
  }

  private static void convert(List<@Nullable Object> values, Function<String, Object> type) {
    values.replaceAll(value -> value instanceof String text ? type.apply(text) : value);
  }
}
