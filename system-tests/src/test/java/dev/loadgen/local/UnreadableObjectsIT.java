package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.local.schema.CustomResourceSchemas;
import dev.loadgen.operator.LoadgenOperator;
import dev.loadgen.operator.settings.OperatorSettings;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Objects that the operator's types cannot hold, under CRDs that let everything pass, as those of a
 * newer version do after a rollback: each says so itself, and nobody else notices.
 */
@Timeout(200)
class UnreadableObjectsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration STATUS = Duration.ofSeconds(10);

  @Test
  void eachIsToldOfAndNoneEndsTheOperator(@TempDir Path folder)
      throws IOException, InterruptedException {
    try (TestSystem system = TestSystem.start(folder)) {
      letEverythingPass(system);
      backend(system, "tokens", "engineConfig: {maxModelLen: 99999999999}");
      backend(system, "empty", "resources: {cpu: ''}");
      backend(system, "many", "replicas: 2000000000");
      backend(system, "future", "lifecycle: Seasonal");
      ObjectNode endless = spec("");
      ObjectNode at = endless.putObject("podTemplate");
      for (int i = 0; i < 500; i++) {
        at = at.putObject("a");
      }
      create(system, "InferenceBackend", "endless", endless);
      ObjectNode wordy = spec("replicas: many");
      wordy.putObject("scheduling").putObject("nodeSelector").put("k".repeat(40_000), "v");
      create(system, "InferenceBackend", "wordy", wordy);
      backend(system, "late", "startupTimeout: 9999999h");
      ObjectNode newer = JSON.createObjectNode().put("benchmark", "llama4");
      create(system, "BenchmarkRun", "newer", newer);
      create(system, "BenchmarkRun", "nothing", JSON.nullNode());
      create(system, "InferenceBackend", "nothing", JSON.getNodeFactory().numberNode(7));
      backend(system, "foreign", "replicas: " + "\u00f6\u2603".repeat(3_000));
      system.backend("good");
      system.run("healthy", "good", "");

      assertThat(refusal(system, InferenceBackend.class, "tokens"))
          .isEqualTo(
              "spec.engineConfig.maxModelLen: 99999999999 is not a whole number from -2147483648 to"
                  + " 2147483647");
      assertThat(refusal(system, InferenceBackend.class, "empty"))
          .isEqualTo(
              "spec.resources.cpu: \"\" is not a valid quantity; write it like 500m, 4 or"
                  + " 16Gi");
      assertThat(refusal(system, InferenceBackend.class, "many"))
          .isEqualTo("spec.replicas: must be at most 1000, not 2000000000");
      assertThat(refusal(system, InferenceBackend.class, "future"))
          .startsWith("spec.lifecycle: \"Seasonal\" is not known to this version");
      assertThat(refusal(system, InferenceBackend.class, "endless"))
          .startsWith("spec.podTemplate.a.a")
          .endsWith("is nested deeper than 64 levels");
      assertThat(refusal(system, InferenceBackend.class, "wordy"))
          .startsWith("spec.replicas: \"many\" is not a whole number");
      assertThat(refusal(system, InferenceBackend.class, "foreign"))
          .startsWith("spec.replicas: \"\u00f6\u2603\u00f6");
      assertThat(refusal(system, InferenceBackend.class, "late"))
          .isEqualTo("spec.startupTimeout: 9999999h is longer than a year; give at most 8760h");
      assertThat(refusal(system, BenchmarkRun.class, "newer"))
          .startsWith("spec.benchmark: \"llama4\" is not known to this version");
      assertThat(refusal(system, BenchmarkRun.class, "nothing"))
          .contains("spec.benchmark: is missing");
      assertThat(refusal(system, InferenceBackend.class, "nothing"))
          .contains("spec.engine: is missing");
      BenchmarkRun healthy = system.awaitEnd("healthy");
      assertThat(healthy.getStatus().phase())
          .as("%s", healthy.getStatus())
          .isEqualTo(Phase.Completed);
      // One that starts while they are there fills its caches with them.
      try (LoadgenOperator next =
          LoadgenOperator.start(system.client(), OperatorSettings.defaults())) {
        assertThat(next.healthy()).isTrue();
      }
      assertThat(system.operator().healthy()).isTrue();
    }
  }

  private static <K extends HasMetadata> String refusal(
      TestSystem system, Class<K> kind, String name) {
    return Awaitility.await(name)
        .atMost(STATUS)
        .until(
            () ->
                conditions(system.find(kind, name)).stream()
                    .filter(c -> c.getType().equals(ConditionTypes.FAILED))
                    .filter(c -> c.getReason().equals(Reasons.INVALID_SPEC))
                    .map(Condition::getMessage)
                    .findFirst()
                    .orElse(""),
            message -> !message.isEmpty());
  }

  private static List<Condition> conditions(Object object) {
    return switch (object) {
      case BenchmarkRun run -> run.getStatus() == null ? List.of() : run.getStatus().conditions();
      case InferenceBackend backend ->
          backend.getStatus() == null ? List.of() : backend.getStatus().conditions();
      default -> throw new AssertionError(object);
    };
  }

  private static void letEverythingPass(TestSystem system) {
    for (ObjectNode definition : CustomResourceSchemas.load().definitions()) {
      ObjectNode schema = (ObjectNode) definition.at("/spec/versions/0/schema/openAPIV3Schema");
      schema.removeAll();
      schema.put("type", "object").put("x-kubernetes-preserve-unknown-fields", true);
      system
          .client()
          .apiextensions()
          .v1()
          .customResourceDefinitions()
          .resource(Serialization.unmarshal(definition.toString(), CustomResourceDefinition.class))
          .update();
    }
  }

  private static void backend(TestSystem system, String name, String more)
      throws IOException, InterruptedException {
    create(system, "InferenceBackend", name, spec(more));
  }

  private static ObjectNode spec(String more) throws IOException {
    return (ObjectNode)
        new YAMLMapper().readTree("{engine: vllm, model: {name: m}, %s}".formatted(more));
  }

  /** By HTTP, since no client of ours can say such things. */
  private static void create(TestSystem system, String kind, String name, JsonNode spec)
      throws IOException, InterruptedException {
    ObjectNode object = JSON.createObjectNode();
    object.put("apiVersion", "loadgen.dev/v1alpha1").put("kind", kind);
    object.putObject("metadata").put("name", name);
    object.set("spec", spec);
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(
                      URI.create(
                          system.client().getMasterUrl()
                              + "apis/loadgen.dev/v1alpha1/namespaces/default/"
                              + (kind.equals("BenchmarkRun")
                                  ? "benchmarkruns"
                                  : "inferencebackends")))
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(object)))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    }
  }
}
