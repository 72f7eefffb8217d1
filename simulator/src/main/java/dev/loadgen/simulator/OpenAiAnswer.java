package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Answers of the OpenAI routes, completions and chat completions: what all engines share. */
abstract class OpenAiAnswer implements AnswerFormat {
  /**
   * What an answer says beside the text.
   *
   * @param chat whether it is of {@code /v1/chat/completions}
   * @param id the request's id, with the engine's prefix
   * @param created seconds since the epoch
   * @param model the name that was asked for
   * @param promptTokens the tokens of the prompts, each counted once
   */
  record Envelope(
      boolean chat,
      String id,
      long created,
      String model,
      StreamOptions stream,
      int promptTokens) {}

  final Envelope envelope;
  final List<Sequence> sequences;

  OpenAiAnswer(Envelope envelope, List<Sequence> sequences) {
    this.envelope = envelope;
    this.sequences = sequences;
  }

  @Override
  public final List<Sequence> sequences() {
    return sequences;
  }

  @Override
  public final boolean streamed() {
    return envelope.stream().stream();
  }

  abstract ObjectNode choice(Sequence sequence);

  /** A whole answer up to its choices. */
  final ObjectNode choices() {
    ObjectNode body = head(envelope.chat() ? "chat.completion" : "text_completion");
    ArrayNode choices = body.putArray("choices");
    sequences.forEach(sequence -> choices.add(choice(sequence)));
    return body;
  }

  final ObjectNode event(ObjectNode... choices) {
    ObjectNode event = head(envelope.chat() ? "chat.completion.chunk" : "text_completion");
    event.putArray("choices").addAll(List.of(choices));
    return event;
  }

  private ObjectNode head(String object) {
    return JsonText.object()
        .put("id", envelope.id())
        .put("object", object)
        .put("created", envelope.created())
        .put("model", envelope.model());
  }

  /** The tokens of the whole answer. */
  final ObjectNode usage() {
    return usage(
        envelope.promptTokens(),
        sequences.stream().mapToInt(sequence -> sequence.output().size()).sum());
  }

  static ObjectNode usage(int prompt, int generated) {
    return JsonText.object()
        .put("prompt_tokens", prompt)
        .put("total_tokens", prompt + generated)
        .put("completion_tokens", generated);
  }
}
