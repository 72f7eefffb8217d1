package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.api.v1alpha1.RandomObjects;
import dev.loadgen.contract.Reasons;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Objects that nobody means, on a real API server: refused, or told of; and a run beside them. */
class HostileObjectsIT extends LocalNodeTest {
  private static final long SEED = 20_261_123;
  private static final int OBJECTS = 500;

  /** From the moment that the last was made. */
  private static final Duration STATUS = Duration.ofSeconds(10);

  @Test
  void eachIsRefusedOrToldOfWhileAHealthyRunReachesItsVerdict()
      throws IOException, InterruptedException {
    System.out.println("seed " + SEED);
    Random random = new Random(SEED);
    RandomObjects runs = RandomObjects.runs(random);
    RandomObjects backends = RandomObjects.backends(random);
    String priority = "meant-" + bench().name();
    try (OperatorProcess operator = bench().operator()) {
      holdPodsOfOthersBack(priority);
      String meant = "scheduling: {priorityClassName: " + priority + "}\n";
      bench().apply(BenchmarkNamespace.backend("server", BenchmarkNamespace.simulator() + meant));
      List<String> refusals = new ArrayList<>();
      List<String> accepted = new ArrayList<>();
      for (int i = 0; i < OBJECTS; i++) {
        RandomObjects kind = i % 2 == 0 ? runs : backends;
        String name = (i % 2 == 0 ? "r-" : "b-") + i;
        ObjectNode object = kind.next(name, i % 10 == 0);
        try {
          bench()
              .client()
              .resource(Serialization.unmarshal(object.toString(), GenericKubernetesResource.class))
              .inNamespace(bench().name())
              .create();
          accepted.add(name);
        } catch (KubernetesClientException e) {
          assertThat(e.getCode()).as("%s of seed %d: %s", object, SEED, e).isIn(400, 422);
          refusals.add(name);
        }
        if (i == OBJECTS / 2) {
          bench().run("healthy", "runner:\n" + meant.indent(2));
        }
      }
      // What nothing in a schema can bound: depth and names below a pod template.
      create("deep", "{\"a\":".repeat(5_000) + "1" + "}".repeat(5_000));
      create("long", "{\"" + "k".repeat(100_000) + "\":1}");
      System.out.println(accepted.size() + " accepted, " + refusals.size() + " refused");
      assertThat(accepted).hasSizeGreaterThan(OBJECTS / 5);
      assertThat(refusals).hasSizeGreaterThan(OBJECTS / 20);

      Awaitility.await("a status of each")
          .atMost(STATUS)
          .untilAsserted(() -> assertThat(silent()).isEmpty());
      BenchmarkRun healthy = bench().awaitEnd("healthy");
      assertThat(healthy.getStatus().phase())
          .as("%s", healthy.getStatus())
          .isEqualTo(Phase.Completed);
      assertThat(operator.log()).doesNotContain("Fatal error in informer");
    } finally {
      cluster().kubectl("delete", "priorityclass", priority, "--ignore-not-found");
      // Their servers would keep the node's GPUs from the tests that follow.
      for (String plural : List.of("benchmarkruns", "inferencebackends")) {
        cluster()
            .kubectl(
                "delete",
                "--raw",
                "/apis/loadgen.dev/v1alpha1/namespaces/" + bench().name() + "/" + plural);
      }
    }
  }

  /**
   * A thousand replicas that somebody asks for would fill the node, which other tests have, too.
   */
  private void holdPodsOfOthersBack(String priority) throws IOException, InterruptedException {
    bench()
        .apply(
            """
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: %s}
            value: 0
            ---
            apiVersion: v1
            kind: ResourceQuota
            metadata: {name: others}
            spec:
              hard: {pods: 10}
              scopeSelector:
                matchExpressions: [{scopeName: PriorityClass, operator: DoesNotExist}]
            """
                .formatted(priority));
    cluster()
        .kubectl(
            "wait",
            "-n",
            bench().name(),
            "resourcequota/others",
            "--for=jsonpath={.status.hard.pods}=10",
            "--timeout=60s");
  }

