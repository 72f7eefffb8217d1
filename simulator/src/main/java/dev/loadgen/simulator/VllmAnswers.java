package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** What vLLM's two kinds of answers, completions and chat completions, have in common. */
abstract sealed class VllmAnswers implements Answer {

  /**
   * What an answer says beside the text.
   *
   * @param id the request's id with its prefix
   * @param created seconds since the epoch
   * @param model the name that was asked for
   * @param fingerprint the engine's version and build
   * @param tokenIds whether token ids are shown
   * @param promptTokens the tokens of the prompts, each counted once
   */
  record Envelope(
      String id,
      long created,
      String model,
      String fingerprint,
      StreamOptions stream,
      boolean tokenIds,
      int promptTokens) {}

  final Envelope envelope;
  private final List<Sequence> sequences;
  private int unfinished;

  private VllmAnswers(Envelope envelope, List<Sequence> sequences) {
    this.envelope = envelope;
    this.sequences = sequences;
    this.unfinished = sequences.size();
  }

  @Override
  public List<Sequence> sequences() {
    return sequences;
  }

  @Override
  public boolean streamed() {
    return envelope.stream().stream();
  }

  /** The name of the kind of object, whole and as an event. */
  abstract String object(boolean event);

  abstract ObjectNode choice(Sequence sequence);

  final ObjectNode head(boolean event) {
    return Json.object()
        .put("id", envelope.id())
        .put("object", object(event))
        .put("created", envelope.created())
        .put("model", envelope.model());
  }

  @Override
  public ObjectNode whole() {
    ObjectNode body = head(false);
    ArrayNode choices = body.putArray("choices");
    sequences.forEach(sequence -> choices.add(choice(sequence)));
    body.putNull("service_tier").put("system_fingerprint", envelope.fingerprint());
    body.set(
        "usage", totals().putNull("prompt_tokens_details").putNull("completion_tokens_details"));
    return body;
  }

  private ObjectNode totals() {
    int generated = sequences.stream().mapToInt(sequence -> sequence.output().size()).sum();
    return usage(envelope.promptTokens(), generated);
  }

  static ObjectNode usage(int prompt, int generated) {
    return Json.object()
        .put("prompt_tokens", prompt)
        .put("total_tokens", prompt + generated)
        .put("completion_tokens", generated);
  }

  /**
   * Marks the last event of the last sequence with the fingerprint, unless the usage event will
   * bear it.
   */
  final void close(ObjectNode event, Sequence sequence, int to) {
    if (to == sequence.output().size() && --unfinished == 0 && !envelope.stream().usage()) {
      event.put("system_fingerprint", envelope.fingerprint());
    }
  }

  @Override
  public List<JsonNode> lastEvents() {
    if (!envelope.stream().usage()) {
      return List.of();
    }
    ObjectNode event = head(true);
    event.putArray("choices");
    event.set("usage", totals());
    event.put("system_fingerprint", envelope.fingerprint());
    return List.of(event);
  }

  /**
   * {@code stop_reason}: null at the end of sequence and at the limit, else the string or token id
   * that matched.
   */
  static void stopReason(ObjectNode choice, Finish finish) {
    switch (finish) {
      case Finish.StopString(String matched) -> choice.put("stop_reason", matched);
      case Finish.StopToken(int matched) -> choice.put("stop_reason", matched);
      case Finish.Length(), Finish.EndOfSequence() -> choice.putNull("stop_reason");
    }
  }

  final void ids(ObjectNode target, String field, boolean shown, int[] ids) {
    if (shown && envelope.tokenIds()) {
      target.set(field, Json.array(ids));
    } else {
      target.putNull(field);
    }
  }

  /** Answers of {@code /v1/completions}. */
  static final class Completions extends VllmAnswers {

    private final List<String> echoes;

    /**
     * @param echoes the text before each sequence's own, empty unless the request asks for an echo
     */
    Completions(Envelope envelope, List<Sequence> sequences, List<String> echoes) {
      super(envelope, sequences);
      this.echoes = echoes;
    }

    @Override
    String object(boolean event) {
      return "text_completion";
    }

