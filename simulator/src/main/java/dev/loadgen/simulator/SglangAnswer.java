package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Answers of SGLang's OpenAI routes. */
final class SglangAnswer extends OpenAiAnswer {
  SglangAnswer(Envelope envelope, List<Sequence> sequences) {
    super(envelope, sequences);
  }

  @Override
  ObjectNode choice(Sequence sequence) {
    String text = sequence.output().text();
    ObjectNode choice = JsonText.object().put("index", sequence.index);
    if (envelope.chat()) {
      ObjectNode message = choice.putObject("message");
      message.put("role", "assistant").put("content", text).putNull("reasoning_content");
    } else {
      choice.put("text", text);
    }
    return ended(choice, sequence.output().finish());
  }

  @Override
  public JsonNode whole() {
    ObjectNode body = choices();
    body.set("usage", detailed(usage()));
    body.putObject("metadata")
        .put("weight_version", "default")
        .set(
            "weight_versions", SglangGenerate.weightVersions(sequences.getFirst().output().size()));
    return body;
  }

  @Override
  public List<JsonNode> events(Sequence sequence, int from, int to) {
    String text = sequence.output().text(from, to);
    if (!envelope.chat()) {
      return List.of(completion(sequence, text, to));
    }
    List<JsonNode> events = new ArrayList<>();
    ObjectNode delta = JsonText.object().putNull("reasoning_content");
    if (from == 0) {
      ObjectNode role = delta.deepCopy().put("role", "assistant").put("content", "");
      events.add(message(sequence, role, 0));
    }
    if (!text.isEmpty()) {
      events.add(message(sequence, delta.put("content", text), to));
    }
    return events;
  }

  private ObjectNode completion(Sequence sequence, String text, int to) {
    SequenceOutput output = sequence.output();
    ObjectNode choice = JsonText.object().put("index", sequence.index).put("text", text);
    ObjectNode event =
        event(to == output.size() ? ended(choice, output.finish()) : running(choice));
    event.set(
        "usage",
        envelope.stream().continuousUsage()
            ? usage(sequence.prompt.length, to).put("reasoning_tokens", 0)
            : null);
    return event;
  }

  private ObjectNode message(Sequence sequence, ObjectNode delta, int generated) {
    ObjectNode choice = JsonText.object().put("index", sequence.index);
    choice.set("delta", delta);
    ObjectNode event = event(running(choice));
    if (envelope.stream().continuousUsage()) {
      event.set("usage", detailed(usage(sequence.prompt.length, generated)));
    }
    return event;
  }

  /** A chat's reasons come after all text, each in an event without content. */
  @Override
  public List<JsonNode> lastEvents() {
    List<JsonNode> events = new ArrayList<>();
    if (envelope.chat()) {
      for (Sequence sequence : sequences) {
        ObjectNode choice = JsonText.object().put("index", sequence.index);
        choice.putObject("delta").putNull("reasoning_content");
        events.add(event(ended(choice, sequence.output().finish())));
      }
    }
    if (envelope.stream().usage()) {
      ObjectNode event = event();
      event.set("usage", envelope.chat() ? detailed(usage()) : usage().put("reasoning_tokens", 0));
      events.add(event);
    }
    return events;
  }

  private static ObjectNode detailed(ObjectNode usage) {
    return usage
        .putNull("prompt_tokens_details")
        .put("reasoning_tokens", 0)
        .putNull("completion_tokens_details");
  }

  private static ObjectNode running(ObjectNode choice) {
    return JsonText.nulls(choice, "logprobs", "finish_reason", "matched_stop");
  }

  /**
   * Why a choice has ended; {@code matched_stop} is null at the limit, else the end-of-sequence id,
   * or the string or token id that matched.
   */
  private static ObjectNode ended(ObjectNode choice, Finish finish) {
    choice.putNull("logprobs").put("finish_reason", finish.reason());
    return switch (finish) {
      case Finish.Length() -> choice.putNull("matched_stop");
      case Finish.EndOfSequence() -> choice.put("matched_stop", Vocabulary.EOS);
      case Finish.StopToken(int matched) -> choice.put("matched_stop", matched);
      case Finish.StopString(String matched) -> choice.put("matched_stop", matched);
    };
  }
}
