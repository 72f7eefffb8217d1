package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.local.StoredAnswers.Row;
import dev.loadgen.local.StoredAnswers.Text;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Images, JSON schemas, sampling parameters, keys and TLS, as the real vLLM understands them. One
 * server is enough for all: it takes a minute or more to start.
 */
@Tag("real-servers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60 * 60)
@Execution(ExecutionMode.SAME_THREAD) // one server counts the tokens of all runs
class GuardedVllmIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration RUN_LIMIT = Duration.ofMinutes(8);
  private static final String KEY = "k-82d4c0a95e";
  private static final int ROWS = 6;

  /** Tokens of an image of 32 by 32 pixels each, as tiny-qwen3-vl has them. */
  private static final int LARGE = 8;

  private static final int SMALL = 2;

  private GuardedVllm server;
  private TestSystem system;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    RealServers.install();
    server =
        GuardedVllm.start(folder, Path.of("target/real-servers/vllm.log").toAbsolutePath(), KEY);
    system = TestSystem.start(folder);
    system.configMap("authority", "data", "ca.crt", server.authority());
    system.configMap("large", "data", "catalogue.json", catalogue(LARGE));
    system.configMap("small", "data", "catalogue.json", catalogue(SMALL));
    system.configMap("texts", "data", "texts.json", texts());
    secret("right", KEY);
    secret("wrong", "not-" + KEY);
    backend("chat", "chat_completions", "right");
    backend("completions", "completions", "right");
    backend("wrong-key", "chat_completions", "wrong");
  }

  @AfterAll
  void stop() {
    if (system != null) {
      system.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @Test
  void everyImageReachesTheModel() throws IOException {
    run(
        "catalogue",
        "chat",
        "qwen3-vl-235b-a22b",
        "large, path: catalogue.json",
        """
        load: {targetQps: 4, minDuration: 1s, minQueryCount: 18}
        sampling:
          guidedDecoding: {}
          performance: {maxNewTokens: 24}
        """);
    // The same texts with smaller images, and the answers kept.
    answers(
        "catalogue-answers",
        "chat",
        "qwen3-vl-235b-a22b",
        "small, path: catalogue.json",
        """
        guidedDecoding: {}
        accuracy: {temperature: 0, maxNewTokens: 48}
        """);

    Path large = completed("catalogue");
    Path small = completed("catalogue-answers");

    StoredAnswers.assertTokensAreTheServers(large);
    StoredAnswers.assertTokensAreTheServers(small);
    List<Row> rows = StoredAnswers.rows(large);
    assertThat(rows).hasSizeGreaterThanOrEqualTo(18);
    assertThat(rows.size() % ROWS).as("each row as often as the others").isZero();
    int rounds = rows.size() / ROWS;
    assertThat(StoredAnswers.growth(large, "vllm:mm_cache_queries_total")).isEqualTo(rows.size());
    assertThat(StoredAnswers.growth(large, "vllm:prompt_tokens_total"))
        .as("larger images are more tokens, and nothing else differs")
        .isEqualTo(
            rounds
                * (StoredAnswers.growth(small, "vllm:prompt_tokens_total")
                    + (long) ROWS * (LARGE - SMALL)));
    List<Text> answers = StoredAnswers.texts(small);
    assertThat(answers).hasSize(ROWS);
    assertThat(answers).allSatisfy(GuardedVllmIT::assertMetadataOrCut);
    assertThat(answers.stream().map(Text::text).distinct())
        .as("the greedy answers to one text differ by the picture alone")
        .hasSizeGreaterThan(1);
  }

  /** An answer of the benchmark's schema, or the beginning of one that the limit has cut. */
  private static void assertMetadataOrCut(Text answer) throws IOException {
    assertThat(answer.text()).startsWith("{\"category\":");
    if (answer.finishReason().equals("length")) {
      assertThat(answer.tokens()).isEqualTo(48);
    } else {
      assertMetadata(answer);
    }
  }

  private static void assertMetadata(Text answer) throws IOException {
    assertThat(answer.finishReason()).isEqualTo("stop");
    JsonNode metadata = JSON.readTree(answer.text());
    List<String> names = new ArrayList<>();
    metadata.fieldNames().forEachRemaining(names::add);
    assertThat(names).containsExactlyInAnyOrder("category", "brand", "is_secondhand");
    assertThat(metadata.path("category").isTextual()).isTrue();
    assertThat(metadata.path("brand").isTextual()).isTrue();
    assertThat(metadata.path("is_secondhand").isBoolean()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ResponseFormat", "StructuredOutputs"})
  void anAnswerThatIsLongEnoughIsJsonOfTheSchema(String field) throws IOException {
    String name = "schema-" + field.toLowerCase(Locale.ROOT);
    answers(
        name,
        "chat",
        "qwen3-vl-235b-a22b",
        "small, path: catalogue.json",
        """
        guidedDecoding:
          field: %s
          jsonSchema: >-
            {"type": "object", "additionalProperties": false,
             "properties": {"category": {"type": "string", "maxLength": 5},
             "brand": {"type": "string", "maxLength": 5}, "is_secondhand": {"type": "boolean"}},
             "required": ["category", "brand", "is_secondhand"]}
        """
            .formatted(field));

    Path results = completed(name);

    StoredAnswers.assertTokensAreTheServers(results);
    assertThat(StoredAnswers.texts(results))
        .hasSize(ROWS)
        .allSatisfy(GuardedVllmIT::assertMetadata);
  }

  @ParameterizedTest
  @ValueSource(strings = {"completions", "chat"})
  void everySamplingParameterTakesEffect(String backend) throws IOException {
    String shaping =
        "temperature: 1, topK: 200, topP: 0.95, minP: 0.001, repetitionPenalty: 1.1,"
            + " presencePenalty: 0.5, frequencyPenalty: 0.5";
    text(backend, "full", shaping + ", seed: 7, maxNewTokens: 24, ignoreEos: true");
    text(
        backend, "stop", shaping + ", seed: 7, maxNewTokens: 24, ignoreEos: true, stop: [e, zzzz]");
    text(backend, "plain", "temperature: 1, topK: 200, topP: 0.95, seed: 7, maxNewTokens: 24");
    text(
        backend,
        "ids",
        "temperature: 1, seed: 8, minTokens: 6, maxNewTokens: 64, stopTokenIds: "
            + RealServersIT.someIds());

    List<Text> full = texts(backend, "full");
    List<Text> stopped = texts(backend, "stop");
    List<Text> plain = texts(backend, "plain");
    List<Text> ids = texts(backend, "ids");

    assertThat(full).extracting(Text::tokens, Text::finishReason).containsOnly(tuple(24, "length"));
    assertThat(stopped)
        .as("the same seed, up to the first e")
        .extracting(Text::text)
        .isEqualTo(full.stream().map(answer -> answer.text().split("e", 2)[0]).toList());
    assertThat(stopped).extracting(Text::finishReason).contains("stop_string");
    assertThat(plain.stream().map(Text::text).toList())
        .as("without penalties and min-p")
        .isNotEqualTo(full.stream().map(Text::text).toList());
    assertThat(ids).allSatisfy(answer -> assertThat(answer.tokens()).isBetween(6, 64));
    assertThat(ids).extracting(Text::finishReason).contains("stop");
    for (int row = 0; row < ROWS; row++) {
      assertThat(full.get(row).text()).as("another seed").doesNotStartWith(ids.get(row).text());
    }
  }

  private void text(String backend, String name, String parameters) {
    answers(
        backend + "-" + name,
        backend,
        "custom",
        "texts, path: texts.json",
        "accuracy: {" + parameters + "}");
  }

  private List<Text> texts(String backend, String name) throws IOException {
    Path results = completed(backend + "-" + name);
    StoredAnswers.assertTokensAreTheServers(results);
    List<Text> texts = StoredAnswers.texts(results);
    assertThat(texts).hasSize(ROWS);
    return texts;
  }

  @Test
  void aWrongKeyIsSaidBeforeTheTest() {
    run(
        "wrong-key",
        "wrong-key",
        "custom",
        "texts, path: texts.json",
        "load: {targetQps: 4, minDuration: 1s, minQueryCount: 6}");

    BenchmarkRun run = system.awaitEnd("wrong-key", RUN_LIMIT);

    assertThat(run.getStatus().phase()).isEqualTo(Phase.Failed);
    assertThat(run.getStatus().progress())
        .as("nothing was issued")
        .matches(
            progress -> progress == null || progress.issued() == null || progress.issued() == 0);
    assertThat(TestSystem.condition(run, ConditionTypes.FAILED).getMessage())
        .contains("/v1/models answered HTTP 401", "spec.access of the backend")
        .doesNotContain(KEY);
  }

  // --- objects

  private void secret(String name, String token) {
    system.apply(
        """
        apiVersion: v1
        kind: Secret
        metadata: {name: %s}
        stringData: {token: %s}
        """
            .formatted(name, token));
  }

  private void backend(String name, String endpointType, String secret) {
    system.apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: %s}
        spec:
          engine: vllm
          endpointType: %s
          model: {name: %s}
          external: {urls: ["%s"]}
          access:
            apiKeySecretRef: {name: %s}
            caConfigMapRef: {name: authority}
        """
            .formatted(name, endpointType, GuardedVllm.MODEL, server.url(), secret));
  }

  private void run(String name, String backend, String benchmark, String dataset, String more) {
    system.apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: %s}
        spec:
          benchmark: %s
          ruleset: none
          scenario: Offline
          backendRef: {name: %s}
          dataset: {configMapName: %s}
        """
                .formatted(name, benchmark, backend, dataset)
            + more.indent(2));
  }

  /**
   * A run that keeps the answers, with one request at a time: what is in a batch beside a request
   * changes the last bits of its numbers, and with them a token now and then.
   */
  private void answers(
      String name, String backend, String benchmark, String dataset, String sampling) {
    run(
        name,
        backend,
        benchmark,
        dataset,
        "mode: Accuracy\naccuracy: {evaluate: false}\nclient: {maxConcurrency: 1}\nsampling:\n"
            + sampling.indent(2));
  }

  private Path completed(String name) throws IOException {
    BenchmarkRun run = system.awaitEnd(name, RUN_LIMIT);
    assertThat(run.getStatus().phase())
        .as("%s", run.getStatus().conditions())
        .isEqualTo(Phase.Completed);
    assertThat(run.getStatus().result().failed()).isZero();
    return system.completeFolder(run);
  }

  // --- datasets

  private static String texts() throws IOException {
    return JSON.writeValueAsString(
        IntStream.range(0, ROWS)
            .mapToObj(row -> Map.of("input", "What is item " + row + " made of?"))
            .toList());
  }

  /** One text for all rows, and a picture for each. */
  private static String catalogue(int imageTokens) throws IOException {
    List<Map<String, String>> rows = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      rows.add(
          Map.of(
              "product_image",
              Base64.getEncoder().encodeToString(png(imageTokens, row)),
              "product_title",
              "Walking shoes",
              "product_description",
              "Two shoes of leather, worn once.",
              "system_message",
              "You sort the goods of a shop. Answer in JSON."));
    }
    return JSON.writeValueAsString(rows);
  }

  /** Coloured stripes: a picture of its own for each seed, and small as a file. */
  private static byte[] png(int imageTokens, int seed) throws IOException {
    Random random = new Random(seed);
    BufferedImage image = new BufferedImage(32 * imageTokens / 2, 64, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    for (int x = 0; x < image.getWidth(); x += 4) {
      graphics.setColor(new Color(random.nextInt(0x1000000)));
      graphics.fillRect(x, 0, 4, image.getHeight());
    }
    graphics.dispose();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    assertThat(ImageIO.write(image, "png", bytes)).isTrue();
    return bytes.toByteArray();
  }
}