    @Override
    ObjectNode choice(Sequence sequence) {
      Generation output = sequence.output();
      ObjectNode choice =
          Json.object()
              .put("index", sequence.index())
              .put("text", echoes.get(sequence.index()) + output.text())
              .putNull("logprobs")
              .put("finish_reason", output.finish().reason());
      stopReason(choice, output.finish());
      ids(choice, "token_ids", true, output.ids(0, output.size()));
      choice.putNull("prompt_logprobs");
      ids(choice, "prompt_token_ids", true, sequence.prompt());
      return choice.putNull("routed_experts");
    }

    @Override
    public ObjectNode whole() {
      return super.whole()
          .putNull("kv_transfer_params")
          .putNull("ec_transfer_params")
          .putNull("metrics");
    }

    @Override
    public List<JsonNode> events(Sequence sequence, int from, int to) {
      Generation output = sequence.output();
      boolean last = to == output.size();
      String echo = from == 0 ? echoes.get(sequence.index()) : "";
      ObjectNode choice =
          Json.object()
              .put("index", sequence.index())
              .put("text", echo + output.text(from, to))
              .putNull("logprobs")
              .put("finish_reason", last ? output.finish().reason() : null);
      if (last) {
        stopReason(choice, output.finish());
      } else {
        choice.putNull("stop_reason");
      }
      ids(choice, "prompt_token_ids", from == 0, sequence.prompt());
      ids(choice, "token_ids", true, output.ids(from, to));
      ObjectNode event = head(true);
      event.putArray("choices").add(choice);
      if (envelope.stream().continuousUsage()) {
        event.set("usage", usage(sequence.prompt().length, to));
      }
      close(event, sequence, to);
      return List.of(event);
    }
  }

  /** Answers of {@code /v1/chat/completions}. */
  static final class Chat extends VllmAnswers {

    Chat(Envelope envelope, List<Sequence> sequences) {
      super(envelope, sequences);
    }

    @Override
    String object(boolean event) {
      return event ? "chat.completion.chunk" : "chat.completion";
    }

    @Override
    ObjectNode choice(Sequence sequence) {
      Generation output = sequence.output();
      ObjectNode choice = Json.object().put("index", sequence.index());
      choice
          .putObject("message")
          .put("role", "assistant")
          .put("content", output.text())
          .putNull("refusal")
          .putNull("annotations")
          .putNull("audio")
          .putNull("function_call")
          .putNull("reasoning");
      choice.putNull("logprobs").put("finish_reason", output.finish().reason());
      stopReason(choice, output.finish());
      ids(choice, "token_ids", true, output.ids(0, output.size()));
      return choice.putNull("routed_experts");
    }

    @Override
    public ObjectNode whole() {
      ObjectNode body = super.whole().putNull("prompt_logprobs");
      ids(body, "prompt_token_ids", true, sequences().getFirst().prompt());
      return body.putNull("prompt_text")
          .putNull("kv_transfer_params")
          .putNull("ec_transfer_params")
          .putNull("metrics");
    }

    @Override
    public List<JsonNode> events(Sequence sequence, int from, int to) {
      List<JsonNode> events = new ArrayList<>();
      if (from == 0) {
        events.add(role(sequence));
      }
      Generation output = sequence.output();
      boolean last = to == output.size();
      ObjectNode choice = Json.object().put("index", sequence.index());
      choice.putObject("delta").put("content", output.text(from, to));
      choice.putNull("logprobs").put("finish_reason", last ? output.finish().reason() : null);
      if (last) {
        stopReason(choice, output.finish());
      }
      ids(choice, "token_ids", true, output.ids(from, to));
      ObjectNode event = head(true);
      event.putArray("choices").add(choice);
      continuous(event, sequence, to);
      close(event, sequence, to);
      events.add(event);
      return events;
    }

    private ObjectNode role(Sequence sequence) {
      ObjectNode choice = Json.object().put("index", sequence.index());
      choice.putObject("delta").put("role", "assistant").put("content", "");
      choice.putNull("logprobs").putNull("finish_reason");
      ObjectNode event = head(true);
      event.putArray("choices").add(choice);
      continuous(event, sequence, 0);
      ids(event, "prompt_token_ids", true, sequence.prompt());
      return event.putNull("prompt_text");
    }

    private void continuous(ObjectNode event, Sequence sequence, int generated) {
      if (envelope.stream().continuousUsage()) {
        event.set(
            "usage",
            usage(sequence.prompt().length, generated).putNull("completion_tokens_details"));
      }
    }
  }
}
