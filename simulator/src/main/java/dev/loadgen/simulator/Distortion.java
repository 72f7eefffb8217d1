package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a fault does to the JSON of an answer that is otherwise as it should be: of OpenAI's routes,
 * where answers are {@code choices}, and of SGLang's {@code /generate}, where they are objects of
 * their own. Most faults leave the JSON as it is.
 *
 * @param answers of the request
 * @param lastTokens of the last of them
 */
record Distortion(Fault.@Nullable Kind kind, int answers, int lastTokens) {
  static Distortion of(Fault.@Nullable Kind kind, List<Sequence> sequences) {
    return new Distortion(kind, sequences.size(), sequences.getLast().output().size());
  }

  JsonNode whole(AnswerFormat answer) {
    JsonNode json = apply(answer.whole());
    return json == null ? JsonText.object() : json;
  }

  List<JsonNode> events(List<JsonNode> events) {
    List<JsonNode> sent = new ArrayList<>();
    for (JsonNode event : events) {
      JsonNode json = apply(event);
      if (json != null) {
        sent.add(json);
      }
    }
    return sent;
  }

  /** The JSON as it is sent in place of {@code json}; null: nothing is. */
  private @Nullable JsonNode apply(JsonNode json) {
    return switch (kind) {
      case WRONG_INDEX -> wrongIndex(json);
      case FEWER_CHOICES -> withoutLast(json, answers - 1);
      case NO_USAGE -> withoutUsage(json);
      case NO_COUNTS -> withoutCounts(json);
      case null, default -> json;
    };
  }

  /** Indices begin where they should end. */
  private JsonNode wrongIndex(JsonNode json) {
    for (ObjectNode answer : answers(json)) {
      answer.put("index", answer.path("index").asInt() + answers);
    }
    return json;
  }

  /** The answer with the last index is gone, and its tokens are counted nowhere. */
  private @Nullable JsonNode withoutLast(JsonNode json, int last) {
    if (json instanceof ArrayNode all) {
      all.remove(last);
      return all;
    }
    if (json.get("usage") instanceof ObjectNode usage) {
      usage.put("completion_tokens", usage.path("completion_tokens").asInt() - lastTokens);
      usage.put("total_tokens", usage.path("total_tokens").asInt() - lastTokens);
    }
    if (json.get("choices") instanceof ArrayNode choices) {
      choices.removeIf(choice -> choice.path("index").asInt() == last);
      return json;
    }
    return json.path("index").asInt() == last ? null : json;
  }

  /** The count of all tokens is gone; ids are still there where the route has them. */
  private static JsonNode withoutUsage(JsonNode json) {
    if (json instanceof ObjectNode object) {
      object.remove("usage");
    }
    for (ObjectNode answer : answers(json)) {
      if (answer.get("meta_info") instanceof ObjectNode meta) {
        meta.remove("completion_tokens");
      }
    }
    return json;
  }

  /** Every count is gone, and so are the ids. */
  private static JsonNode withoutCounts(JsonNode json) {
    for (ObjectNode answer : answers(withoutUsage(json))) {
      answer.remove(List.of("token_ids", "output_ids"));
    }
    return json;
  }

  /** The answers in a document: choices, or the answers of {@code /generate}. */
  private static List<ObjectNode> answers(JsonNode json) {
    JsonNode list = json.has("choices") ? json.get("choices") : json;
    List<ObjectNode> answers = new ArrayList<>();
    if (list instanceof ObjectNode answer) {
      answers.add(answer);
    }
    if (list instanceof ArrayNode) {
      list.forEach(answer -> answers.add((ObjectNode) answer));
    }
    return answers;
  }
}
