package dev.loadgen.local.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.local.faults.OperatorLife.Patience;
import dev.loadgen.local.faults.Trial.Course;
import dev.loadgen.local.faults.Trial.End;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The operator's process gets SIGKILL after each kind of write of a run, before it has the answer;
 * with {@code -Dloadgen.kills.before=true} also before each.
 */
@Order(1)
class SigkillIT {
  private static final int SIGKILLED = 128 + 9;
  private static final boolean BEFORE = Boolean.getBoolean("loadgen.kills.before");

  /** Of an object's status, which is written often, the first writes. */
  private static final int WRITES_OF_A_STATUS = 2;

  @Test
  void afterEachWriteOfARun(@TempDir Path folder) throws IOException, InterruptedException {
    try (ScriptedCluster cluster = ScriptedCluster.start(folder, Trial::work)) {
      End usual = usual(cluster);
      String namespace = Trial.namespace(Course.WHOLE, "sigkill");
      OperatorProgram program = OperatorProgram.learn(cluster, folder);
      try (Lives lives = new Lives(cluster, program, namespace)) {
        lives.begin();

        End end = new Trial(cluster, namespace, Course.WHOLE).go();

        System.out.printf("SIGKILL at %s%n", lives.ends);
        assertThat(end.isLike(usual)).as("%s", end.differenceFrom(usual)).isTrue();
        assertThat(lives.ends)
            .as("%s", lives.ends)
            .contains(
                "KILL_AFTER create inferencebackends",
                "KILL_AFTER create leases",
                "KILL_AFTER create jobs",
                "KILL_AFTER patch benchmarkruns/run/status",
                "KILL_AFTER delete leases/loadgen-run",
                "KILL_AFTER delete statefulsets/run");
      }
    }
  }

  private static End usual(ScriptedCluster cluster) throws InterruptedException {
    String namespace = Trial.namespace(Course.WHOLE, "without");
    try (OperatorLife _ =
        OperatorLife.start(cluster, Set.of(namespace), Patience.USUAL, call -> Fate.PASS)) {
      End usual = new Trial(cluster, namespace, Course.WHOLE).go();
      assertThat(usual.failures()).isEmpty();
      return usual;
    }
  }

  /** Processes of the operator, one after the other. */
  private static final class Lives implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final ScriptedCluster cluster;
    private final OperatorProgram program;
    private final String namespace;
    private final List<String> ends = new CopyOnWriteArrayList<>();

    // Guarded by this.
    private final Map<String, Integer> done = new HashMap<>();
    private final Set<String> begun = new HashSet<>();
    private @Nullable Process present;
    private boolean closed;

    Lives(ScriptedCluster cluster, OperatorProgram program, String namespace) {
      this.cluster = cluster;
      this.program = program;
      this.namespace = namespace;
    }

    synchronized void begin() {
      if (closed) {
        return;
      }
      String name = "process-" + NUMBER.incrementAndGet();
      Line line = new Line(this::fateOf, Duration.ofSeconds(10));
      cluster.lines().add(name, line);
      try {
        Process process = program.start(namespace, name);
        present = process;
        line.whenCut(() -> kill(process));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    private synchronized Fate fateOf(ApiCall call) {
      String write = call.toString();
      int times = done.getOrDefault(write, 0);
      if (closed
          || !call.isWrite()
          || call.what().equals("events")
          || times == (call.what().endsWith("/status") ? WRITES_OF_A_STATUS : 1)) {
        return Fate.PASS;
      }
      Fate fate = BEFORE && begun.add(write + times) ? Fate.KILL_BEFORE : Fate.KILL_AFTER;
      if (fate == Fate.KILL_AFTER) {
        done.put(write, times + 1);
      }
      ends.add(fate + " " + write);
      return fate;
    }

    private void kill(Process process) {
      try {
        int code = process.destroyForcibly().waitFor();
        assertThat(code).isEqualTo(SIGKILLED);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      begin();
    }

    @Override
    public void close() {
      Process last;
      synchronized (this) {
        closed = true;
        last = present;
      }
      if (last != null) {
        last.destroyForcibly().onExit().join();
      }
    }
  }
}
