package dev.loadgen.local.faults;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Labels;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.zjsonpatch.JsonDiff;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Runs of one namespace from apply to give-back, and on to their deletion, with an operator that
 * somebody else starts, and breaks.
 */
final class Trial {
  /** What a user does. */
  enum Course {
    /** One run that brings its servers. */
    WHOLE,
    /** The same, which is suspended as its runner measures, and resumed: it has two starts. */
    SUSPENDED,
    /** The same, which is deleted as its runner measures. */
    DELETED,
    /** Three runs, one after the other, on servers that one leaves to the next. */
    SHARED
  }

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LONG = Duration.ofMinutes(8);
  private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  /** How long a runner measures that shall be suspended or deleted. */
  private static final Duration ENDLESS = Duration.ofHours(1);

  private static final Duration TEST = Duration.ofMillis(150);

  /** Kinds of which nothing is left when all is given back. */
  private static final String[] HELD = {"Lease", "PodDisruptionBudget", "StatefulSet"};

  private static final String REFERENCES =
      """
      benchmark: llama3.1-8b
      scenario: Offline
      dataset: {configMapName: prompts, path: quickstart.json}
      load: {targetQps: 60, minDuration: 1s, minQueryCount: 64}
      sampling: {generationConfig: {name: sampling, key: generation_config.json}}
      """;

  private static final String SERVERS =
      """
      engine: vllm
      model: {name: tiny}
      access: {apiKeySecretRef: {name: key, key: token}}
      """;

  private final ScriptedCluster cluster;
  private final KubernetesClient client;
  private final String namespace;
  private final Course course;
  private final History history;

  Trial(ScriptedCluster cluster, String namespace, Course course) {
    this.cluster = cluster;
    this.client = cluster.client();
    this.namespace = namespace;
    this.course = course;
    this.history = cluster.history(namespace);
  }

  /**
   * How it ended.
   *
   * @param statuses of runs and backends, without times and what is of one object alone
   * @param objects kind and name of what there was when all was given back
   * @param made how many objects were made from first to last
   * @param failures reason of each run that has failed
   * @param events how often each was told, by reason
   * @param missingLogs logs of servers that no runner got, in words
   * @param took from apply to give-back
   */
  record End(
      Map<String, JsonNode> statuses,
      List<String> objects,
      Map<String, Integer> made,
      Map<String, String> failures,
      Map<String, Integer> events,
      List<String> missingLogs,
      Duration took) {
    /** Whether nothing of what counts is different. */
    boolean isLike(End other) {
      return statuses.equals(other.statuses)
          && objects.equals(other.objects)
          && made.equals(other.made);
    }

    /** What is different, in words. */
    String differenceFrom(End other) {
      return "another end than without, by "
          + JsonDiff.asJson(JSON.valueToTree(other.told()), JSON.valueToTree(told()));
    }

    private Map<String, Object> told() {
      return Map.of("statuses", statuses, "objects", objects, "made", made);
    }
  }

  /** How long the test of a runner takes, by what its namespace's course is. */
  static Duration work(Pod runner) {
    String course = runner.getMetadata().getNamespace().replaceAll("-.*", "");
    boolean endless =
        switch (Course.valueOf(course.toUpperCase(Locale.ROOT))) {
          case WHOLE, SHARED -> false;
          case SUSPENDED -> Epochs.of(runner) == 1;
          case DELETED -> true;
        };
    return endless ? ENDLESS : TEST;
  }

  /** A namespace for a course. */
  static String namespace(Course course, String suffix) {
    return course.name().toLowerCase(Locale.ROOT) + "-" + suffix;
  }

  /** From apply to deletion; what is wrong is thrown. */
  End go() throws InterruptedException {
    prepare();
    List<String> runs = course == Course.SHARED ? List.of("a", "b", "c") : List.of("run");
    Instant begin = Instant.now();
    apply(runs);
    if (course == Course.SUSPENDED) {
      suspend();
    } else if (course == Course.DELETED) {
      history.await("the runner measures", LONG, this::measures);
    }
    if (course != Course.DELETED) {
      history.await(
          "the end of " + runs, LONG, seen -> runs.stream().allMatch(run -> hasEnded(seen, run)));
      history.await("all given back", LONG, Trial::isGivenBack);
    }
    Duration took = Duration.between(begin, Instant.now());
    Map<String, JsonNode> statuses = new TreeMap<>();
    Map<String, String> failures = new TreeMap<>();
    List<String> objects;
    synchronized (history) {
      objects = history.objects();
      if (course != Course.DELETED) {
        runs.forEach(run -> tell(run, statuses, failures));
      } else {
        objects = List.of();
      }
    }
    history.beginDeletion();
    delete(runs);
    history.await("all gone but what is kept", LONG, this::isClean);
    List<String> missingLogs = cluster.node().logProblems(namespace);
    Map<String, Integer> made = history.made();
    if (course == Course.SHARED) {
      // Between two runs nobody has the servers: they may go and come back.
      made.keySet().removeIf(kind -> kind.endsWith(" of servers"));
    }
    End end = new End(statuses, objects, made, failures, events(), missingLogs, took);
    if (!history.wrongs().isEmpty()) {
      throw new AssertionError(history.wrongs());
    }
    tidy();
    return end;
  }