  /**
   * By the operator's own rules, and by the API server's on trial: the servers, which a run starts
   * by taking its backend, are not made for either.
   */
  @Test
  void aRunnerTemplateThatCannotBeHadStartsNoServers() throws IOException, InterruptedException {
    try (OperatorProcess operator = bench().operator()) {
      bench()
          .apply(
              BenchmarkNamespace.backend(
                  "server", BenchmarkNamespace.simulator() + "lifecycle: OnDemand"));
      bench().run("greedy", "runner: {podTemplate: {spec: {hostPID: true}}}");
      bench().run("wrong", "runner: {podTemplate: {metadata: {labels: {team: 'a b'}}}}");
      bench()
          .run(
              "right",
              """
              runner:
                podTemplate:
                  metadata: {labels: {team: llm}}
                  spec:
                    containers:
                    - {name: runner, env: [{name: JAVA_TOOL_OPTIONS, value: -Dteam=llm}]}
              """);

      BenchmarkRun greedy = bench().awaitEnd("greedy");
      BenchmarkRun wrong = bench().awaitEnd("wrong");
      BenchmarkRun right = bench().awaitEnd("right");

      assertThat(failure(greedy))
          .startsWith("InvalidSpec: spec.runner.podTemplate.spec.hostPID: is more than");
      assertThat(failure(wrong))
          .startsWith("InvalidSpec: spec.runner.podTemplate: Kubernetes refuses the runner's Job")
          .contains("a b");
      for (BenchmarkRun refused : List.of(greedy, wrong)) {
        assertThat(
                Conditions.find(refused.getStatus().conditions(), ConditionTypes.BACKEND_READY)
                    .orElseThrow()
                    .getReason())
            .isEqualTo(Reasons.RELEASED);
        assertThat(refused.getStatus().startTime()).isNull();
      }
      assertThat(right.getStatus().phase()).as("%s", right.getStatus()).isEqualTo(Phase.Completed);
      assertThat(
              bench()
                  .client()
                  .pods()
                  .inNamespace(bench().name())
                  .withLabel("team", "llm")
                  .list()
                  .getItems())
          .singleElement()
          .satisfies(
              pod ->
                  assertThat(pod.getMetadata().getLabels())
                      .containsEntry("loadgen.dev/run", "right"));
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  private static String failure(BenchmarkRun run) {
    return Conditions.find(run.getStatus().conditions(), ConditionTypes.FAILED)
        .map(failed -> failed.getReason() + ": " + failed.getMessage())
        .orElseThrow();
  }

  private void create(String name, String podTemplate) throws IOException, InterruptedException {
    Programs.Answer answer =
        cluster()
            .tryKubectl(
                """
                {"apiVersion": "loadgen.dev/v1alpha1", "kind": "InferenceBackend",
                 "metadata": {"name": "%s"},
                 "spec": {"engine": "vllm", "model": {"name": "m"}, "podTemplate": %s}}
                """
                    .formatted(name, podTemplate),
                "create",
                "--validate=false",
                "-n",
                bench().name(),
                "-f-");
    assertThat(answer.exitCode()).as(answer.text()).isZero();
  }

  /** Objects that have no status, or one without a condition. */
  private List<String> silent() {
    List<String> silent = new ArrayList<>();
    for (Class<? extends HasMetadata> kind : Set.of(BenchmarkRun.class, InferenceBackend.class)) {
      for (HasMetadata object :
          bench().client().resources(kind).inNamespace(bench().name()).list().getItems()) {
        boolean told =
            switch (object) {
              case BenchmarkRun run ->
                  run.getStatus() != null && run.getStatus().conditions() != null;
              case InferenceBackend backend ->
                  backend.getStatus() != null && backend.getStatus().conditions() != null;
              default -> false;
            };
        if (!told) {
          silent.add(object.getKind() + " " + object.getMetadata().getName());
        }
      }
    }
    return silent;
  }
}
