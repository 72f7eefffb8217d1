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
 * their own.
 */
sealed interface Distortion {

  /** The JSON as it is sent in place of {@code json}; null: nothing is. */
  @Nullable JsonNode apply(JsonNode json);

  /** The distortion of a fault; most leave the JSON as it is. */
  static Distortion of(Fault.@Nullable Kind kind, List<Sequence> sequences) {
    return switch (kind) {
      case WRONG_INDEX -> new WrongIndex(sequences.size());
      case FEWER_CHOICES ->
          new FewerChoices(sequences.size() - 1, sequences.getLast().output().size());
      case NO_USAGE -> new NoUsage();
      case NO_COUNTS -> new NoCounts();
      case null, default -> new None();
    };
  }

  /** The whole answer. */
  default JsonNode whole(Answer answer) {
    JsonNode json = apply(answer.whole());
    return json == null ? Json.object() : json;
  }

  /** Events of a stream. */
  default List<JsonNode> events(List<JsonNode> events) {
    List<JsonNode> sent = new ArrayList<>();
    for (JsonNode event : events) {
      JsonNode json = apply(event);
      if (json != null) {
        sent.add(json);
      }
    }
    return sent;
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

  /** Nothing. */
  record None() implements Distortion {
    @Override
    public JsonNode apply(JsonNode json) {
      return json;
    }
  }

  /** Indices begin where they should end. */
  record WrongIndex(int prompts) implements Distortion {
    @Override
    public JsonNode apply(JsonNode json) {
      for (ObjectNode answer : answers(json)) {
        answer.put("index", answer.path("index").asInt() + prompts);
      }
      return json;
    }
  }

  /** The answer with the last index is gone, and its tokens are counted nowhere. */
  record FewerChoices(int last, int tokens) implements Distortion {
    @Override
    public @Nullable JsonNode apply(JsonNode json) {
      if (json instanceof ArrayNode all) {
        all.remove(last);
        return all;
      }
      if (json.get("usage") instanceof ObjectNode usage) {
        usage.put("completion_tokens", usage.path("completion_tokens").asInt() - tokens);
        usage.put("total_tokens", usage.path("total_tokens").asInt() - tokens);
      }
      if (json.get("choices") instanceof ArrayNode choices) {
        for (int i = choices.size() - 1; i >= 0; i--) {
          if (choices.get(i).path("index").asInt() == last) {
            choices.remove(i);
          }
        }
        return json;
      }
      return json.path("index").asInt() == last ? null : json;
    }
  }

  /** The count of all tokens is gone; ids are still there where the route has them. */
  record NoUsage() implements Distortion {
    @Override
    public JsonNode apply(JsonNode json) {
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
  }

  /** Every count is gone, and so are the ids. */
  record NoCounts() implements Distortion {
    @Override
    public JsonNode apply(JsonNode json) {
      new NoUsage().apply(json);
      for (ObjectNode answer : answers(json)) {
        answer.remove(List.of("token_ids", "output_ids"));
      }
      return json;
    }
  }
}
