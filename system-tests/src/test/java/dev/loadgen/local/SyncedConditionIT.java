package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.local.schema.CustomResourceSchemas;
import dev.loadgen.operator.ApiJson;
import dev.loadgen.operator.LoadgenOperator;
import dev.loadgen.operator.settings.OperatorSettings;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What keeps the operator from its work on an object is told there, and holds nobody else up. */
@Timeout(200)
class SyncedConditionIT {
  private static final Duration SOON = Duration.ofSeconds(30);

  @Test
  void aResultThatKubernetesRefusesEndsTheRunAndGivesItsBackendBack(@TempDir Path folder)
      throws IOException {
    try (TestSystem system = TestSystem.start(folder)) {
      takeNoResultOfMoreThanOneSample(system);
      system.backend("good");
      system.run("refused", "good", "");
      system.run("next", "good", "");

      BenchmarkRun run = system.awaitEnd("refused");

      assertThat(run.getStatus().phase()).isEqualTo(Phase.Failed);
      assertThat(run.getStatus().verdict()).isNull();
      Condition failed = TestSystem.condition(run, ConditionTypes.FAILED);
      assertThat(failed.getReason()).isEqualTo(Reasons.STATUS_REFUSED);
      assertThat(failed.getMessage())
          .contains("status.result.completed", run.getStatus().resultsPath() + "/summary.json");
      assertThat(Files.readString(system.completeFolder(run).resolve("summary.json")))
          .contains("\"verdict\"");
      assertThat(system.awaitEnd("next").getStatus().phase()).isEqualTo(Phase.Failed);
      system.awaitGivenBack("good");
      assertThat(system.operator().metrics().scrape())
          .contains("loadgen_operator_statuses_refused_total{kind=\"BenchmarkRun\"} 2.0");
    }
  }

  /** As custom resources of another version may. */
  private static void takeNoResultOfMoreThanOneSample(TestSystem system) {
    for (ObjectNode definition : CustomResourceSchemas.load().definitions()) {
      if (definition.at(
              "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/result/properties/completed")
          instanceof ObjectNode completed) {
        completed.put("maximum", 1);
        system
            .client()
            .apiextensions()
            .v1()
            .customResourceDefinitions()
            .resource(
                Serialization.unmarshal(definition.toString(), CustomResourceDefinition.class))
            .update();
      }
    }
  }

  @Test
  void aFaultOfTheOperatorIsToldAndTakenBackByTheNextGoodPass() throws IOException {
    Faults faults = new Faults();
    try (EmbeddedCluster cluster = EmbeddedCluster.start(Clock.systemUTC());
        KubernetesClient client = client(cluster.url(), faults);
        LoadgenOperator operator =
            LoadgenOperator.start(
                client,
                OperatorSettings.defaults()
                    .withIntervals(Duration.ofMillis(500), Duration.ofSeconds(1)))) {
      faults.at = "/configmaps/prompts";
      cluster
          .client()
          .resource(
              """
              apiVersion: v1
              kind: ConfigMap
              metadata: {name: prompts}
              data: {d.json: "[]"}
              """)
          .create();
      cluster
          .client()
          .resource(
              """
              apiVersion: loadgen.dev/v1alpha1
              kind: InferenceBackend
              metadata: {name: nobody}
              spec: {engine: vllm, model: {name: m}, external: {urls: ["http://203.0.113.1:9"]}}
              """)
          .create();
      cluster
          .client()
          .resource(
              """
              apiVersion: loadgen.dev/v1alpha1
              kind: BenchmarkRun
              metadata: {name: r}
              spec:
                benchmark: llama3.1-8b
                scenario: Offline
                backendRef: {name: nobody}
                dataset: {configMapName: prompts, path: d.json}
              """)
          .create();

      Awaitility.await("the fault is told")
          .atMost(SOON)
          .untilAsserted(
              () ->
                  // It has no status yet, so that only its conditions are there.
                  assertThat(
                          Serialization.asJson(
                              cluster
                                  .client()
                                  .genericKubernetesResources(
                                      "loadgen.dev/v1alpha1", "BenchmarkRun")
                                  .inNamespace("default")
                                  .withName("r")
                                  .get()))
                      .contains("InternalError", "IllegalStateException: on purpose"));
      assertThat(operator.metrics().scrape())
          .containsPattern("loadgen_operator_internal_errors_total\\{kind=\"BenchmarkRun\"} [1-9]")
          .contains("loadgen_operator_internal_errors_total{kind=\"InferenceBackend\"} 0.0");
      assertThat(find(cluster, InferenceBackend.class, "nobody").getStatus()).isNotNull();

      faults.at = null;
      Awaitility.await("a good pass")
          .atMost(SOON)
          .untilAsserted(
              () -> {
                BenchmarkRun run = find(cluster, BenchmarkRun.class, "r");
                assertThat(run.getStatus()).isNotNull();
                assertThat(run.getStatus().phase()).isEqualTo(Phase.Pending);
                assertThat(synced(run)).isEmpty();
              });
    }
  }

  private static Optional<Condition> synced(BenchmarkRun run) {
    List<Condition> conditions = run.getStatus().conditions();
    return conditions.stream()
        .filter(condition -> condition.getType().equals(ConditionTypes.SYNCED))
        .findFirst();
  }

  private static <K extends HasMetadata> K find(
      EmbeddedCluster cluster, Class<K> kind, String name) {
    return cluster.client().resources(kind).inNamespace("default").withName(name).get();
  }

  private static KubernetesClient client(URI url, Faults faults) {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(url.toString())
            .withNamespace("default")
            .withHttp2Disable(true)
            .build();
    config.setOnlyHttpWatches(true);
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withKubernetesSerialization(ApiJson.serialization())
        .withHttpClientBuilderConsumer(http -> http.addOrReplaceInterceptor("faults", faults))
        .build();
  }

  /** A fault of the program in the midst of a request. */
  private static final class Faults implements Interceptor {
    /** What the paths of requests end with that do not come about; null: none. */
    private volatile @Nullable String at;

    @Override
    public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
      String path = at;
      if (path != null && request.uri().getPath().endsWith(path)) {
        throw new IllegalStateException("on purpose");
      }
    }
  }
}
