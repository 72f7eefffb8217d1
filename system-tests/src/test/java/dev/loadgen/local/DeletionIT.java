package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Deleting a run at any point frees what it held. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(150)
class DeletionIT {
  private static final String LONG = "timeouts: {run: 100s}";

  private TestSystem system;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    system = TestSystem.start(folder);
  }

  @AfterAll
  void stop() {
    system.close();
  }

  @Test
  void whileTheRunWaitsForItsBackend() {
    system.backend("slow", "--startup-time=60s");
    system.run("waits", "slow", "");
    system.await("waits", run -> hasReason(run, Reasons.BACKEND_NOT_READY));

    system.delete("waits");

    awaitNothingOf("waits", "slow");
  }

  @Test
  void whileTheRunWaitsForAnotherOrMeasuresAndThenTheNextHasItsTurn() {
    system.backend("shared", "--ttft=200ms", "--max-num-seqs=2"); // 64 samples take about 6 s
    system.run("one", "shared", LONG);
    system.await("one", run -> run.getStatus().phase() == Phase.Running);
    system.run("two", "shared", "");
    Condition waiting =
        TestSystem.condition(
            system.await("two", run -> hasReason(run, Reasons.BACKEND_IN_USE)),
            ConditionTypes.BACKEND_READY);
    assertThat(waiting.getMessage()).contains("one");
    system.run("three", "shared", "");
    system.await("three", run -> run.getStatus().phase() == Phase.Pending);

    system.delete("two"); // while it waits
    await().until(() -> system.get("two") == null);
    system.await("one", TestSystem::measures);
    Instant deleted = Instant.now();
    system.delete("one"); // while it measures

    BenchmarkRun third = system.awaitEnd("three");
    assertThat(third.getStatus().phase()).as("%s", third.getStatus()).isEqualTo(Phase.Completed);
    assertThat(Instant.parse(third.getStatus().startTime()))
        .isAfterOrEqualTo(deleted.minusSeconds(1));
    awaitNothingOf("one", "shared");
    awaitNothingOf("two", "shared");
  }

  @Test
  void deletingABackendEndsItsServers() {
    system.backend("leaves");
    await().atMost(Duration.ofMinutes(1)).until(() -> system.find(Pod.class, "leaves-0") != null);

    system
        .client()
        .resources(InferenceBackend.class)
        .inNamespace("default")
        .withName("leaves")
        .delete();

    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                system.find(Pod.class, "leaves-0") == null
                    && system.find(StatefulSet.class, "leaves") == null);
  }

  private static boolean hasReason(BenchmarkRun run, String reason) {
    return run.getStatus().conditions().stream()
        .anyMatch(condition -> condition.getReason().equals(reason));
  }

  private void awaitNothingOf(String run, String backend) {
    await()
        .atMost(Duration.ofSeconds(40))
        .untilAsserted(
            () -> {
              assertThat(system.get(run)).isNull();
              assertThat(system.list(Job.class, "loadgen.dev/run=" + run)).isEmpty();
              assertThat(system.list(Pod.class, "loadgen.dev/run=" + run)).isEmpty();
              assertThat(system.find(ConfigMap.class, run + "-plan")).isNull();
            });
    system.awaitGivenBack(backend);
    assertThat(
            ProcessHandle.allProcesses()
                .filter(ProcessHandle::isAlive)
                .flatMap(process -> process.info().commandLine().stream())
                .filter(
                    line ->
                        line.contains("dev.loadgen.runner.Main") && line.contains("/" + run + "/")))
        .isEmpty();
  }
}
