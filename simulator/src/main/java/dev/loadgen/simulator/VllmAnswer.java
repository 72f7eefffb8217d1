package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers of vLLM's OpenAI routes. */
final class VllmAnswer extends OpenAiAnswer {
  private final String fingerprint;
  private final boolean tokenIds;
  private final List<String> echoes;
  private int unfinished;

  /**
   * An answer.
   *
   * @param fingerprint the engine's version and build
   * @param tokenIds whether token ids are shown
   * @param echoes the text before each sequence's own, empty unless the request asks for an echo;
   *     none in a chat
   */
  VllmAnswer(
      Envelope envelope,
      List<Sequence> sequences,
      String fingerprint,
      boolean tokenIds,
      List<String> echoes) {
    super(envelope, sequences);
    this.fingerprint = fingerprint;
    this.tokenIds = tokenIds;
    this.echoes = echoes;
    this.unfinished = sequences.size();
  }

  @Override
  ObjectNode choice(Sequence sequence) {
    SequenceOutput output = sequence.output();
    ObjectNode choice = JsonText.object().put("index", sequence.index);
    if (envelope.chat()) {
      ObjectNode message = choice.putObject("message");
      message.put("role", "assistant").put("content", output.text());
      JsonText.nulls(message, "refusal", "annotations", "audio", "function_call", "reasoning");
    } else {
      choice.put("text", echoes.get(sequence.index) + output.text());
    }
    finish(choice, output.finish());
    ids(choice, "token_ids", output.ids(0, output.size()));
    if (!envelope.chat()) {
      ids(choice.putNull("prompt_logprobs"), "prompt_token_ids", sequence.prompt);
    }
    return choice.putNull("routed_experts");
  }

  @Override
  public ObjectNode whole() {
    ObjectNode body = choices().putNull("service_tier").put("system_fingerprint", fingerprint);
    body.set(
        "usage", JsonText.nulls(usage(), "prompt_tokens_details", "completion_tokens_details"));
    if (envelope.chat()) {
      ids(body.putNull("prompt_logprobs"), "prompt_token_ids", sequences.getFirst().prompt);
      body.putNull("prompt_text");
    }
    return JsonText.nulls(body, "kv_transfer_params", "ec_transfer_params", "metrics");
  }

  @Override
  public List<JsonNode> events(Sequence sequence, int from, int to) {
    List<JsonNode> events = new ArrayList<>();
    ObjectNode choice = JsonText.object().put("index", sequence.index);
    SequenceOutput output = sequence.output();
    String text = output.text(from, to);
    if (!envelope.chat()) {
      choice.put("text", (from == 0 ? echoes.get(sequence.index) : "") + text);
    } else {
      choice.putObject("delta").put("content", text);
      if (from == 0) {
        events.add(role(sequence));
      }
    }
    boolean last = to == output.size();
    if (last) {
      finish(choice, output.finish());
    } else {
      JsonText.nulls(choice, "logprobs", "finish_reason");
    }
    if (!envelope.chat()) {
      if (!last) {
        choice.putNull("stop_reason");
      }
      ids(choice, "prompt_token_ids", from == 0 ? sequence.prompt : null);
    }
    ids(choice, "token_ids", output.ids(from, to));
    ObjectNode event = event(choice);
    continuousUsage(event, sequence, to);
    if (last && --unfinished == 0 && !envelope.stream().usage()) {
      event.put("system_fingerprint", fingerprint); // else the event with the usage bears it
    }
    events.add(event);
    return events;
  }

  /** The first event of a chat's sequence. */
  private ObjectNode role(Sequence sequence) {
    ObjectNode choice = JsonText.object().put("index", sequence.index);
    choice.putObject("delta").put("role", "assistant").put("content", "");
    ObjectNode event = event(JsonText.nulls(choice, "logprobs", "finish_reason"));
    continuousUsage(event, sequence, 0);
    ids(event, "prompt_token_ids", sequence.prompt);
    return event.putNull("prompt_text");
  }

  private void continuousUsage(ObjectNode event, Sequence sequence, int generated) {
    if (envelope.stream().continuousUsage()) {
      ObjectNode usage = usage(sequence.prompt.length, generated);
      event.set("usage", envelope.chat() ? usage.putNull("completion_tokens_details") : usage);
    }
  }

  @Override
  public List<JsonNode> lastEvents() {
    if (!envelope.stream().usage()) {
      return List.of();
    }
    ObjectNode event = event();
    event.set("usage", usage());
    return List.of(event.put("system_fingerprint", fingerprint));
  }

  /**
   * Why a choice has ended; {@code stop_reason} is null at the end of sequence and at the limit,
   * else the string or token id that matched.
   */
  private static void finish(ObjectNode choice, Finish finish) {
    choice.putNull("logprobs").put("finish_reason", finish.reason());
    switch (finish) {
      case Finish.StopString(String matched) -> choice.put("stop_reason", matched);
      case Finish.StopToken(int matched) -> choice.put("stop_reason", matched);
      case Finish.Length(), Finish.EndOfSequence() -> choice.putNull("stop_reason");
    }
  }

  private void ids(ObjectNode target, String field, int @Nullable [] ids) {
    target.set(field, tokenIds && ids != null ? JsonText.array(ids) : null);
  }
}
