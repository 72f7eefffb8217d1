package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Answers of SGLang's OpenAI routes. */
abstract sealed class SglangAnswers implements Answer {

  /**
   * What an answer says beside the text.
   *
   * @param created seconds since the epoch
   * @param model the name that was asked for
   * @param promptTokens the tokens of the prompts, each counted once
   */
  record Envelope(String id, long created, String model, StreamOptions stream, int promptTokens) {}

  final Envelope envelope;
  private final List<Sequence> sequences;

  private SglangAnswers(Envelope envelope, List<Sequence> sequences) {
    this.envelope = envelope;
    this.sequences = sequences;
  }

  @Override
  public List<Sequence> sequences() {
    return sequences;
  }

  @Override
  public boolean streamed() {
    return envelope.stream().stream();
  }

  abstract String object(boolean event);

  abstract ObjectNode choice(Sequence sequence);

  final ObjectNode head(boolean event) {
    return Json.object()
        .put("id", envelope.id())
        .put("object", object(event))
        .put("created", envelope.created())
        .put("model", envelope.model());
  }

  final int generated() {
    return sequences.stream().mapToInt(sequence -> sequence.output().size()).sum();
  }

  static ObjectNode usage(int prompt, int generated) {
    return Json.object()
        .put("prompt_tokens", prompt)
        .put("total_tokens", prompt + generated)
        .put("completion_tokens", generated);
  }

  static ObjectNode detailed(ObjectNode usage) {
    return usage
        .putNull("prompt_tokens_details")
        .put("reasoning_tokens", 0)
        .putNull("completion_tokens_details");
  }

  @Override
  public JsonNode whole() {
    ObjectNode body = head(false);
    ArrayNode choices = body.putArray("choices");
    sequences.forEach(sequence -> choices.add(choice(sequence)));
    body.set("usage", detailed(usage(envelope.promptTokens(), generated())));
    body.putObject("metadata")
        .put("weight_version", "default")
        .set(
            "weight_versions", SglangGenerate.weightVersions(sequences.getFirst().output().size()));
    return body;
  }

  /**
   * {@code matched_stop}: null at the limit, the end-of-sequence id, or the string or token id that
   * matched.
   */
  static void matchedStop(ObjectNode choice, Finish finish) {
    switch (finish) {
      case Finish.Length() -> choice.putNull("matched_stop");
      case Finish.EndOfSequence() -> choice.put("matched_stop", Vocabulary.EOS);
      case Finish.StopToken(int matched) -> choice.put("matched_stop", matched);
      case Finish.StopString(String matched) -> choice.put("matched_stop", matched);
    }
  }

  static ObjectNode running(ObjectNode choice) {
    return choice.putNull("logprobs").putNull("finish_reason").putNull("matched_stop");
  }

  static ObjectNode ended(ObjectNode choice, Finish finish) {
    choice.putNull("logprobs").put("finish_reason", finish.reason());
    matchedStop(choice, finish);
    return choice;
  }

  /** Answers of {@code /v1/completions}. */
  static final class Completions extends SglangAnswers {

    Completions(Envelope envelope, List<Sequence> sequences) {
      super(envelope, sequences);
    }

    @Override
    String object(boolean event) {
      return "text_completion";
    }

    @Override
    ObjectNode choice(Sequence sequence) {
      return ended(
          Json.object().put("index", sequence.index()).put("text", sequence.output().text()),
          sequence.output().finish());
    }

    @Override
    public List<JsonNode> events(Sequence sequence, int from, int to) {
      Generation output = sequence.output();
      ObjectNode choice =
          Json.object().put("index", sequence.index()).put("text", output.text(from, to));
      ObjectNode event = head(true);
      event
          .putArray("choices")
          .add(to == output.size() ? ended(choice, output.finish()) : running(choice));
      if (envelope.stream().continuousUsage()) {
        event.set("usage", usage(sequence.prompt().length, to).put("reasoning_tokens", 0));
      } else {
        event.putNull("usage");
      }
      return List.of(event);
    }

    @Override
    public List<JsonNode> lastEvents() {
      if (!envelope.stream().usage()) {
        return List.of();
      }
      ObjectNode event = head(true);
      event.putArray("choices");
      event.set("usage", usage(envelope.promptTokens(), generated()).put("reasoning_tokens", 0));
      return List.of(event);
    }
  }

  /** Answers of {@code /v1/chat/completions}. */
  static final class Chat extends SglangAnswers {

    Chat(Envelope envelope, List<Sequence> sequences) {
      super(envelope, sequences);
    }

    @Override
    String object(boolean event) {
      return event ? "chat.completion.chunk" : "chat.completion";
    }

    @Override
    ObjectNode choice(Sequence sequence) {
      ObjectNode choice = Json.object().put("index", sequence.index());
      choice
          .putObject("message")
          .put("role", "assistant")
          .put("content", sequence.output().text())
          .putNull("reasoning_content");
      return ended(choice, sequence.output().finish());
    }

    @Override
    public List<JsonNode> events(Sequence sequence, int from, int to) {
      List<JsonNode> events = new ArrayList<>();
      if (from == 0) {
        ObjectNode delta = Json.object().putNull("reasoning_content");
        events.add(event(sequence, delta.put("role", "assistant").put("content", ""), 0));
      }
      String text = sequence.output().text(from, to);
      if (!text.isEmpty()) {
        ObjectNode delta = Json.object().putNull("reasoning_content");
        events.add(event(sequence, delta.put("content", text), to));
      }
      return events;
    }

    private ObjectNode event(Sequence sequence, ObjectNode delta, int generated) {
      ObjectNode choice = Json.object().put("index", sequence.index());
      choice.set("delta", delta);
      ObjectNode event = head(true);
      event.putArray("choices").add(running(choice));
      if (envelope.stream().continuousUsage()) {
        event.set("usage", detailed(usage(sequence.prompt().length, generated)));
      }
      return event;
    }

    /** The reasons come after all text, each in an event without content. */
    @Override
    public List<JsonNode> lastEvents() {
      List<JsonNode> events = new ArrayList<>();
      for (Sequence sequence : sequences()) {
        ObjectNode choice = Json.object().put("index", sequence.index());
        choice.putObject("delta").putNull("reasoning_content");
        ObjectNode event = head(true);
        event.putArray("choices").add(ended(choice, sequence.output().finish()));
        events.add(event);
      }
      if (envelope.stream().usage()) {
        ObjectNode event = head(true);
        event.putArray("choices");
        event.set("usage", detailed(usage(envelope.promptTokens(), generated())));
        events.add(event);
      }
      return events;
    }
  }
}
