package dev.loadgen.commands.console;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * A condition as its object has it; what it lacks is empty.
 *
 * @param status {@code True}, {@code False} or {@code Unknown}
 */
public record Condition(String type, String status, String reason, String message) {
  static List<Condition> of(JsonNode object) {
    return object
        .at("/status/conditions")
        .valueStream()
        .map(
            each ->
                new Condition(
                    each.path("type").asText(""),
                    each.path("status").asText(""),
                    each.path("reason").asText(""),
                    each.path("message").asText("")))
        .toList();
  }

  /** Whether it holds. */
  public boolean holds() {
    return status.equals("True");
  }

  static Optional<Condition> find(List<Condition> conditions, String type) {
    return conditions.stream().filter(each -> each.type().equals(type)).findFirst();
  }

  static Optional<String> text(List<Condition> conditions, String type) {
    return find(conditions, type).map(each -> each.reason() + ": " + each.message());
  }
}
