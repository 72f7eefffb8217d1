package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.Readiness;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What Flux and Helm, Argo CD and kubectl make of our objects: the first two by the module that
 * they share, without a word about our kinds.
 */
class GitOpsIT extends LocalNodeTest {
  private static final Path MANIFESTS = Programs.REPOSITORY.resolve("manifests/gitops");
  private static final YAMLMapper YAML = new YAMLMapper();

  private static Path health;
  private static Path folder;

  @BeforeAll
  static void buildTheJudge(@TempDir Path temporary) throws IOException, InterruptedException {
    folder = temporary;
    health = Programs.of("hack/gitops/build.sh").resolve("health");
  }

  /** Statuses with the conditions that the operator adds to them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Pending   |              | ResolvedRefs=True  BackendReady=False Complete=False Failed=False | InProgress: about BackendReady   | Progressing: about BackendReady",
        "Pending   |              | ResolvedRefs=False BackendReady=False Complete=False Failed=False | InProgress: about ResolvedRefs   | Progressing: about ResolvedRefs",
        "Pending   |              | ResolvedRefs=True  BackendReady=True Admitted=False Complete=False Failed=False | InProgress: about Admitted | Progressing: about Admitted",
        "Suspended |              | Suspended=True/Suspended BackendReady=False Complete=False Failed=False | InProgress: about Suspended | Suspended: about Suspended",
        "Suspended |              | Suspended=False/Suspending BackendReady=False Complete=False Failed=False | InProgress: about Suspended | Progressing: about Suspended",
        "Running   |              | ResolvedRefs=True  BackendReady=True  Complete=False Failed=False | InProgress: the test is under way | Progressing: the test is under way",
        "Planned   |              | ResolvedRefs=False BackendReady=False Complete=True  Failed=False | Current: Resource is Ready       | Healthy: about Complete",
        "Completed | Valid        | ResolvedRefs=True  BackendReady=False Complete=True  Failed=False | Current: Resource is Ready       | Healthy: about Complete",
        "Completed | Invalid      | ResolvedRefs=True  BackendReady=False Complete=True  Failed=False | Failed: about Complete           | Degraded: about Complete",
        "Completed | Inconclusive | ResolvedRefs=True  BackendReady=False Complete=True  Failed=False | Failed: about Complete           | Degraded: about Complete",
        "Failed    |              | ResolvedRefs=True  BackendReady=False Complete=False Failed=True  | Failed: about Failed             | Degraded: about Failed"
      })
  void everyStateOfARun(
      String phase, @Nullable String verdict, String conditions, String kstatus, String argoCd)
      throws IOException, InterruptedException {
    bench().run("r");
    BenchmarkRunStatus status =
        Serialization.unmarshal(
                "status: {phase: %s%s}"
                    .formatted(phase, verdict == null ? "" : ", verdict: " + verdict),
                BenchmarkRun.class)
            .getStatus()
            .withConditions(conditions(conditions));

    write(
        "benchmarkrun",
        "r",
        "phase: %s, verdict: %s".formatted(phase, verdict == null ? "null" : verdict),
        Conditions.merge(status.conditions(), Readiness.of(status), 1L, Instant.now()));

    assertThat(kstatus("benchmarkrun", "r")).isEqualTo(kstatus);
    assertThat(argoCd("BenchmarkRun", "r")).isEqualTo(argoCd);
    if (!phase.equals("Pending") && !phase.equals("Suspended") && !phase.equals("Running")) {
      cluster()
          .kubectl(
              "wait", "-n", bench().name(), "br/r", "--for=condition=Finished", "--timeout=5s");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Starting  | Available=False Progressing=True  Failed=False | InProgress: 0 of 2 servers are ready | Progressing: 0 of 2 servers are ready",
        "Starting  | Available=False Progressing=False Failed=False | InProgress: 0 of 2 servers are ready | Progressing: 0 of 2 servers are ready",
        "Available | Available=True  Progressing=False Failed=False | Current: Resource is Ready           | Healthy: 0 of 2 servers are ready",
        "Idle      | Available=False Progressing=False Failed=False | Current: Resource is Ready           | Healthy: 0 of 2 servers are ready",
        "Failed    | Available=False Progressing=False Failed=True  | Failed: 0 of 2 servers are ready     | Degraded: 0 of 2 servers are ready"
      })
  void everyStateOfABackend(BackendPhase phase, String conditions, String kstatus, String argoCd)
      throws IOException, InterruptedException {
    bench().server();

    write(
        "inferencebackend",
        "server",
        "phase: " + phase,
        Conditions.merge(
            conditions(conditions),
            Readiness.of(phase, "Test", "0 of 2 servers are ready"),
            1L,
            Instant.now()));

    assertThat(kstatus("inferencebackend", "server")).isEqualTo(kstatus);
    assertThat(argoCd("InferenceBackend", "server")).isEqualTo(argoCd);
  }

  @Test
  void anObjectThatNobodyHasLookedAtIsNotDone() throws IOException, InterruptedException {
    bench().server();
    bench().run("r");

    assertThat(kstatus("inferencebackend", "server")).startsWith("InProgress: ");
    assertThat(kstatus("benchmarkrun", "r")).startsWith("InProgress: ");
    assertThat(argoCd("InferenceBackend", "server"))
        .isEqualTo("Progressing: waiting for the operator");
    assertThat(argoCd("BenchmarkRun", "r")).isEqualTo("Progressing: waiting for the operator");
    // It has no status for us either.
    assertThat(bench().get("r").getStatus()).isNull();
    assertThat(bench().getBackend("server").getStatus()).isNull();
  }

  @Test
  void aStatusOfTheLastSpecSaysNothing() throws IOException, InterruptedException {
    bench().server();
    List<Condition> ready = Readiness.of(BackendPhase.Available, "Test", "well");
    write(
        "inferencebackend",
        "server",
        "phase: Available",
        Conditions.merge(List.of(), ready, 1L, Instant.now()));
    assertThat(kstatus("inferencebackend", "server")).startsWith("Current: ");

    bench().server("--ttft=3ms");

    assertThat(kstatus("inferencebackend", "server")).startsWith("InProgress: ");
    assertThat(argoCd("InferenceBackend", "server"))
        .isEqualTo("Progressing: waiting for the operator");
  }

  /** The operator's own statuses, from objects that it brings to their ends. */
  @Test
  void whatTheOperatorMakesOfObjects() throws IOException, InterruptedException {
    try (OperatorProcess operator = bench().operator()) {
      bench().server();
      bench().run("short");
      bench().run("planned", "dryRun: true");
      bench().run("rejected", "dryRun: true\nruleset: v6.1");
      bench().run("suspended", "suspend: true");
      bench()
          .apply(
              BenchmarkNamespace.benchmarkRun(
                  "lost", "backendRef: {name: none}\ntimeouts: {backendReady: 1s}"));
      bench().apply(BenchmarkNamespace.benchmarkRun("waiting", "backendRef: {name: none}"));
      bench()
          .apply(
              BenchmarkNamespace.backend(
                  "idle", "lifecycle: OnDemand\n" + BenchmarkNamespace.simulator()));
      bench()
          .apply(
              BenchmarkNamespace.backend(
                  "silent", "external: {urls: [\"http://127.0.0.1:9\"]}\nstartupTimeout: 30m"));
      bench()
          .apply(
              BenchmarkNamespace.backend(
                  "failed", "external: {urls: [\"http://127.0.0.1:9\"]}\nstartupTimeout: 1s"));

      for (String run : List.of("short", "planned", "rejected", "lost")) {
        cluster()
            .kubectl(
                "wait",
                "-n",
                bench().name(),
                "br/" + run,
                "--for=condition=Finished",
                "--timeout=3m");
      }

      // Which verdict so short a run on a busy machine has is chance; that everybody sees it is
      // not.
      String verdict = bench().get("short").getStatus().verdict().name();
      assertThat(reason("short")).isEqualTo(verdict);
      assertThat(kstatus("benchmarkrun", "short"))
          .startsWith(
              verdict.equals("Valid") ? "Current: " : "Failed: the test ran to its end; verdict ");
      assertThat(reason("planned")).isEqualTo("DryRun");
      assertThat(kstatus("benchmarkrun", "planned")).startsWith("Current: ");
      assertThat(reason("rejected")).isEqualTo("DryRun");
      assertThat(kstatus("benchmarkrun", "rejected"))
          .startsWith("Failed: ")
          .contains("the test would break ");
      assertThat(reason("lost")).isEqualTo("Failed");
      assertThat(kstatus("benchmarkrun", "lost")).startsWith("Failed: spec.backendRef.name: ");
      awaitKstatus("benchmarkrun", "suspended", "InProgress: spec.suspend is set");
      awaitKstatus("benchmarkrun", "waiting", "InProgress: spec.backendRef.name: ");
      awaitKstatus("inferencebackend", "server", "Current: ");
      awaitKstatus("inferencebackend", "idle", "Current: ");
      awaitKstatus("inferencebackend", "silent", "InProgress: 0 of 1 servers are healthy");
      awaitKstatus("inferencebackend", "failed", "Failed: 0 of 1 servers are healthy");
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  /** Flux needs to be told nothing about our kinds. */
  @Test
  void theKustomizationHasNoExpressions() throws IOException {
    JsonNode kustomization = YAML.readTree(MANIFESTS.resolve("flux-kustomization.yaml").toFile());

    assertThat(kustomization.at("/spec/wait").asBoolean()).isTrue();
    assertThat(kustomization.at("/spec/healthCheckExprs").isMissingNode()).isTrue();
  }

  private String reason(String run) {
    return Conditions.find(bench().get(run).getStatus().conditions(), "Finished")
        .orElseThrow()
        .getReason();
  }

  /**
   * Conditions about themselves.
   *
   * @param conditions as {@code type=status} or {@code type=status/reason}
   */
  private static List<Condition> conditions(String conditions) {
    List<Condition> made = new ArrayList<>();
    for (String condition : conditions.strip().split(" +", -1)) {
      String[] parts = condition.split("[=/]", -1);
      String reason = parts.length > 2 ? parts[2] : "Test";
      String message = "about " + parts[0];
      made.add(
          parts[1].equals("True")
              ? Conditions.yes(parts[0], reason, message)
              : Conditions.no(parts[0], reason, message));
    }
    return Conditions.merge(List.of(), made, 1L, Instant.now());
  }

  /** Writes a status as the operator does; the API server checks it. */
  private void write(String kind, String name, String fields, List<Condition> conditions)
      throws IOException, InterruptedException {
    cluster()
        .kubectl(
            "patch",
            "-n",
            bench().name(),
            kind,
            name,
            "--subresource=status",
            "--type=merge",
            "-p=status: {observedGeneration: 1, %s, conditions: %s}"
                .formatted(fields, Serialization.asJson(conditions)));
  }

  private String argoCd(String kind, String name) throws IOException, InterruptedException {
    Map<String, String> checks =
        Serialization.unmarshal(
                Files.readString(MANIFESTS.resolve("argocd-cm.yaml")), ConfigMap.class)
            .getData();
    Path check = Files.createTempFile(folder, name, ".lua");
    Files.writeString(check, checks.get("resource.customizations.health.loadgen.dev_" + kind));
    return health(json(kind, name), "argocd", check.toString());
  }

  private String kstatus(String kind, String name) throws IOException, InterruptedException {
    return health(json(kind, name), "kstatus");
  }

  private void awaitKstatus(String kind, String name, String start) {
    Awaitility.await(name)
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(kstatus(kind, name)).startsWith(start));
  }

  private String json(String kind, String name) throws IOException, InterruptedException {
    return cluster().kubectl("get", "-n", bench().name(), kind, name, "-o", "json");
  }

  private static String health(String object, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(health.toString()));
    command.addAll(List.of(arguments));
    Programs.Answer answer = Programs.run(command, Map.of(), object);
    assertThat(answer.exitCode()).as(answer.text()).isZero();
    return answer.text().strip();
  }
}