  private void prepare() {
    for (Map.Entry<String, String> map :
        Map.of("prompts", "quickstart.json", "sampling", "generation_config.json").entrySet()) {
      client
          .resource(
              new ConfigMapBuilder()
                  .withNewMetadata()
                  .withName(map.getKey())
                  .withNamespace(namespace)
                  .endMetadata()
                  .addToData(map.getValue(), "{}")
                  .build())
          .create();
    }
    client
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withName("key")
                .withNamespace(namespace)
                .endMetadata()
                .addToData("token", "c2VjcmV0")
                .build())
        .create();
  }

  private void apply(List<String> runs) {
    if (course == Course.SHARED) {
      create("InferenceBackend", "shared", SERVERS + "lifecycle: OnDemand\nidleTimeout: 0s\n");
    }
    for (String run : runs) {
      create(
          "BenchmarkRun",
          run,
          REFERENCES
              + (course == Course.SHARED
                  ? "backendRef: {name: shared}\n"
                  : "backend:\n" + SERVERS.indent(2)));
    }
  }

  private void create(String kind, String name, String spec) {
    client
        .resource(
            """
            apiVersion: loadgen.dev/v1alpha1
            kind: %s
            metadata: {name: %s, namespace: %s}
            spec:
            """
                    .formatted(kind, name, namespace)
                + spec.indent(2))
        .create();
  }

  private boolean measures(History seen) {
    return seen.find(BenchmarkRun.class, "run")
        .map(BenchmarkRun::getStatus)
        .filter(status -> status.phase() == Phase.Running && status.progress() != null)
        .isPresent();
  }

  private void suspend() throws InterruptedException {
    history.await("the runner measures", LONG, this::measures);
    patch("{\"spec\":{\"suspend\":true}}");
    history.await(
        "the run is suspended and holds nothing",
        LONG,
        seen ->
            seen.find(BenchmarkRun.class, "run")
                    .filter(run -> run.getStatus().phase() == Phase.Suspended)
                    .isPresent()
                && isGivenBack(seen));
    patch("{\"spec\":{\"suspend\":false}}");
  }

  private void patch(String json) {
    client
        .resources(BenchmarkRun.class)
        .inNamespace(namespace)
        .withName("run")
        .patch(PatchContext.of(PatchType.JSON_MERGE), json);
  }

  private static boolean hasEnded(History seen, String run) {
    return seen.find(BenchmarkRun.class, run)
        .map(BenchmarkRun::getStatus)
        .filter(status -> status.phase() == Phase.Completed || status.phase() == Phase.Failed)
        .isPresent();
  }

  private static boolean isGivenBack(History seen) {
    return seen.isWithout(HELD)
        && seen.haveEnded(Labels.RUNNER)
        && seen.haveEnded(Labels.SERVER)
        && List.of("run", "shared").stream()
            .allMatch(
                name ->
                    seen.find(InferenceBackend.class, name)
                        .map(InferenceBackend::getStatus)
                        .filter(status -> status.phase() != BackendPhase.Idle || isBehind(status))
                        .isEmpty());
  }

  /** Whether a pass has failed, and none that came after it was good. */
  private static boolean isBehind(InferenceBackendStatus status) {
    return Objects.requireNonNullElse(status.conditions(), List.<Condition>of()).stream()
        .anyMatch(c -> c.getType().equals(ConditionTypes.SYNCED) && "False".equals(c.getStatus()));
  }

  private void tell(String run, Map<String, JsonNode> statuses, Map<String, String> failures) {
    BenchmarkRun ended = history.find(BenchmarkRun.class, run).orElseThrow();
    statuses.put("BenchmarkRun/" + run, plain(ended.getStatus()));
    failure(ended.getStatus(), run, failures);
    String backend = course == Course.SHARED ? "shared" : run;
    history
        .find(InferenceBackend.class, backend)
        .ifPresent(it -> statuses.put("InferenceBackend/" + backend, plain(it.getStatus())));
  }

  private static void failure(BenchmarkRunStatus status, String run, Map<String, String> failures) {
    status.conditions().stream()
        .filter(c -> c.getType().equals(ConditionTypes.FAILED) && "True".equals(c.getStatus()))
        .map(Condition::getReason)
        .forEach(reason -> failures.put(run, reason));
  }

  /**
   * A status without what differs from run to run: times, UIDs, how far its test was seen, and
   * whether the operator has met a fault, which the next good pass takes back.
   */
  private JsonNode plain(Object status) {
    ObjectNode json = JSON.valueToTree(status);
    json.remove(List.of("progress", "queuedTime", "startTime", "completionTime", "idleSince"));
    Iterator<JsonNode> conditions = json.path("conditions").iterator();
    while (conditions.hasNext()) {
      ObjectNode condition = (ObjectNode) conditions.next();
      if (condition.path("type").asText().equals(ConditionTypes.SYNCED)) {
        conditions.remove();
      } else {
        condition.remove("lastTransitionTime");
      }
    }
    String text = UID.matcher(json.toString()).replaceAll("UID").replace(namespace, "NAMESPACE");
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private void delete(List<String> runs) {
    runs.forEach(
        run -> client.resources(BenchmarkRun.class).inNamespace(namespace).withName(run).delete());
    if (course == Course.SHARED) {
      client.resources(InferenceBackend.class).inNamespace(namespace).withName("shared").delete();
    }
  }

  private boolean isClean(History seen) {
    return seen.objects().stream()
        .allMatch(
            object ->
                object.matches("ConfigMap/(prompts|sampling)|Secret/key|PersistentVolumeClaim/.*"));
  }

  private Map<String, Integer> events() {
    Map<String, Integer> counts = new TreeMap<>();
    for (Event event : client.v1().events().inNamespace(namespace).list().getItems()) {
      counts.merge(
          event.getReason(), Objects.requireNonNullElse(event.getCount(), 1), Integer::sum);
    }
    return counts;
  }

  private void tidy() {
    client.v1().events().inNamespace(namespace).delete();
    client.configMaps().inNamespace(namespace).delete();
    client.secrets().inNamespace(namespace).delete();
    client.persistentVolumeClaims().inNamespace(namespace).delete();
    cluster.forget(namespace);
  }
}
