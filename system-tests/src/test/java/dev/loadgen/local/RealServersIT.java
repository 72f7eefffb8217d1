package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.local.StoredAnswers.Text;
import dev.loadgen.results.metrics.ServerMetric;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code bin/loadgen} against the real vLLM and SGLang, which {@code hack/real-servers} installs;
 * profile real-servers.
 */
@Tag("real-servers")
class RealServersIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final long RUN_MINUTES = 20;
  private static final int ROWS = 6;

  private Path folder;

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
  }

  @BeforeAll
  static void installServers() throws IOException, InterruptedException {
    RealServers.install();
  }

  @ParameterizedTest
  @ValueSource(strings = {"vllm", "sglang"})
  void aRunIsValidAndItsTokensAreWhatTheServerCounted(String engine)
      throws IOException, InterruptedException {
    Path results = folder.resolve("results");

    run(manifest(engine), prompts(), results);

    for (String run : List.of(engine + "-offline", engine + "-server")) {
      Path ofRun = only(results.resolve("default").resolve(run));
      JsonNode summary = JSON.readTree(ofRun.resolve("summary.json").toFile());
      // Engine and client share the processors, of which the client rightly complains.
      if (!summary.path("verdict").asText().equals("Valid")) {
        assertThat(summary.at("/verdictReasons").findValuesAsText("rule"))
            .as(summary.toPrettyString())
            .containsExactly("ClientLimited");
      }
      assertThat(summary.at("/result/failed").asLong()).isZero();
      JsonNode counted = JSON.readTree(ofRun.resolve("server/tokens.json").toFile());
      assertThat(counted).hasSize(1);
      assertThat(counted.at("/0/server").isIntegralNumber())
          .as("the server has a counter")
          .isTrue();
      assertThat(counted.at("/0/ours").asLong())
          .isPositive()
          .isEqualTo(summary.at("/result/outputTokens").asLong())
          .isEqualTo(counted.at("/0/server").asLong());
      JsonNode environment = environment(ofRun);
      assertThat(environment.at("/prefixCache/0/tokens").longValue())
          .as("%s", environment.at("/prefixCache"))
          .isZero();
      assertThat(environment.at("/prefixCache/0/why").isNull()).isTrue();
      assertThat(environment.at("/speculativeDecoding/0/used").isBoolean())
          .as("%s", environment.at("/speculativeDecoding"))
          .isTrue();
      assertThat(environment.at("/speculativeDecoding/0/used").asBoolean()).isFalse();
      assertThat(environment.at("/engine/version").asText())
          .as("%s", environment.at("/engine"))
          .isEqualTo(versionOf(engine));
      assertThat(environment.at("/engine/silent")).isEmpty();
      assertThat(environment.at("/provenance/problems")).isEmpty();
      assertThat(environment.at("/provenance/servers/0/image").asText())
          .endsWith(":v" + versionOf(engine));
    }
    assertThat(metrics(only(results.resolve("default").resolve(engine + "-server"))))
        .as("the vocabulary of metrics is what the engine has")
        .containsAll(vocabulary(engine));
  }

  /** What the default images are of, and setup.sh installs. */
  private static String versionOf(String engine) {
    return engine.equals("vllm") ? "0.32.0" : "0.5.23";
  }

  /**
   * Of an engine without draft model and shared prefix cache. SGLang has some counters from the
   * first event on.
   */
  private static List<String> vocabulary(String engine) {
    Set<ServerMetric> absent =
        engine.equals("vllm")
            ? EnumSet.of(ServerMetric.DRAFT_TOKENS, ServerMetric.SPECULATIVE_ACCEPT_LENGTH)
            : EnumSet.of(
                ServerMetric.DRAFT_TOKENS,
                ServerMetric.PREEMPTIONS,
                ServerMetric.PREFIX_CACHE_HITS,
                ServerMetric.PREFIX_CACHE_QUERIES,
                ServerMetric.EXTERNAL_PREFIX_CACHE_HITS);
    return EnumSet.complementOf(EnumSet.copyOf(absent)).stream().map(ServerMetric::id).toList();
  }

  /** The metrics that a run has read, by the names of the vocabulary. */
  private static Set<String> metrics(Path results) throws IOException {
    try (BufferedReader table =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(results.resolve("server/metrics.csv.gz"))),
                StandardCharsets.UTF_8))) {
      return table.lines().skip(1).map(line -> line.split(",", -1)[2]).collect(Collectors.toSet());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"vllm", "sglang"})
  void tokensOfAPrefixCacheAreCounted(String engine) throws IOException, InterruptedException {
    String manifest = Files.readString(manifest(engine));
    String backend = manifest.substring(0, manifest.indexOf("---"));
    String cached =
        backend.replace("maxModelLen: 4096", "maxModelLen: 4096\n    prefixCaching: true")
            + """
            ---
            apiVersion: loadgen.dev/v1alpha1
            kind: BenchmarkRun
            metadata: {name: cached}
            spec:
              benchmark: custom
              scenario: Offline
              backendRef: {name: %s}
              dataset: {configMapName: prompts, path: prompts.json}
              load: {targetQps: 4, minDuration: 1s, minQueryCount: 48}
              client: {maxConcurrency: 2}
              sampling:
                performance: {temperature: 0, maxNewTokens: 4}
            """
                .formatted(engine);
    Path manifests = Files.writeString(folder.resolve("cached.yaml"), cached);
    String common = "The same words stand before all questions of this list. ".repeat(40);
    List<Map<String, String>> rows =
        IntStream.range(0, 12).mapToObj(row -> Map.of("input", common + "Number " + row)).toList();
    Path results = folder.resolve("results");

    run(manifests, configMap("prompts.json", JSON.writeValueAsString(rows)), results);

    JsonNode environment = environment(only(results.resolve("default/cached")));
    assertThat(environment.at("/prefixCache/0/tokens").asLong())
        .as("%s", environment.at("/prefixCache"))
        .isGreaterThan(1_000);
  }

  /**
   * Without seeds, which SGLang obeys on GPUs alone: greedy answers are the same by each way that
   * makes them so, and differ where they must.
   */
  @Test
  void everySamplingParameterTakesEffectOnSglang() throws IOException, InterruptedException {
    Map<String, String> sampling = new LinkedHashMap<>();
    sampling.put("greedy", "temperature: 0, maxNewTokens: 24, ignoreEos: true");
    sampling.put("first", "temperature: 1, topK: 1, maxNewTokens: 24, ignoreEos: true");
    sampling.put("nucleus", "temperature: 1, topP: 0.000001, maxNewTokens: 24, ignoreEos: true");
    sampling.put("likely", "temperature: 1, minP: 1, maxNewTokens: 24, ignoreEos: true");
    sampling.put("free", "temperature: 1, maxNewTokens: 24, ignoreEos: true");
    sampling.put("stop", "temperature: 0, maxNewTokens: 24, ignoreEos: true, stop: [e, zzzz]");
    sampling.put("repeated", "temperature: 0, maxNewTokens: 24, repetitionPenalty: 1.9");
    sampling.put("present", "temperature: 0, maxNewTokens: 24, presencePenalty: 2");
    sampling.put("frequent", "temperature: 0, maxNewTokens: 24, frequencyPenalty: 2");
    sampling.put(
        "ids", "temperature: 1, minTokens: 6, maxNewTokens: 64, stopTokenIds: " + someIds());
    String manifest = Files.readString(manifest("sglang"));
    StringBuilder manifests = new StringBuilder(manifest.substring(0, manifest.indexOf("---")));
    sampling.forEach(
        (name, parameters) ->
            manifests.append(
                """
                ---
                apiVersion: loadgen.dev/v1alpha1
                kind: BenchmarkRun
                metadata: {name: %s}
                spec:
                  benchmark: custom
                  scenario: Offline
                  mode: Accuracy
                  accuracy: {evaluate: false}
                  backendRef: {name: sglang}
                  dataset: {configMapName: prompts, path: prompts.json}
                  # What is in a batch beside a request changes the last bits of its numbers.
                  client: {maxConcurrency: 1}
                  sampling:
                    accuracy: {%s}
                """
                    .formatted(name, parameters)));
    List<Map<String, String>> rows =
        IntStream.range(0, ROWS)
            .mapToObj(row -> Map.of("input", "What is item " + row + " made of?"))
            .toList();
    Path results = folder.resolve("results");

    run(
        Files.writeString(folder.resolve("sampling.yaml"), manifests),
        configMap("prompts.json", JSON.writeValueAsString(rows)),
        results);

    Map<String, List<Text>> answers = new HashMap<>();
    for (String name : sampling.keySet()) {
      Path ofRun = only(results.resolve("default").resolve(name));
      StoredAnswers.assertTokensAreTheServers(ofRun);
      answers.put(name, StoredAnswers.texts(ofRun));
      assertThat(answers.get(name)).as(name).hasSize(ROWS);
    }
    List<String> greedy = words(answers, "greedy");
    assertThat(answers.get("greedy"))
        .extracting(Text::tokens, Text::finishReason)
        .containsOnly(tuple(24, "length"));
    assertThat(words(answers, "first")).isEqualTo(greedy);
    // Of tokens that are as likely as each other, greedy sampling takes the first, the others any.
    int chance = inCommon(words(answers, "free"), greedy);
    for (String near : List.of("nucleus", "likely")) {
      assertThat(inCommon(words(answers, near), greedy))
          .as("%s: %s", near, words(answers, near))
          .isGreaterThan(5 * chance + 50);
    }
    assertThat(words(answers, "stop"))
        .isEqualTo(greedy.stream().map(answer -> answer.split("e", 2)[0]).toList());
    assertThat(answers.get("stop")).extracting(Text::finishReason).contains("stop_string");
    for (String other : List.of("free", "repeated", "present", "frequent")) {
      assertThat(words(answers, other)).as(other).isNotEqualTo(greedy);
    }
    assertThat(answers.get("ids"))
        .allSatisfy(answer -> assertThat(answer.tokens()).isBetween(6, 64));
    assertThat(answers.get("ids")).extracting(Text::finishReason).contains("stop");
  }

  /** Characters of the answers before they part. */
  private static int inCommon(List<String> answers, List<String> others) {
    int common = 0;
    for (int row = 0; row < ROWS; row++) {
      int differ = 0;
      String answer = answers.get(row);
      String other = others.get(row);
      while (differ < Math.min(answer.length(), other.length())
          && answer.charAt(differ) == other.charAt(differ)) {
        differ++;
      }
      common += differ;
    }
    return common;
  }

  private static List<String> words(Map<String, List<Text>> answers, String name) {
    return Objects.requireNonNull(answers.get(name)).stream().map(Text::text).toList();
  }

  /** As many as a run may name; about every thirtieth token is one. */
  static String someIds() {
    return IntStream.range(64, 4096).filter(id -> id % 32 == 0).boxed().toList().toString();
  }

  private static Path manifest(String engine) {
    return Path.of("src/test/resources/real-servers", engine + ".yaml").toAbsolutePath();
  }

  private static JsonNode environment(Path results) throws IOException {
    return JSON.readTree(results.resolve("environment.json").toFile());
  }

  private void run(Path manifests, Path dataset, Path results)
      throws IOException, InterruptedException {
    loadgen(
        "run",
        "-f",
        manifests.toString(),
        "-f",
        dataset.toString(),
        "--results",
        results.toString());
  }

  private void loadgen(String... arguments) throws IOException, InterruptedException {
    ProcessBuilder command = new ProcessBuilder(ROOT.resolve("bin/loadgen").toString());
    command.command().addAll(List.of(arguments));
    command.environment().put("LOADGEN_SKIP_BUILD", "1");
    command.environment().put("LOADGEN_JAVA_HOME", System.getProperty("java.home"));
    command
        .environment()
        .merge("PATH", RealServers.commands().toString(), (path, bin) -> bin + ":" + path);
    Process process = command.inheritIO().start();
    try {
      assertThat(process.waitFor(RUN_MINUTES, TimeUnit.MINUTES))
          .as("loadgen ends in time")
          .isTrue();
      // 1: a verdict that is not Valid.
      assertThat(process.exitValue()).isIn(0, 1);
    } finally {
      process.destroy();
    }
  }

  private Path prompts() throws IOException {
    return configMap(
        "quickstart.json",
        Files.readString(ROOT.resolve("manifests/samples/datasets/quickstart.json")));
  }

  private Path configMap(String file, String content) throws IOException {
    Map<String, Object> configMap =
        Map.of(
            "apiVersion",
            "v1",
            "kind",
            "ConfigMap",
            "metadata",
            Map.of("name", "prompts"),
            "data",
            Map.of(file, content));
    return Files.writeString(folder.resolve("prompts.yaml"), JSON.writeValueAsString(configMap));
  }

  private static Path only(Path folder) throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      List<Path> all = children.toList();
      assertThat(all).hasSize(1);
      return all.getFirst();
    }
  }
}
