package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.client.transport.HostNames;
import dev.loadgen.client.transport.OkHttpTransport;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.TokenCountSource;
import dev.loadgen.datasets.payload.Payload;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.SimulatorOptions;
import dev.loadgen.simulator.TokenRange;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients, transport and probe over real sockets: our token count equals the server's. */
@Timeout(120)
class SimulatedServersTest {
  private static final int REQUESTS = 200;

  private static final Pattern GENERATED =
      Pattern.compile("(?m)^(?:vllm|sglang):generation_tokens_total(?:\\{.*\\})? (\\S+)$");

  private record Case(Engine engine, EndpointType type, boolean streaming, boolean incremental) {}

  static Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (boolean streaming : new boolean[] {false, true}) {
      cases.add(new Case(Engine.vllm, EndpointType.completions, streaming, false));
      cases.add(new Case(Engine.vllm, EndpointType.chat_completions, streaming, false));
      cases.add(new Case(Engine.sglang, EndpointType.completions, streaming, false));
      cases.add(new Case(Engine.sglang, EndpointType.chat_completions, streaming, false));
      cases.add(new Case(Engine.sglang, EndpointType.generate, streaming, false));
    }
    cases.add(new Case(Engine.sglang, EndpointType.generate, true, true));
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void countsTheTokensThatTheServerCounts(Case c) throws Exception {
    SimulatorOptions options =
        SimulatorOptions.builder(dev.loadgen.simulator.SimulatedEngine.valueOf(nameOf(c.engine())))
            .port(0)
            .servedModelNames(List.of("tiny-llama"))
            .outputTokens(TokenRange.parse("3..40"))
            .maxNumSeqs(REQUESTS)
            .incrementalStreaming(c.incremental())
            .metrics(true)
            .build();
    RunPlan plan = TestPlans.builder(c.engine(), c.type(), c.streaming()).maxNewTokens(64).build();
    try (Simulator server = Simulator.start(options);
        ServerProbe probe = new ServerProbe(HostNames.system(), c.engine());
        Deadlines deadlines = new Deadlines();
        OkHttpTransport transport = new OkHttpTransport(HostNames.system())) {
      probe.awaitHealthy(server.url(), System.nanoTime() + TimeUnit.SECONDS.toNanos(20));
      assertThat(probe.models(server.url())).containsExactly("tiny-llama");
      double before = generated(probe.metrics(server.url())).orElse(0);
      EngineClient client = EngineClients.forPlan(plan, transport, deadlines);

      List<RecordingAnswers> all = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        RecordingAnswers answers = new RecordingAnswers(1);
        Payload body = client.encode(List.of(new Prompt(new int[] {i, 7, 9}, "prompt " + i)));
        client.send(server.url(), body, 1, answers);
        all.add(answers);
      }
      long tokens = 0;
      for (RecordingAnswers answers : all) {
        tokens += answers.await().answer(0).tokenCount();
        assertThat(answers.firstTokens().size()).isEqualTo(c.streaming() ? 1 : 0);
      }

      double after = generated(probe.metrics(server.url())).orElseThrow();
      assertThat((double) tokens).isEqualTo(after - before).isGreaterThan(3.0 * REQUESTS);
    }
  }

  /** A base URL with a path, a key, no field that the API does not have, and no metrics. */
  @ParameterizedTest
  @CsvSource({
    "chat_completions, true",
    "chat_completions, false",
    "completions, true",
    "completions, false",
  })
  void serversOfOpenAisApiAreCountedByUsage(EndpointType type, boolean streaming) throws Exception {
    SimulatorOptions options =
        SimulatorOptions.builder(dev.loadgen.simulator.SimulatedEngine.OPENAI)
            .servedModelNames(List.of("tiny-llama"))
            .outputTokens(TokenRange.parse("3..40"))
            .build();
    RunPlan plan = TestPlans.builder(Engine.openai, type, streaming).maxNewTokens(64).build();
    try (Simulator server = Simulator.start(options);
        ServerProbe probe = new ServerProbe(HostNames.system(), Engine.openai);
        Deadlines deadlines = new Deadlines();
        OkHttpTransport transport = new OkHttpTransport(HostNames.system())) {
      assertThat(server.url().getPath()).isEqualTo("/openai");
      probe.awaitHealthy(server.url(), System.nanoTime() + TimeUnit.SECONDS.toNanos(20));
      assertThat(probe.models(server.url())).containsExactly("tiny-llama");
      EngineClient client = EngineClients.forPlan(plan, transport, deadlines);
      long tokens = 0;
      for (int i = 0; i < 20; i++) {
        RecordingAnswers answers = new RecordingAnswers(1);
        Payload body = client.encode(List.of(new Prompt(null, "prompt " + i)));
        client.send(server.url(), body, 1, answers);
        Answer answer = answers.await().answer(0);

        assertThat(answer.tokenCountSource()).isEqualTo(TokenCountSource.USAGE);
        assertThat(answer.tokenIds()).isNull();
        assertThat(answers.firstTokens().size()).isEqualTo(streaming ? 1 : 0);
        tokens += answer.tokenCount();
      }

      assertThat(tokens).isEqualTo(server.counters().generationTokens());
    }
  }

  private static OptionalDouble generated(String metrics) {
    return GENERATED
        .matcher(metrics)
        .results()
        .mapToDouble(series -> Double.parseDouble(series.group(1)))
        .reduce(Double::sum);
  }

  private record Constrained(Engine engine, EndpointType type, GuidedDecodingField field) {}

  static Stream<Constrained> constrained() {
    return Stream.of(
        new Constrained(
            Engine.vllm, EndpointType.chat_completions, GuidedDecodingField.ResponseFormat),
        new Constrained(
            Engine.vllm, EndpointType.chat_completions, GuidedDecodingField.StructuredOutputs),
        new Constrained(
            Engine.vllm, EndpointType.completions, GuidedDecodingField.StructuredOutputs),
        new Constrained(
            Engine.sglang, EndpointType.chat_completions, GuidedDecodingField.ResponseFormat),
        new Constrained(Engine.sglang, EndpointType.generate, GuidedDecodingField.ResponseFormat));
  }

  @ParameterizedTest
  @MethodSource("constrained")
  void constrainedAnswersAreJsonOfTheSchema(Constrained c) throws Exception {
    boolean chat = c.type() == EndpointType.chat_completions;
    String schema =
        "{\"type\":\"object\",\"properties\":{\"brand\":{\"type\":\"string\",\"maxLength\":12},"
            + "\"is_secondhand\":{\"type\":\"boolean\"}},"
            + "\"required\":[\"brand\",\"is_secondhand\"],\"additionalProperties\":false}";
    RunPlan.Guided guided = new RunPlan.Guided(c.field(), "product", schema);
    SimulatorOptions options =
        SimulatorOptions.builder(dev.loadgen.simulator.SimulatedEngine.valueOf(nameOf(c.engine())))
            .servedModelNames(List.of("tiny-llama"))
            .multimodal(true)
            .build();
    Prompt prompt =
        chat
            ? new Prompt(null, null, Payload.of(messages()))
            : new Prompt(new int[] {300, 301, 302}, null);
    for (boolean streaming : new boolean[] {false, true}) {
      RunPlan plan =
          TestPlans.builder(c.engine(), c.type(), streaming)
              .maxNewTokens(400)
              .generating(g -> g.guided(guided))
              .build();
      try (Simulator server = Simulator.start(options);
          Deadlines deadlines = new Deadlines();
          OkHttpTransport transport = new OkHttpTransport(HostNames.system())) {
        EngineClient client = EngineClients.forPlan(plan, transport, deadlines);
        RecordingAnswers answers = new RecordingAnswers(1);
        client.send(server.url(), client.encode(List.of(prompt)), 1, answers);

        JsonNode answer = Json.MAPPER.readTree(answers.await().answer(0).text());
        assertThat(answer.path("brand").isTextual()).as("%s", answer).isTrue();
        assertThat(answer.path("is_secondhand").isBoolean()).as("%s", answer).isTrue();
        assertThat(answer).hasSize(2);
      }
    }
  }

  /** A system message, and a user's with a text and an image. */
  private static byte[] messages() throws IOException {
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    ImageIO.write(new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB), "png", png);
    String url = "data:image/png;base64," + Base64.getEncoder().encodeToString(png.toByteArray());
    return """
        [{"role": "system", "content": "Answer in JSON."},
         {"role": "user", "content": [{"type": "text", "text": "What is it?"},
                                      {"type": "image_url", "image_url": {"url": "%s"}}]}]"""
        .formatted(url)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String nameOf(Engine engine) {
    return engine.name().toUpperCase(Locale.ROOT);
  }
}
