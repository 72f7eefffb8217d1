package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.api.v1alpha1.ApiAnswers;
import dev.loadgen.api.v1alpha1.ApiAnswers.Question;
import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.InferenceBackendStatusBuilder;
import dev.loadgen.kubernetes.Programs.Answer;
import dev.loadgen.reconcile.events.EventRecorder;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.pass.StatusWriter;
import dev.loadgen.reconcile.pass.StatusWriter.Outcome;
import dev.loadgen.reconcile.pass.StatusWriter.Outdated;
import dev.loadgen.reconcile.pass.StatusWriter.Stored;
import dev.loadgen.reconcile.pass.SyncedCondition;
import dev.loadgen.reconcile.status.Refusals;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a real API server makes of our custom resources, as people meet it: by kubectl. */
class CustomResourcesIT {
  private static final YAMLMapper YAML = new YAMLMapper();

  private static TestCluster cluster;
  private static String namespace;

  /** Of the objects of {@link ApiAnswers}. */
  private static String answers;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    cluster = TestCluster.shared();
    namespace = cluster.namespace(Map.of());
    answers = cluster.namespace(Map.of());
  }

  static Stream<Path> samples() throws IOException {
    try (Stream<Path> files = Files.list(Programs.REPOSITORY.resolve("manifests/samples"))) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  void everySampleIsAcceptedAndAppliedTwiceChangesNothing(Path sample)
      throws IOException, InterruptedException {
    String own = cluster.namespace(Map.of());
    String[] apply = {
      "apply", "--server-side", "--validate=strict", "-n", own, "-f", sample.toString()
    };
    cluster.kubectl(apply);
    lookAtEverything(own);
    Map<String, String> before = versions(own);
    assertThat(before).isNotEmpty();

    cluster.kubectl(apply);

    assertThat(versions(own)).isEqualTo(before);
    assertThat(
            cluster.tryKubectl(null, "diff", "--server-side", "-n", own, "-f", sample.toString()))
        .isEqualTo(new Answer(0, ""));
  }

  /** Writes statuses, as an operator does; without them the next write would keep the default. */
  private static void lookAtEverything(String namespace) throws IOException, InterruptedException {
    for (String object :
        cluster
            .kubectl("get", "-n", namespace, "benchmarkruns,inferencebackends", "-o", "name")
            .lines()
            .toList()) {
      cluster.kubectl(
          "patch",
          "-n",
          namespace,
          object,
          "--subresource=status",
          "--type=merge",
          "-p={\"status\":{\"observedGeneration\":1}}");
    }
  }

  private static Map<String, String> versions(String namespace)
      throws IOException, InterruptedException {
    JsonNode items =
        YAML.readTree(
                cluster.kubectl(
                    "get",
                    "-n",
                    namespace,
                    "-o",
                    "json",
                    "inferencebackends,benchmarkruns,configmaps,secrets"))
            .path("items");
    return items
        .valueStream()
        .collect(
            Collectors.toMap(
                item -> item.path("kind").asText() + "/" + item.at("/metadata/name").asText(),
                item -> item.at("/metadata/resourceVersion").asText()));
  }

  /** The embedded API server is asked the same by AnswersOfRulesTest of local. */
  static List<Question> questions() {
    return ApiAnswers.all();
  }

  @ParameterizedTest
  @MethodSource("questions")
  void aRuleRefusesWithTheFieldAndTheCure(Question question) throws Exception {
    assertThat(ApiAnswers.ask(cluster.client(), answers, question)).isEqualTo(question.answer());
  }

  private static String run(String more) {
    return run(more, "configMapName: data, path: a.json");
  }

  private static String run(String more, String dataset) {
    return object(
        "BenchmarkRun",
        "run",
        """
        benchmark: llama3.1-8b
        backendRef: {name: llama}
        dataset: {%s}
        %s
        """
            .formatted(dataset, more));
  }

  private static String backend(String more) {
    return backend(more, "name: llama");
  }

  private static String backend(String more, String model) {
    return object("InferenceBackend", "llama", "model: {%s}\n%s\n".formatted(model, more));
  }

  private static String object(String kind, String name, String spec) {
    return "apiVersion: loadgen.dev/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec:\n%s"
        .formatted(kind, name, spec.indent(2));
  }

  @Test
  void objectsAreSelectedByTheirFields() throws IOException, InterruptedException {
    String own = cluster.namespace(Map.of());
    for (String name : List.of("one", "two")) {
      String yaml = run("scenario: Offline").replace("name: run}", "name: " + name + "}");
      cluster.tryKubectl(
          yaml.replace("backendRef: {name: llama}", "backendRef: {name: of-" + name + "}"),
          "create",
          "-n",
          own,
          "-f-");
      cluster.tryKubectl(
          backend("engine: vllm", "name: org/" + name)
              .replace("name: llama}\nspec", "name: of-" + name + "}\nspec"),
          "create",
          "-n",
          own,
          "-f-");
    }
    status(own, "benchmarkrun/one", "{\"phase\":\"Completed\",\"verdict\":\"Valid\"}");
    status(own, "inferencebackend/of-one", "{\"phase\":\"Failed\"}");

    assertThat(selected(own, "br", "status.phase=Completed")).isEqualTo("one");
    assertThat(selected(own, "br", "status.phase!=Completed")).isEqualTo("two");
    assertThat(selected(own, "br", "status.verdict=Valid")).isEqualTo("one");
    assertThat(selected(own, "br", "spec.backendRef.name=of-two,status.verdict!=Valid"))
        .isEqualTo("two");
    assertThat(selected(own, "ib", "status.phase=Failed")).isEqualTo("of-one");
    assertThat(selected(own, "ib", "spec.model.name=org/two")).isEqualTo("of-two");
  }

  private static void status(String own, String object, String status)
      throws IOException, InterruptedException {
    cluster.kubectl(
        "patch",
        "-n",
        own,
        object,
        "--subresource=status",
        "--type=merge",
        "-p={\"status\":" + status + "}");
  }

  private static String selected(String own, String kind, String fields)
      throws IOException, InterruptedException {
    return cluster.kubectl(
        "get",
        "-n",
        own,
        kind,
        "--field-selector",
        fields,
        "-o",
        "jsonpath={.items[*].metadata.name}");
  }

  @Test
  void aMisspeltFieldIsNamed() throws IOException, InterruptedException {
    Answer answer = create(run("scenario: Offline\nload: {targetQPS: 5}"));

    assertThat(answer.exitCode()).isEqualTo(1);
    assertThat(answer.text()).contains("unknown field \"spec.load.targetQPS\"");
  }

  @Test
  void theSpecOfARunCannotChangeButItsLabelsCan() throws IOException, InterruptedException {
    String yaml = run("scenario: Offline").replace("name: run", "name: fixed");
    String[] apply = {"apply", "--server-side", "-n", namespace, "-f-"};
    assertThat(cluster.tryKubectl(yaml, apply).exitCode()).isZero();

    Answer changed = cluster.tryKubectl(yaml.replace("Offline", "Server"), apply);
    cluster.kubectl("label", "-n", namespace, "benchmarkrun", "fixed", "team=performance");

    assertThat(changed.exitCode()).isEqualTo(1);
    assertThat(changed.text())
        .contains(
            "spec cannot change but for suspend, dryRun,", "a result speaks of one spec; delete");
  }

  /** What an older version of the schema let pass must not keep an operator from its status. */
  @Test
  void aTimeoutThatNobodyCanReadIsInNobodysWay() throws IOException, InterruptedException {
    String yaml =
        run("scenario: Offline\ntimeouts: {run: 999999999999h}").replace("name: run", "name: odd");
    assertThat(create(yaml).exitCode()).isZero();

    assertThat(patch("odd", "{\"suspend\":true}").exitCode()).isZero();
    assertThat(
            cluster.tryKubectl(
                null,
                "patch",
                "-n",
                namespace,
                "benchmarkrun",
                "odd",
                "--subresource=status",
                "--type=merge",
                "-p={\"status\":{\"phase\":\"Failed\"}}"))
        .extracting(Answer::exitCode)
        .isEqualTo(0);
  }

  private static Answer patch(String run, String spec) throws IOException, InterruptedException {
    return cluster.tryKubectl(
        null,
        "patch",
        "-n",
        namespace,
        "benchmarkrun",
        run,
        "--type=merge",
        "-p={\"spec\":%s}".formatted(spec));
  }

  @Test
  void defaultsAreFilledIn() throws IOException, InterruptedException {
    assertThat(
            create(run("scenario: Offline\nclient: {}").replace("name: run", "name: defaults"))
                .exitCode())
        .isZero();
    assertThat(
            create(
                    backend("engine: vllm\ngpus: {count: 1}")
                        .replace("name: llama}\nspec", "name: defaults}\nspec"))
                .exitCode())
        .isZero();

    assertThat(value("benchmarkrun/defaults", "{.spec.mode} {.spec.ruleset}"))
        .isEqualTo("Performance none");
    assertThat(
            value("benchmarkrun/defaults", "{.spec.client.loadBalancing} {.spec.dataset.format}"))
        .isEqualTo("RoundRobin Auto");
    assertThat(value("inferencebackend/defaults", "{.spec.replicas}")).isEqualTo("1");
  }

  @Test
  void aPodTemplateIsKeptAsItIs() throws IOException, InterruptedException {
    String template =
        "{spec: {containers: [{name: server, env: [{name: A, $patch: delete}], tty: null}]}}";

    assertThat(
            create(
                    backend("engine: vllm\npodTemplate: " + template)
                        .replace("name: llama}\nspec", "name: template}\nspec"))
                .exitCode())
        .isZero();

    assertThat(YAML.readTree(value("inferencebackend/template", "{.spec.podTemplate}")))
        .isEqualTo(YAML.readTree(template));
  }

  @Test
  void theStatusIsWrittenByTheStatusSubresourceAlone() throws IOException, InterruptedException {
    assertThat(create(run("scenario: Offline").replace("name: run", "name: status")).exitCode())
        .isZero();
    String[] patch = {
      "patch",
      "-n",
      namespace,
      "benchmarkrun",
      "status",
      "--type=merge",
      "-p={\"status\":{\"phase\":\"Completed\",\"verdict\":\"Valid\"}}"
    };

    cluster.kubectl(patch);
    assertThat(value("benchmarkrun/status", "{.status}")).isEqualTo("{\"observedGeneration\":-1}");

    cluster.kubectl(
        Stream.concat(Stream.of(patch), Stream.of("--subresource=status")).toArray(String[]::new));
    assertThat(cluster.kubectl("get", "-n", namespace, "benchmarkrun", "status"))
        .containsPattern(
            "NAME +BENCHMARK +SCENARIO +BACKEND +PHASE +PROGRESS% +VERDICT +RESULT +UNIT +AGE")
        .containsPattern("status +llama3.1-8b +Offline +llama +Completed +Valid ");
  }

  /** Delete and apply in one go is what GitOps calls a replacement. */
  @Test
  void aStatusIsWrittenToTheVeryObjectThatWasSeenAndToNoOtherOfItsName()
      throws IOException, InterruptedException {
    InferenceBackend seen = fresh("replaced");
    Stored<InferenceBackendStatus> stored =
        (Stored<InferenceBackendStatus>) write(seen, status("first", 0));
    assertThat(stored.written()).isTrue();
    InferenceBackend written = backends().withName("replaced").get();
    assertThat(written.getStatus().activeRun()).isEqualTo("first");

    assertThat(write(seen, status("late", 0)))
        .as("an object that has changed since")
        .isInstanceOf(Outdated.class);

    cluster.kubectl("delete", "-n", namespace, "inferencebackend", "replaced");
    assertThat(write(written, status("late", 0)))
        .as("an object that is gone")
        .isInstanceOf(Outdated.class);
    fresh("replaced");
    assertThat(write(written, status("late", 0))).as("another object").isInstanceOf(Outdated.class);
    assertThat(value("inferencebackend/replaced", "{.status}"))
        .isEqualTo("{\"observedGeneration\":-1}");
  }

  @Test
  void ofAStatusThatIsRefusedTheRestIsWritten() throws IOException, InterruptedException {
    Outcome<InferenceBackendStatus> outcome =
        write(fresh("refused"), status("whole", -7), status("rest", 0));

    assertThat(outcome)
        .isInstanceOfSatisfying(
            Stored.class,
            stored -> assertThat(stored.refusal()).contains("status.readyReplicas", "-7"));
    assertThat(value("inferencebackend/refused", "{.status.activeRun}")).isEqualTo("rest");
  }

  /** As with custom resources that are older than the operator. */
  @Test
  void aFieldThatTheCustomResourceDoesNotHaveIsARefusal() throws IOException, InterruptedException {
    InferenceBackend seen = fresh("newer");
    GenericKubernetesResource newer = new GenericKubernetesResource();
    newer.setApiVersion(seen.getApiVersion());
    newer.setKind(seen.getKind());
    newer.setMetadata(new ObjectMetaBuilder().withName("newer").withNamespace(namespace).build());
    newer.setAdditionalProperty("status", Map.of("novelty", 1));

    assertThatThrownBy(
            () ->
                cluster
                    .client()
                    .genericKubernetesResources(
                        ResourceDefinitionContext.fromResourceType(InferenceBackend.class))
                    .inNamespace(namespace)
                    .resource(newer)
                    .subresource("status")
                    .patch(
                        new PatchContext.Builder()
                            .withPatchType(PatchType.SERVER_SIDE_APPLY)
                            .withFieldManager("test")
                            .build()))
        .isInstanceOfSatisfying(
            KubernetesClientException.class,
            refusal -> {
              System.out.println("an undeclared field: HTTP " + refusal.getCode());
              assertThat(Refusals.isOfContent(refusal)).as("%s", refusal).isTrue();
            });
  }

  @Test
  void aFaultIsToldBesideAllElseAndTakenBack() throws IOException, InterruptedException {
    InferenceBackend seen = fresh("faulty");
    try (OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC());
        EventRecorder events = new EventRecorder(cluster.client(), metrics, Clock.systemUTC())) {
      SyncedCondition<InferenceBackend> synced =
          new SyncedCondition<>(
              InferenceBackend.class, cluster.client(), events, metrics, Clock.systemUTC());

      synced.failed(seen, new IllegalStateException("on purpose"), 0, (before, stored) -> {});
      assertThat(synced("faulty")).contains("InternalError", "IllegalStateException: on purpose");
      seen = backends().withName("faulty").get();
      assertThat(seen.getStatus()).as("it has no phase").isNull();
      write(seen, status("running", 0));
      assertThat(synced("faulty")).isEmpty();

      seen = backends().withName("faulty").get();
      synced.failed(seen, new IllegalStateException("again"), 0, (before, stored) -> {});
      seen = backends().withName("faulty").get();
      assertThat(synced("faulty")).contains("IllegalStateException: again");
      assertThat(seen.getStatus().activeRun()).isEqualTo("running");
      synced.passed(seen, seen.getStatus().conditions(), Optional.empty(), (before, stored) -> {});
      assertThat(synced("faulty")).isEmpty();
      assertThat(value("inferencebackend/faulty", "{.status.activeRun}")).isEqualTo("running");
    }
  }

  private static String synced(String backend) throws IOException, InterruptedException {
    return value("inferencebackend/" + backend, "{.status.conditions[?(@.type=='Synced')]}");
  }

  private static InferenceBackend fresh(String name) throws IOException, InterruptedException {
    Answer answer =
        create(backend("engine: vllm").replace("name: llama}\nspec", "name: " + name + "}\nspec"));
    assertThat(answer.exitCode()).as(answer.text()).isZero();
    return backends().withName(name).get();
  }

  private static NonNamespaceOperation<InferenceBackend, ?, Resource<InferenceBackend>> backends() {
    return cluster.client().resources(InferenceBackend.class).inNamespace(namespace);
  }

  private static InferenceBackendStatus status(String mark, int ready) {
    return InferenceBackendStatusBuilder.builder()
        .observedGeneration(1L)
        .phase(BackendPhase.Starting)
        .readyReplicas(ready)
        .replicas(1)
        .activeRun(mark)
        .conditions(List.of())
        .build();
  }

  private static Outcome<InferenceBackendStatus> write(
      InferenceBackend seen, InferenceBackendStatus status, InferenceBackendStatus... instead) {
    try (OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC())) {
      return new StatusWriter<>(
              InferenceBackend.class,
              InferenceBackend::new,
              cluster.client(),
              metrics,
              Clock.systemUTC())
          .write(seen, status, words -> List.of(instead), (before, stored) -> {});
    }
  }

  @Test
  void kubectlExplainsEveryField() throws IOException, InterruptedException {
    assertThat(cluster.kubectl("explain", "benchmarkrun.spec.load.targetQps"))
        .contains("GROUP:      loadgen.dev")
        .contains("FIELD: targetQps")
        .contains("Queries a second");
    assertThat(cluster.kubectl("explain", "benchmarkrun")).contains("One test of MLPerf LoadGen");
    assertThat(cluster.kubectl("explain", "benchmarkrun.status.result.ttft.p99"))
        .contains("milliseconds");
  }

  @Test
  void bothKindsAreOfOneCategory() throws IOException, InterruptedException {
    assertThat(create(run("scenario: Offline").replace("name: run", "name: grouped")).exitCode())
        .isZero();

    assertThat(cluster.kubectl("get", "benchmarks", "-n", namespace, "-o", "name"))
        .contains("benchmarkrun.loadgen.dev/grouped");
  }

  /** What a user can store, and what an operator cannot read, do not meet. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "replicas: 2000000000",
        "engineConfig: {maxModelLen: 99999999999}",
        "resources: {cpu: ''}",
        "startupTimeout: 999999999999h999999999999h999999999999h999999999999h9h",
        "gpus: {count: 1025}",
        "env: [{name: A, valueFrom: {resourceFieldRef: {resource: cpu, divisor: many}}}]",
        "scheduling: {tolerations: [{tolerationSeconds: 1e30}]}",
        "env: [{name: A}, {name: A}]"
      })
  void theSchemaRefuses(String field) throws IOException, InterruptedException {
    Answer answer =
        create(
            backend("engine: vllm\n" + field)
                .replace("name: llama}\nspec", "name: refused}\nspec"));

    assertThat(answer.exitCode()).as(answer.text()).isEqualTo(1);
    assertThat(answer.text()).contains("spec." + field.replaceAll(":.*", ""));
  }

  private static Answer create(String yaml) throws IOException, InterruptedException {
    return cluster.tryKubectl(yaml, "create", "--validate=strict", "-n", namespace, "-f-");
  }

  private static String value(String object, String jsonPath)
      throws IOException, InterruptedException {
    return cluster.kubectl("get", "-n", namespace, object, "-o", "jsonpath=" + jsonPath);
  }
}
