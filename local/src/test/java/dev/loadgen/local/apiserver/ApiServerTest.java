package dev.loadgen.local.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.contract.Scenario;
import dev.loadgen.local.EmbeddedCluster;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ApiServerTest {
  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
  private EmbeddedCluster cluster;

  @BeforeEach
  void start() throws IOException {
    InstantSource present = () -> Instant.now().plus(ahead.get());
    cluster = EmbeddedCluster.start(present.withZone(ZoneOffset.UTC));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void givesANewObjectItsIdentity() {
    ConfigMap made = client().resource(map("a", Map.of("k", "v"))).create();

    assertThat(made.getMetadata().getUid()).isNotEmpty();
    assertThat(made.getMetadata().getCreationTimestamp()).isNotEmpty();
    assertThat(made.getMetadata().getGeneration()).isEqualTo(1);
    assertThat(made.getMetadata().getNamespace()).isEqualTo("default");
  }

  @Test
  void refusesToCreateWhatExists() {
    client().resource(map("a", Map.of())).create();

    KubernetesClientException refused =
        catchThrowableOfType(
            KubernetesClientException.class, () -> client().resource(map("a", Map.of())).create());

    assertThat(refused.getCode()).isEqualTo(409);
    assertThat(refused.getStatus().getReason()).isEqualTo("AlreadyExists");
  }

  @Test
  void aTrialMakesNothing() {
    ConfigMap tried = client().resource(map("a", Map.of("k", "v"))).dryRun().create();

    assertThat(tried.getData()).containsEntry("k", "v");
    assertThat(client().configMaps().inNamespace("default").list().getItems()).isEmpty();
  }

  @Test
  void anEventIsKeptForAnHourAfterItsLastWrite() {
    applyEvent("old", 1);
    applyEvent("repeated", 1);
    ahead.set(Duration.ofMinutes(50));
    applyEvent("repeated", 2);
    ahead.set(Duration.ofMinutes(65));
    applyEvent("new", 1);

    assertThat(client().v1().events().inNamespace("default").list().getItems())
        .extracting(event -> event.getMetadata().getName() + " " + event.getCount())
        .containsExactly("new 1", "repeated 2");
    assertThat(
            client()
                .v1()
                .events()
                .inNamespace("default")
                .withField("involvedObject.name", "r")
                .list()
                .getItems())
        .hasSize(2);
  }

  private void applyEvent(String name, int count) {
    client()
        .resource(
            new EventBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withNewInvolvedObject()
                .withName("r")
                .endInvolvedObject()
                .withCount(count)
                .build())
        .fieldManager("test")
        .serverSideApply();
  }

  @Test
  void refusesAnUpdateOfAnOldVersion() {
    ConfigMap first = client().resource(map("a", Map.of("k", "1"))).create();
    client().resource(map("a", Map.of("k", "2"))).update();
    first.setData(Map.of("k", "3"));

    assertThatThrownBy(() -> client().resource(first).update())
        .isInstanceOfSatisfying(
            KubernetesClientException.class,
            refused -> assertThat(refused.getCode()).isEqualTo(409));
  }

  @Test
  void leavesTheVersionAloneWhenNothingChanges() {
    ConfigMap first = client().resource(map("a", Map.of("k", "1"))).create();

    ConfigMap same = client().resource(map("a", Map.of("k", "1"))).update();

    assertThat(same.getMetadata().getResourceVersion())
        .isEqualTo(first.getMetadata().getResourceVersion());
  }

  @Test
  void appliesAnAbsentObjectByCreatingItAndThenMerges() {
    client().resource(map("a", Map.of("mine", "1", "old", "1"))).serverSideApply();
    client()
        .configMaps()
        .inNamespace("default")
        .withName("a")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"foreign\":\"x\"}}");

    client().resource(map("a", Map.of("mine", "2"))).serverSideApply();

    assertThat(client().configMaps().inNamespace("default").withName("a").get().getData())
        .containsExactlyInAnyOrderEntriesOf(Map.of("mine", "2", "foreign", "x"));
  }

  @Test
  void appliesAStatusWithoutTouchingTheSpecAndReplacesLists() {
    client().resource(run("r")).create();
    applyStatus("{\"phase\":\"Pending\",\"conditions\":[" + condition("False") + "]}");

    applyStatus("{\"phase\":\"Running\",\"conditions\":[" + condition("True") + "]}");
    BenchmarkRun run =
        client().resources(BenchmarkRun.class).inNamespace("default").withName("r").get();

    assertThat(run.getStatus().conditions()).hasSize(1);
    assertThat(run.getStatus().conditions().getFirst().getStatus()).isEqualTo("True");
    assertThat(run.getSpec().backendRef().name()).isEqualTo("b");
    assertThat(run.getMetadata().getGeneration()).isEqualTo(1);
  }

  @Test
  void removesAStatusFieldThatTheNextApplyLeavesOut() {
    client().resource(run("r")).create();
    applyStatus("{\"phase\":\"Pending\",\"resultsPath\":\"x\"}");

    applyStatus("{\"phase\":\"Running\"}");
    BenchmarkRun run =
        client().resources(BenchmarkRun.class).inNamespace("default").withName("r").get();

    assertThat(run.getStatus().resultsPath()).isNull();
  }

  @Test
  void replacesListsInAMergePatch() {
    client().resource(run("r")).create();
    applyStatus("{\"phase\":\"Running\",\"conditions\":[" + condition("False") + "]}");

    client()
        .resources(BenchmarkRun.class)
        .inNamespace("default")
        .withName("r")
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\":{\"conditions\":[" + condition("True") + "]}}");

    assertThat(
            client()
                .resources(BenchmarkRun.class)
                .inNamespace("default")
                .withName("r")
                .get()
                .getStatus()
                .conditions())
        .hasSize(1);
  }

  /** An operator may see an older spec than that which is there. */
  @Test
  void holdsAStatusToTheSpecThatIsStored() {
    BenchmarkRun older = client().resource(run("r")).create();
    older.setSpec(Serialization.unmarshal("scenario: Server", BenchmarkRunSpec.class));

    client().resource(older).subresource("status").update();

    assertThat(
            client()
                .resources(BenchmarkRun.class)
                .inNamespace("default")
                .withName("r")
                .get()
                .getSpec()
                .scenario())
        .isEqualTo(Scenario.Offline);
  }

  @Test
  void refusesADefinitionWithRulesThatItDoesNotHave() {
    CustomResourceDefinition definition =
        client()
            .apiextensions()
            .v1()
            .customResourceDefinitions()
            .withName("benchmarkruns.loadgen.dev")
            .get();
    definition
        .getSpec()
        .getVersions()
        .getFirst()
        .getSchema()
        .getOpenAPIV3Schema()
        .getXKubernetesValidations()
        .getFirst()
        .setMessageExpression("self.kind");

    assertThatThrownBy(() -> client().resource(definition).update())
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(422))
        .hasMessageContaining(
            "CustomResourceDefinition.apiextensions.k8s.io \"benchmarkruns.loadgen.dev\" is invalid:"
                + " x-kubernetes-validations of the object: messageExpression is not supported");
  }

  @Test
  void keepsTheStatusWhenTheObjectIsWritten() {
    Job job =
        client()
            .resource(
                new JobBuilder()
                    .withNewMetadata()
                    .withName("j")
                    .endMetadata()
                    .withNewSpec()
                    .withSuspend(true)
                    .endSpec()
                    .withNewStatus()
                    .withFailed(7)
                    .endStatus()
                    .build())
            .create();
    assertThat(job.getStatus()).isNull();
    Job changed = client().batch().v1().jobs().inNamespace("default").withName("j").get();
    changed.setStatus(
        new JobBuilder().withNewStatus().withFailed(3).endStatus().build().getStatus());
    client().resource(changed).updateStatus();

    Job labelled =
        client()
            .batch()
            .v1()
            .jobs()
            .inNamespace("default")
            .withName("j")
            .edit(
                old ->
                    new JobBuilder(old)
                        .editMetadata()
                        .addToLabels("a", "b")
                        .endMetadata()
                        .withNewStatus()
                        .endStatus()
                        .build());

    assertThat(labelled.getStatus().getFailed()).isEqualTo(3);
    assertThat(labelled.getMetadata().getGeneration()).isEqualTo(1);
  }

  @Test
  void refusesAnInvalidCustomResourceAndNamesTheField() {
    BenchmarkRun run = run("r");
    // A typed client leaves out what it cannot read, and the server never sees it.
    GenericKubernetesResource body =
        Serialization.unmarshal(
            Serialization.asJson(run).replace("\"Offline\"", "\"Offlin\""),
            GenericKubernetesResource.class);

    assertThatThrownBy(() -> client().resource(body).create())
        .hasMessageContaining("spec.scenario: \"Offlin\" is not one of");
  }

  @Test
  void fillsInDefaultsOfTheSchema() {
    BenchmarkRun made = client().resource(run("r")).create();

    assertThat(made.getSpec().ruleset()).isEqualTo("none");
    assertThat(made.getSpec().dataset().format()).isNotNull();
  }

  @Test
  void deletesOnlyTheObjectOfTheUidThatIsAskedFor() throws Exception {
    client()
        .resource(new LeaseBuilder().withNewMetadata().withName("l").endMetadata().build())
        .create();

    int wrong = delete("leases", "l", "{\"preconditions\":{\"uid\":\"other\"}}");
    String uid =
        client().leases().inNamespace("default").withName("l").get().getMetadata().getUid();
    int right = delete("leases", "l", "{\"preconditions\":{\"uid\":\"" + uid + "\"}}");

    assertThat(wrong).isEqualTo(409);
    assertThat(right).isEqualTo(200);
    assertThat(client().leases().inNamespace("default").withName("l").get()).isNull();
  }

  private int delete(String plural, String name, String options) throws Exception {
    URI uri =
        cluster
            .url()
            .resolve("apis/coordination.k8s.io/v1/namespaces/default/" + plural + "/" + name);
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(uri)
                  .method("DELETE", HttpRequest.BodyPublishers.ofString(options))
                  .build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  @Test
  void keepsAPodOnANodeUntilItsKubeletHasEndedIt() {
    client()
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName("p")
                .endMetadata()
                .withNewSpec()
                .withNodeName("n")
                .withTerminationGracePeriodSeconds(7L)
                .endSpec()
                .build())
        .create();

    client().pods().inNamespace("default").withName("p").delete();
    Pod marked = client().pods().inNamespace("default").withName("p").get();
    client().pods().inNamespace("default").withName("p").withGracePeriod(0).delete();

    assertThat(marked.getMetadata().getDeletionTimestamp()).isNotNull();
    assertThat(marked.getMetadata().getDeletionGracePeriodSeconds()).isEqualTo(7);
    assertThat(client().pods().inNamespace("default").withName("p").get()).isNull();
  }

  @Test
  void removesAnObjectWhenItsLastFinalizerGoes() {
    ConfigMap map = map("a", Map.of());
    map.getMetadata().setFinalizers(List.of("example.org/f"));
    client().resource(map).create();
    client().configMaps().inNamespace("default").withName("a").delete();
    assertThat(
            client()
                .configMaps()
                .inNamespace("default")
                .withName("a")
                .get()
                .getMetadata()
                .getDeletionTimestamp())
        .isNotNull();

    client()
        .configMaps()
        .inNamespace("default")
        .withName("a")
        .edit(
            old -> new ConfigMapBuilder(old).editMetadata().withFinalizers().endMetadata().build());

    assertThat(client().configMaps().inNamespace("default").withName("a").get()).isNull();
  }

  @Test
  void tellsAWatcherOfAllChangesInOrderAndOfThoseBetweenListAndWatch() throws Exception {
    String since =
        client().configMaps().inNamespace("default").list().getMetadata().getResourceVersion();
    client().resource(map("a", Map.of("k", "0"))).create();
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (Watch watch =
        client()
            .configMaps()
            .inNamespace("default")
            .withLabel("watched")
            .withResourceVersion(since)
            .watch(watcher(seen))) {
      assertThat(watch).isNotNull();
      for (int i = 1; i <= 50; i++) {
        client().resource(map("a", Map.of("k", String.valueOf(i)))).update();
      }
      client().configMaps().inNamespace("default").withName("a").delete();

      assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo("ADDED 0");
      for (int i = 1; i <= 50; i++) {
        assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo("MODIFIED " + i);
      }
      assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo("DELETED 50");
    }
  }

  @Test
  void answersDiscoveryAndTheVersion() throws Exception {
    JsonNode groups;
    try (HttpClient http = HttpClient.newHttpClient()) {
      groups =
          new ObjectMapper()
              .readTree(
                  http.send(
                          HttpRequest.newBuilder(cluster.url().resolve("apis")).build(),
                          HttpResponse.BodyHandlers.ofString())
                      .body());
    }

    assertThat(groups.findValuesAsText("name")).contains("loadgen.dev", "batch", "apps");
    assertThat(client().getKubernetesVersion().getMajor()).isEqualTo("1");
  }

  private static Watcher<ConfigMap> watcher(BlockingQueue<String> seen) {
    return new Watcher<>() {
      @Override
      public void eventReceived(Action action, ConfigMap map) {
        seen.add(action + " " + map.getData().get("k"));
      }

      @Override
      public void onClose(WatcherException cause) {}
    };
  }

  private void applyStatus(String status) {
    client()
        .resources(BenchmarkRun.class)
        .inNamespace("default")
        .withName("r")
        .subresource("status")
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager("test")
                .withForce(true)
                .build(),
            "{\"apiVersion\":\"loadgen.dev/v1alpha1\",\"kind\":\"BenchmarkRun\",\"metadata\":{\"name\":\"r\"},\"status\":"
                + status
                + "}");
  }

  private static String condition(String status) {
    return "{\"type\":\"Complete\",\"status\":\"" + status + "\"}";
  }

  private static BenchmarkRun run(String name) {
    return Serialization.unmarshal(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: %s, namespace: default}
        spec:
          benchmark: llama3.1-8b
          scenario: Offline
          backendRef: {name: b}
          dataset: {configMapName: m, path: p}
        """
            .formatted(name),
        BenchmarkRun.class);
  }

  private static ConfigMap map(String name, Map<String, String> data) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("default")
        .addToLabels("watched", "yes")
        .endMetadata()
        .withData(data)
        .build();
  }

  private KubernetesClient client() {
    return cluster.client();
  }
}
