package dev.loadgen.results.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A JSON object as lists of names and values, one for each object in it. */
final class Settings {
  private static final Pattern LONG_FRACTION = Pattern.compile("-?\\d{1,15}\\.\\d{5,}(E-?\\d+)?");

  private Settings() {}

  /**
   * The values of an object by their names; the names of values within objects are joined by dots.
   * Lists are one value.
   */
  static Map<String, String> flattened(JsonNode object) {
    Map<String, String> values = new LinkedHashMap<>();
    flatten("", object, values);
    return values;
  }

  private static void flatten(String path, JsonNode object, Map<String, String> values) {
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      String name = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
      if (field.getValue().isObject()) {
        flatten(name, field.getValue(), values);
      } else {
        values.put(name, value(field.getValue()));
      }
    }
  }

  /** Lists of all values; what is no object itself comes first, under the given heading. */
  static String html(String heading, JsonNode object) {
    Map<String, Map<String, String>> groups = new LinkedHashMap<>();
    groups.put(heading, new LinkedHashMap<>());
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (field.getValue().isObject()) {
        groups.put(words(field.getKey()), flattened(field.getValue()));
      } else {
        groups.get(heading).put(field.getKey(), value(field.getValue()));
      }
    }
    Html html = new Html().open("div", "class", "settings");
    groups.forEach(
        (title, values) -> {
          if (!values.isEmpty()) {
            html.open("div").element("h3", title).open("dl");
            values.forEach((name, value) -> html.element("dt", name).element("dd", rounded(value)));
            html.close("dl").close("div");
          }
        });
    return html.close("div").toString();
  }

  private static String value(JsonNode node) {
    if (!node.isArray()) {
      return node.isNull() ? "–" : node.asText();
    }
    return StreamSupport.stream(node.spliterator(), false)
        .map(item -> item.isValueNode() ? item.asText() : brief(item))
        .collect(Collectors.joining("\n"));
  }

  /** Fractions with more digits than anybody reads are cut to six. */
  private static String rounded(String value) {
    return LONG_FRACTION.matcher(value).matches()
        ? new BigDecimal(value).round(new MathContext(6)).stripTrailingZeros().toPlainString()
        : value;
  }

  /** An object of a list, such as a replica, on one line. */
  private static String brief(JsonNode item) {
    return flattened(item).values().stream().collect(Collectors.joining("  "));
  }

  /** A name such as {@code availableProcessors} as a heading. */
  private static String words(String name) {
    String spaced = name.replaceAll("([a-z])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT);
    return spaced.isEmpty()
        ? spaced
        : spaced.substring(0, 1).toUpperCase(Locale.ROOT) + spaced.substring(1);
  }
}
