package dev.loadgen.desired;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Labels of the objects that the operator makes, and the selectors that find them. */
public final class Labels {
  /** What the object runs: {@link #RUNNER_NAME}, or the engine's name. */
  public static final String NAME = "app.kubernetes.io/name";

  /** Of Kueue, on what shall be queued: the name of the LocalQueue. */
  public static final String QUEUE = "kueue.x-k8s.io/queue-name";

  /** {@link #RUNNER}, {@link #SERVER} or {@link #READER}. */
  public static final String COMPONENT = "app.kubernetes.io/component";

  /** Always {@link #OPERATOR}. */
  public static final String MANAGED_BY = "app.kubernetes.io/managed-by";

  /** Name of the BenchmarkRun. */
  public static final String RUN = "loadgen.dev/run";

  /** UID of the BenchmarkRun: a name may be used again, a UID never. */
  public static final String RUN_UID = "loadgen.dev/run-uid";

  /** Which start of the run's test the object is of: {@link Epochs}. */
  public static final String EPOCH = "loadgen.dev/epoch";

  /** Name of the InferenceBackend. */
  public static final String BACKEND = "loadgen.dev/backend";

  /** Component of servers. */
  public static final String SERVER = "server";

  /** Component of runners. */
  public static final String RUNNER = "runner";

  /** Component of what looks for the result of a runner that has gone. */
  public static final String READER = "reader";

  /** Value of {@link #NAME} on runners. */
  public static final String RUNNER_NAME = "loadgen-runner";

  /** Value of {@link #MANAGED_BY}, and the field manager of server-side apply. */
  public static final String OPERATOR = "loadgen-operator";

  /** Selects everything that the operator makes. */
  public static final String MANAGED = MANAGED_BY + "=" + OPERATOR;

  private Labels() {}

  /** What a StatefulSet and a Service select the pods of a backend's servers by. */
  public static Map<String, String> serverSelector(String backend) {
    return sorted(Map.of(COMPONENT, SERVER, BACKEND, backend));
  }

  /** All labels of a backend's objects. */
  public static Map<String, String> ofServer(String engine, String backend) {
    return sorted(Map.of(NAME, engine, COMPONENT, SERVER, MANAGED_BY, OPERATOR, BACKEND, backend));
  }

  /** All labels of a backend's servers as a whole, which Kueue may queue. */
  static Map<String, String> ofServers(String engine, String backend, @Nullable String queue) {
    Map<String, String> labels = new TreeMap<>(ofServer(engine, backend));
    if (queue != null) {
      labels.put(QUEUE, queue);
    }
    return labels;
  }

  /** All labels of a run's objects, but for those that are of one start of its test. */
  public static Map<String, String> ofRun(String run, String uid, String backend) {
    return sorted(
        Map.of(
            NAME,
            RUNNER_NAME,
            COMPONENT,
            RUNNER,
            MANAGED_BY,
            OPERATOR,
            RUN,
            run,
            RUN_UID,
            uid,
            BACKEND,
            backend));
  }

  /** All labels of what is made for one start of a run's test. */
  public static Map<String, String> ofEpoch(String run, String uid, String backend, int epoch) {
    Map<String, String> labels = new TreeMap<>(ofRun(run, uid, backend));
    labels.put(EPOCH, String.valueOf(epoch));
    return labels;
  }

  /** All labels of what looks for a result: none of a backend, which it has nothing to do with. */
  static Map<String, String> ofReader(String run, String uid, int epoch) {
    return sorted(
        Map.of(
            NAME,
            RUNNER_NAME,
            COMPONENT,
            READER,
            MANAGED_BY,
            OPERATOR,
            RUN,
            run,
            RUN_UID,
            uid,
            EPOCH,
            String.valueOf(epoch)));
  }

  static Map<String, String> ofRunsBackend(String run, String uid) {
    return sorted(Map.of(MANAGED_BY, OPERATOR, RUN, run, RUN_UID, uid));
  }

  private static Map<String, String> sorted(Map<String, String> labels) {
    return new TreeMap<>(labels);
  }
}
