package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Answers of SGLang's own {@code /generate}. */
final class SglangGenerate implements AnswerFormat {
  private final List<Sequence> sequences;
  private final boolean batch;
  private final boolean streamed;
  private final boolean incremental;
  private final TimeSource time;
  private final double[] firstSent;

  /**
   * @param batch whether the answer is a list, and its events bear an index
   * @param incremental whether events carry only what is new
   */
  SglangGenerate(
      List<Sequence> sequences,
      boolean batch,
      boolean streamed,
      boolean incremental,
      TimeSource time) {
    this.sequences = sequences;
    this.batch = batch;
    this.streamed = streamed;
    this.incremental = incremental;
    this.time = time;
    this.firstSent = new double[sequences.size()];
  }

  @Override
  public List<Sequence> sequences() {
    return sequences;
  }

  @Override
  public boolean streamed() {
    return streamed;
  }

  @Override
  public JsonNode whole() {
    ArrayNode all = JsonText.array();
    sequences.forEach(sequence -> all.add(whole(sequence)));
    return batch ? all : all.get(0);
  }

  private ObjectNode whole(Sequence sequence) {
    SequenceOutput output = sequence.output();
    ObjectNode meta = ended(meta(sequence, output.size()), sequence);
    meta.put("request_finished_ts", sequence.lastTokenEpoch());
    throughput(meta, sequence);
    meta.put("response_sent_to_client_ts", now());
    return answer(output.text(), output.ids(0, output.size()), meta);
  }

  private static ObjectNode answer(String text, int[] ids, ObjectNode meta) {
    ObjectNode body = JsonText.object().put("text", text);
    body.set("output_ids", JsonText.array(ids));
    return body.set("meta_info", meta);
  }

  @Override
  public List<JsonNode> events(Sequence sequence, int from, int to) {
    SequenceOutput output = sequence.output();
    int start = incremental ? from : 0;
    ObjectNode meta = meta(sequence, to);
    if (from == 0) {
      firstSent[sequence.index] = now();
    }
    if (to == output.size()) {
      ended(meta, sequence)
          .put("response_sent_to_client_ts", firstSent[sequence.index])
          .put("request_finished_ts", sequence.lastTokenEpoch());
      throughput(meta, sequence);
    } else if (from == 0) {
      meta.put("response_sent_to_client_ts", firstSent[sequence.index]);
    }
    ObjectNode event = answer(output.text(start, to), output.ids(start, to), meta);
    if (batch) {
      event.put("index", sequence.index);
    }
    return List.of(event);
  }

  @Override
  public List<JsonNode> lastEvents() {
    return List.of();
  }

  private static ObjectNode ended(ObjectNode meta, Sequence sequence) {
    return meta.put("e2e_latency", sequence.totalSeconds())
        .put("request_received_ts", sequence.receivedEpoch())
        .put("first_token_latency", sequence.firstTokenSeconds())
        .put("api_server_dispatch_finish_ts", sequence.receivedEpoch());
  }

  private ObjectNode meta(Sequence sequence, int generated) {
    boolean last = generated == sequence.output().size();
    ObjectNode meta = JsonText.object().put("id", sequence.id);
    meta.set("finish_reason", last ? finish(sequence.output()) : null);
    meta.put("prompt_tokens", sequence.prompt.length)
        .put("weight_version", "default")
        .put("num_retractions", 0)
        .put("storage_prefetch_wait", 0.0)
        .put("storage_staging_wait", 0.0)
        .put("forward_entry_time", sequence.scheduledEpoch())
        .put("prefill_finished_time", sequence.firstTokenEpoch())
        .put("queue_time", sequence.queueSeconds())
        .put("reasoning_tokens", 0)
        .put("completion_tokens", generated)
        .put("cached_tokens", sequence.cached());
    if (last) {
      meta.set("weight_versions", weightVersions(generated));
    }
    meta.putObject("cached_tokens_details").put("device", sequence.cached()).put("host", 0);
    return meta.putNull("dp_rank");
  }

  static ArrayNode weightVersions(int generated) {
    ArrayNode versions = JsonText.array();
    versions.addObject().put("version", "default").put("start", 0).put("end", generated);
    return versions;
  }

  private static void throughput(ObjectNode meta, Sequence sequence) {
    if (sequence.output().size() > 1) {
      // Real clocks tell these times apart; without latency the tokens of a simulator may not.
      double seconds = Math.max(sequence.decodeSeconds(), 1e-9);
      meta.put("decode_throughput", (sequence.output().size() - 1) / seconds);
    }
  }

  private static ObjectNode finish(SequenceOutput output) {
    ObjectNode reason = JsonText.object().put("type", output.finish().reason());
    return switch (output.finish()) {
      case Finish.Length() -> reason.put("length", output.size());
      case Finish.EndOfSequence() -> reason.put("matched", Vocabulary.EOS);
      case Finish.StopToken(int matched) -> reason.put("matched", matched);
      case Finish.StopString(String matched) -> reason.put("matched", matched);
    };
  }

  private double now() {
    return time.now().toEpochMilli() / 1e3;
  }
}
