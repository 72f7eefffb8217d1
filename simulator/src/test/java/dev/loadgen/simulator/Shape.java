package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** The form of a JSON value: keys in order and types, without the values. */
final class Shape {
  private Shape() {}

  static String of(JsonNode node) {
    if (node.isObject()) {
      List<String> fields = new ArrayList<>();
      node.properties().forEach(field -> fields.add(field.getKey() + ":" + of(field.getValue())));
      return "{" + String.join(",", fields) + "}";
    }
    if (node.isArray()) {
      TreeSet<String> elements = new TreeSet<>();
      node.forEach(element -> elements.add(of(element)));
      return "[" + String.join("|", elements) + "]";
    }
    if (node.isIntegralNumber()) {
      return "integer";
    }
    return node.getNodeType().toString().toLowerCase(Locale.ROOT);
  }

  /** The shapes of a stream's events, where several of one shape in a row count as one. */
  static List<String> ofEvents(List<String> events) {
    List<String> shapes = new ArrayList<>();
    for (String event : events) {
      String shape = event.equals("[DONE]") ? event : of(Client.json(event));
      if (shapes.isEmpty() || !shapes.getLast().equals(shape)) {
        shapes.add(shape);
      }
    }
    return shapes;
  }
}
