package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.transport.FuzzedResponse;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.datasets.payload.Payload;
import dev.loadgen.fuzz.Fuzz;
import dev.loadgen.fuzz.Mutations;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Whatever a server answers: each prompt is reported once, and the same however the bytes are cut;
 * and the reader of plain events takes what the parser takes.
 */
class AnswersFuzzTest {
  /** Longer names are the parser's alone to refuse. */
  private static final int LONGEST_NAME = 50_000;

  /** A recorded answer: its lines without those of the event stream, or its one document. */
  private record Seed(
      Engine engine, EndpointType type, int prompts, boolean streamed, List<String> documents) {}

  private static Seed seed(Engine engine, EndpointType type, int prompts, String name)
      throws IOException {
    boolean streamed = name.contains("stream");
    String content =
        new String(
            RecordedAnswersTest.read(
                engine, name + (streamed ? ".response.sse" : ".response.json")),
            StandardCharsets.UTF_8);
    List<String> documents =
        streamed
            ? content
                .lines()
                .filter(line -> line.startsWith("data: "))
                .map(line -> line.substring("data: ".length()))
                .toList()
            : List.of(content);
    return new Seed(engine, type, prompts, streamed, documents);
  }

  private static List<Seed> seeds() throws IOException {
    return List.of(
        seed(Engine.vllm, EndpointType.completions, 1, "completions_stream_usage"),
        seed(Engine.vllm, EndpointType.completions, 1, "oss_completions_stream_token_ids"),
        seed(Engine.vllm, EndpointType.completions, 1, "completions_return_token_ids"),
        seed(Engine.vllm, EndpointType.completions, 2, "completions_batch_tokens"),
        seed(Engine.vllm, EndpointType.chat_completions, 1, "chat_stream_usage"),
        seed(Engine.vllm, EndpointType.chat_completions, 1, "chat_return_token_ids"),
        seed(Engine.sglang, EndpointType.generate, 1, "generate_stream"),
        seed(Engine.sglang, EndpointType.generate, 2, "generate_stream_batch"),
        seed(Engine.sglang, EndpointType.generate, 2, "generate_batch_ids"));
  }

  /**
   * The response of a seed, with its number in front: head and body, of which parts are changed.
   */
  private static byte[] response(Mutations change, List<Seed> seeds) {
    int number = change.below(seeds.size());
    Seed seed = seeds.get(number);
    List<String> documents = new ArrayList<>(seed.documents());
    for (int edits = change.below(3); edits > 0; edits--) {
      int at = change.below(documents.size());
      String document = documents.get(at);
      switch (change.below(6)) {
        case 0 -> documents.add(at, document);
        case 1 -> documents.add(change.below(documents.size()), document);
        case 2 -> documents.remove(at);
        default -> documents.set(at, change.json(document));
      }
      if (documents.isEmpty()) {
        documents.add(change.value());
      }
    }
    String end = change.oneIn(20) ? "\r" : "\n";
    StringBuilder body = new StringBuilder();
    for (String document : documents) {
      body.append(seed.streamed() ? "data: " : "").append(document);
      body.append(seed.streamed() ? end + end : "");
    }
    byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
    byte[] content = change.oneIn(6) ? change.bytes(bytes) : bytes;
    String type = seed.streamed() ? "text/event-stream; charset=utf-8" : "application/json";
    byte[] response = FuzzedResponse.of(change, type, content);
    byte[] all = new byte[response.length + 1];
    all[0] = (byte) number;
    System.arraycopy(response, 0, all, 1, response.length);
    return all;
  }

  @Test
  void responses() throws IOException {
    List<Seed> seeds = seeds();
    Fuzz.of("wire")
        .run(
            1_500,
            change -> response(change, seeds),
            input -> {
              Seed seed = seeds.get(input[0]);
              byte[] response = Arrays.copyOfRange(input, 1, input.length);
              SplittableRandom random = new SplittableRandom(input.length);
              String whole = outcome(seed, response, response.length);
              String cut = outcome(seed, response, 1 + random.nextInt(200));
              // the parser counts its columns from the start of a read
              assertThat(cut.replaceAll("[0-9]+", "N")).isEqualTo(whole.replaceAll("[0-9]+", "N"));
              return whole.contains("completed");
            });
  }

  /**
   * What becomes of the prompts of a response that arrives in parts of at most {@code part} bytes.
   */
  private static String outcome(Seed seed, byte[] response, int part) {
    FakeTransport transport = new FakeTransport();
    RecordingAnswers answers = new RecordingAnswers(seed.prompts());
    EngineClient client =
        EngineClients.forPlan(
            TestPlans.plan(seed.engine(), seed.type(), seed.streamed()),
            transport,
            new Deadlines(() -> 0));
    client.send(
        URI.create("http://127.0.0.1:1"), Payload.of(new byte[] {}), seed.prompts(), answers);
    FuzzedResponse.play(response, part, transport.sink());
    return answers.outcome();
  }

  @Test
  void plainEvents() throws IOException {
    List<String> seeds = new ArrayList<>();
    for (Seed seed : seeds()) {
      if (seed.streamed() && seed.type() != EndpointType.generate) {
        seeds.addAll(seed.documents().subList(0, seed.documents().size() - 1));
      }
    }
    Fuzz.of("plain-delta")
        .run(
            6_000,
            change -> {
              StringBuilder stream = new StringBuilder();
              int at = change.below(seeds.size() - 2);
              for (int i = 0; i < 3; i++) {
                String event = seeds.get(at + i);
                stream.append(change.oneIn(2) ? change.json(event).replace('\n', ' ') : event);
                stream.append('\n');
              }
              return stream.toString().getBytes(StandardCharsets.UTF_8);
            },
            input -> {
              List<byte[]> events =
                  new String(input, StandardCharsets.UTF_8)
                      .lines()
                      .filter(event -> event.length() < LONGEST_NAME)
                      .map(event -> event.getBytes(StandardCharsets.UTF_8))
                      .toList();
              String ours = PlainDeltaReaderTest.outcome(false, events.toArray(byte[][]::new));
              String parsers = PlainDeltaReaderTest.outcome(true, events.toArray(byte[][]::new));
              assertThat(ours).isEqualTo(parsers);
              return true;
            });
  }

  @Test
  void models() throws IOException {
    byte[] seed = RecordedAnswersTest.read(Engine.vllm, "models.response.json");
    URI url = URI.create("http://127.0.0.1:1/v1/models");
    Fuzz.of("server-models")
        .refusing(ServerProbeException.class)
        .run(
            2_000,
            change -> change.json(seed),
            input -> {
              String body = new String(input, StandardCharsets.UTF_8);
              assertThat(ServerProbe.models(url, body)).doesNotContainNull();
              return true;
            });
  }

  @Test
  void errors() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (String name :
        List.of("error_bad_json", "error_context_too_long", "error_model_not_found")) {
      seeds.add(RecordedAnswersTest.read(Engine.sglang, name + ".response.json"));
    }
    Fuzz.of("server-error")
        .run(
            2_000,
            change -> change.json(change.oneOf(seeds)),
            input -> {
              RequestFailure failure =
                  new RequestFailure(
                      RequestFailure.Kind.HTTP_STATUS,
                      ServerErrors.message(input, 0, input.length));
              assertThat(failure.message()).hasSizeLessThanOrEqualTo(300).doesNotContain("\n");
              return true;
            });
  }
}
