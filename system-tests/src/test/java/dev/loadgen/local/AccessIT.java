package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.SimulatorOptions;
import dev.loadgen.simulator.TokenRange;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that let in only who has their key, and ConfigMaps and Secrets that runs name. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(200)
class AccessIT {
  private static final String KEY = "k-5f0c9d1e7b";
  private static final String HEADER = "h-77aa31c2d9";

  private TestSystem system;
  private Path folder;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    this.folder = folder;
    system = TestSystem.start(folder);
    system.apply(
        """
        apiVersion: v1
        kind: Secret
        metadata: {name: keys}
        stringData: {token: %s}
        """
            .formatted(KEY));
    system.apply(
        """
        apiVersion: v1
        kind: Secret
        metadata: {name: headers}
        stringData: {X-Team-Token: %s}
        """
            .formatted(HEADER));
    system.configMap(
        "generation", "data", "config.json", "{\"_note\": \"own\", \"max_new_tokens\": 3}");
    system.configMap("broken", "data", "config.json", "{\"top_p\": \"high\"}");
    guarded("vllm", "keys");
    guarded("sglang", "keys");
    guarded("without-secret", "nobody");
    system.run(
        "on-vllm", "vllm", "sampling: {generationConfig: {name: generation, key: config.json}}");
    system.run("on-sglang", "sglang", "");
    system.run("waits", "without-secret", "");
    system.backend("open");
    system.run(
        "no-key", "open", "sampling: {generationConfig: {name: generation, key: other.json}}");
    system.run("bad-key", "open", "sampling: {generationConfig: {name: broken, key: config.json}}");
    system.run(
        "no-token",
        "open",
        "mlflow: {url: \"http://127.0.0.1:9\", experiment: e, tokenSecretRef: {name: nobody}}");
  }

  @AfterAll
  void stop() {
    system.close();
  }

  private void guarded(String name, String secret) {
    system.apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: %s}
        spec:
          engine: %s
          model: {name: tiny}
          image: ghcr.io/loadgen-operator/loadgen-simulator:0.1.0
          args: [--ttft=2ms, --tpot=500us, --output-tokens=6..8]
          access:
            apiKeySecretRef: {name: %s}
            headersSecretName: headers
        """
            .formatted(name, name.equals("sglang") ? "sglang" : "vllm", secret));
  }

  @ParameterizedTest
  @ValueSource(strings = {"vllm", "sglang"})
  void aServerThatWantsAKeyIsMeasuredAndNobodyLearnsTheKey(String engine) throws IOException {
    BenchmarkRun run = system.awaitEnd("on-" + engine);

    assertThat(run.getStatus().phase())
        .as("%s", run.getStatus().conditions())
        .isEqualTo(Phase.Completed);
    assertThat(run.getStatus().result().failed()).isZero();
    assertThat(run.getStatus().result().completed()).isGreaterThanOrEqualTo(64);
    assertNobodyKnows(folder.resolve("results"));
    assertThat(objects()).allSatisfy(object -> assertThat(object).doesNotContain(KEY, HEADER));
  }

  /** It answers what OpenAI's API does not have with an error, and has its routes below a path. */
  @Test
  void aGatewayOfOpenAisApiIsMeasuredByWhatItCanBeAsked() throws IOException {
    try (Simulator gateway =
        Simulator.start(
            SimulatorOptions.builder(SimulatedEngine.OPENAI)
                .servedModelNames(List.of("tiny"))
                .apiKey(KEY)
                // Longer than the test has to be, since all is in flight at once.
                .ttft(Duration.ofMillis(1_500))
                .tpot(Duration.ofMillis(1))
                .outputTokens(new TokenRange(6, 8))
                .build())) {
      system.apply(
          """
          apiVersion: loadgen.dev/v1alpha1
          kind: InferenceBackend
          metadata: {name: gateway}
          spec:
            engine: openai
            model: {name: tiny}
            external: {urls: ["%s/v1/"]}
            access:
              apiKeySecretRef: {name: keys}
          """
              .formatted(gateway.url()));
      system.run("asks-too-much", "gateway", "ruleset: none");
      system.run("on-gateway", "gateway", "ruleset: none\nsampling: {performance: {minTokens: 0}}");

      BenchmarkRun refused = system.awaitEnd("asks-too-much");
      assertThat(refused.getStatus().phase()).isEqualTo(Phase.Failed);
      assertThat(TestSystem.condition(refused, ConditionTypes.FAILED).getMessage())
          .contains("InferenceBackend gateway is openai", "cannot say minTokens");

      BenchmarkRun run = system.awaitEnd("on-gateway");
      assertThat(run.getStatus().phase())
          .as("%s", run.getStatus().conditions())
          .isEqualTo(Phase.Completed);
      assertThat(run.getStatus().result().failed()).isZero();
      assertThat(run.getStatus().result().tokenCountSource()).isEqualTo("usage");
      assertThat(run.getStatus().verdictReasons())
          .extracting(VerdictReason::rule)
          .isSubsetOf("ClientLimited");
      assertThat(system.find(InferenceBackend.class, "gateway").getStatus().endpoints())
          .singleElement()
          .satisfies(server -> assertThat(server.url()).isEqualTo(gateway.url().toString()));
    }
  }

  /** Every object but the Secrets themselves. */
  private List<String> objects() {
    Stream<? extends HasMetadata> all =
        Stream.of(
                system.list(ConfigMap.class),
                system.list(Pod.class),
                system.list(Job.class),
                system.list(StatefulSet.class),
                system.list(BenchmarkRun.class),
                system.list(InferenceBackend.class))
            .flatMap(List::stream);
    return all.map(Serialization::asYaml).toList();
  }

  private static void assertNobodyKnows(Path results) throws IOException {
    try (Stream<Path> files = Files.walk(results)) {
      assertThat(files.filter(Files::isRegularFile))
          .isNotEmpty()
          .allSatisfy(
              file ->
                  assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                      .as("%s", file)
                      .doesNotContain(KEY, HEADER));
    }
  }

  @Test
  void theGenerationConfigReachesTheServer() {
    BenchmarkRun run = system.awaitEnd("on-vllm");

    assertThat(run.getStatus().result().outputTokens())
        .as("3 tokens a sample, though the server would give 6 to 8")
        .isEqualTo(3 * run.getStatus().result().completed());
  }

  @Test
  void aMissingSecretIsSaidBeforeAServerIsStarted() {
    BenchmarkRun run = awaitUnresolved("waits", Reasons.REFERENCE_NOT_FOUND);

    assertThat(message(run))
        .contains("InferenceBackend without-secret: spec.access.apiKeySecretRef", "Secret nobody");
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> {
              InferenceBackend backend = system.find(InferenceBackend.class, "without-secret");
              assertThat(backend.getStatus()).isNotNull();
              assertThat(backend.getStatus().conditions())
                  .extracting(Condition::getReason)
                  .contains(Reasons.REFERENCE_NOT_FOUND);
            });
    assertThat(system.find(StatefulSet.class, "without-secret")).isNull();
  }

  @Test
  void aGenerationConfigThatIsNotThereOrNotRightIsSaid() {
    BenchmarkRun missing = awaitUnresolved("no-key", Reasons.REFERENCE_NOT_FOUND);
    BenchmarkRun wrong = awaitUnresolved("bad-key", Reasons.REFERENCE_INVALID);

    assertThat(message(missing))
        .contains("spec.sampling.generationConfig.key", "no key other.json; it has config.json");
    assertThat(message(wrong)).contains("spec.sampling.generationConfig", "top_p must be a number");
  }

  @Test
  void aMissingTokenForMlflowIsSaidBeforeTheRunnerIsStarted() {
    BenchmarkRun run = awaitUnresolved("no-token", Reasons.REFERENCE_NOT_FOUND);

    assertThat(message(run)).contains("spec.mlflow.tokenSecretRef: there is no Secret nobody");
  }

  private BenchmarkRun awaitUnresolved(String run, String reason) {
    return system.await(
        run,
        seen ->
            seen.getStatus().conditions().stream()
                .anyMatch(
                    c ->
                        c.getType().equals(ConditionTypes.RESOLVED_REFS)
                            && c.getStatus().equals("False")
                            && c.getReason().equals(reason)));
  }

  private static String message(BenchmarkRun run) {
    return TestSystem.condition(run, ConditionTypes.RESOLVED_REFS).getMessage();
  }
}
