package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.api.v1alpha1.Retention;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * The operator under its own role, against the real API server and controllers. Servers and runners
 * are processes of this machine.
 */
@Order(5)
class OperatorIT extends LocalNodeTest {
  private static final Duration LONG = Duration.ofMinutes(3);

  /** So that a machine on which a run takes longer than all of them does not kill for ever. */
  private static final int LIVES = 20;

  @Test
  void aRunGoesFromApplyToVerdictAndLeavesNothingButItsResult()
      throws IOException, InterruptedException {
    try (OperatorProcess operator = bench().operator()) {
      bench().server();
      bench().run("first");

      BenchmarkRun run = bench().awaitEnd("first");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      assertThat(run.getStatus().verdict()).isNotNull();
      assertThat(run.getStatus().result()).isNotNull();
      assertThat(bench().results().resolve(run.getStatus().resultsPath()))
          .isDirectoryContaining("glob:**/manifest.json");
      // The node of this test has no kubelet that would be asked for logs, and the verdict stands.
      assertThat(bench().results().resolve(run.getStatus().resultsPath()).resolve("summary.json"))
          .content()
          .contains("not complete: server-0/server: ");
      bench().awaitGivenBack();

      anObjectThatIsAsDesiredIsNotWritten();

      cluster().kubectl("delete", "-n", bench().name(), "benchmarkrun,inferencebackend", "--all");
      Awaitility.await("garbage collection")
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(ours()).isEmpty());
      assertThat(client().persistentVolumeClaims().inNamespace(bench().name()).list().getItems())
          .hasSize(1);
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  /** The operator looks at the backend again, as after any change, and writes nothing. */
  private void anObjectThatIsAsDesiredIsNotWritten() throws IOException, InterruptedException {
    Awaitility.await().atMost(LONG).until(() -> backendObject().getStatus().activeRun() == null);
    Map<String, String> before = versions();
    assertThat(before).hasSize(2);
    cluster().kubectl("label", "-n", bench().name(), "inferencebackend", "server", "seen=again");
    String labelled = backendObject().getMetadata().getResourceVersion();

    Awaitility.await()
        .during(Duration.ofSeconds(7))
        .atMost(Duration.ofSeconds(15))
        .untilAsserted(
            () -> {
              assertThat(versions()).isEqualTo(before);
              assertThat(backendObject().getMetadata().getResourceVersion()).isEqualTo(labelled);
            });
  }

  /** Of the objects that the operator applies again and again. */
  private Map<String, String> versions() {
    return Stream.of(
            client().apps().statefulSets().inNamespace(bench().name()).list().getItems(),
            client().services().inNamespace(bench().name()).list().getItems())
        .flatMap(List::stream)
        .map(HasMetadata.class::cast)
        .collect(
            Collectors.toMap(
                object -> object.getKind() + "/" + object.getMetadata().getName(),
                object -> object.getMetadata().getResourceVersion()));
  }

  /** All objects in the namespace that the operator or a controller made for it. */
  private List<HasMetadata> ours() {
    return Stream.of(
            client().apps().statefulSets().inNamespace(bench().name()).list().getItems(),
            client().services().inNamespace(bench().name()).list().getItems(),
            client().batch().v1().jobs().inNamespace(bench().name()).list().getItems(),
            client().pods().inNamespace(bench().name()).list().getItems(),
            client().leases().inNamespace(bench().name()).list().getItems(),
            client().configMaps().inNamespace(bench().name()).list().getItems().stream()
                .filter(
                    map ->
                        !Set.of("prompts", "kube-root-ca.crt")
                            .contains(map.getMetadata().getName()))
                .toList())
        .flatMap(List::stream)
        .map(HasMetadata.class::cast)
        .toList();
  }

  /** Nobody provides volumes here, so that both runs are deleted while their pods wait. */
  @Test
  void aClaimGoesWithItsRunOnlyIfItShall() throws IOException, InterruptedException {
    try (OperatorProcess operator = bench().operator()) {
      bench().server();
      for (Retention retention : Retention.values()) {
        String run = retention.name().toLowerCase(Locale.ROOT);
        bench()
            .apply(
                BenchmarkNamespace.benchmarkRun(run, "backendRef: {name: server}")
                    .replace(
                        "{claimName: results}",
                        "{size: 1Gi, accessModes: [ReadWriteMany], retention: " + retention + "}"));
        Awaitility.await("the claim of " + run)
            .atMost(LONG)
            .until(() -> claims().contains(run + "-results"));
        cluster().kubectl("delete", "-n", bench().name(), "benchmarkrun", run);
      }

      Awaitility.await("garbage collection")
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(claims()).containsOnly("results", "keep-results"));
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  private Set<String> claims() {
    return client().persistentVolumeClaims().inNamespace(bench().name()).list().getItems().stream()
        .map(claim -> claim.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  @Test
  void anOperatorThatIsKilledAgainAndAgainStartsNothingTwice()
      throws IOException, InterruptedException {
    try (PodLog pods = PodLog.of(bench());
        OperatorProcess operator = bench().operator()) {
      bench().server();
      bench().run("survivor");
      Random random = new Random(7);
      for (int life = 0;
          life < LIVES && !BenchmarkNamespace.isOver(bench().get("survivor"));
          life++) {
        // Every other operator dies before it is ready, the others at some point after it.
        if (life % 2 == 1) {
          operator.awaitReady();
        }
        Thread.sleep(random.nextInt(3_000));
        operator.kill();
        operator.restart();
      }

      BenchmarkRun run = bench().awaitEnd("survivor");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      assertThat(run.getStatus().verdict()).isNotNull();
      assertThat(pods.runners()).isEqualTo(Map.of("1", 1));
      assertThat(pods.servers()).isEqualTo(1);
      bench().awaitGivenBack();
    }
  }

  @Test
  void aRunBringsItsServersAndGivesThemBack() throws IOException, InterruptedException {
    try (OperatorProcess operator = bench().operator()) {
      operator.awaitReady();
      bench()
          .apply(
              BenchmarkNamespace.benchmarkRun(
                  "whole",
                  """
                  backend:
                    engine: vllm
                    model: {name: tiny}
                    gpus: {count: 4}
                  """
                      + BenchmarkNamespace.simulator().indent(2)));

      BenchmarkRun run = bench().awaitEnd("whole");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                assertThat(
                        client()
                            .apps()
                            .statefulSets()
                            .inNamespace(bench().name())
                            .list()
                            .getItems())
                    .isEmpty();
                assertThat(
                        client()
                            .pods()
                            .inNamespace(bench().name())
                            .withLabel("app.kubernetes.io/component", "server")
                            .list()
                            .getItems())
                    .isEmpty();
              });
      assertThat(backends()).containsExactly("whole");

      cluster().kubectl("delete", "benchmarkrun", "whole", "-n", bench().name());

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(backends()).isEmpty());
    }
  }

  private List<String> backends() {
    return client()
        .resources(InferenceBackend.class)
        .inNamespace(bench().name())
        .list()
        .getItems()
        .stream()
        .map(backend -> backend.getMetadata().getName())
        .toList();
  }

  private static KubernetesClient client() {
    return cluster().client();
  }

  private InferenceBackend backendObject() {
    return client()
        .resources(InferenceBackend.class)
        .inNamespace(bench().name())
        .withName("server")
        .get();
  }
}
