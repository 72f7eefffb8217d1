package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.Phase;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers on demand, from no pod to no pod. */
@Order(2)
class OnDemandIT {
  private TestSystem system;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    system = TestSystem.start(folder);
  }

  @AfterEach
  void stop() {
    system.close();
  }

  @Test
  void serversStartWithARunServeTheNextOneAndGo() {
    backend("5s");
    awaitBackend(status -> status.phase() == BackendPhase.Idle);
    assertThat(servers()).isZero();

    system.run("first", "shared", "");
    system.run("second", "shared", "");

    assertThat(system.awaitEnd("first").getStatus().phase()).isEqualTo(Phase.Completed);
    String server = serverUid();
    assertThat(system.awaitEnd("second").getStatus().phase()).isEqualTo(Phase.Completed);
    assertThat(serverUid()).isEqualTo(server);
    awaitBackend(status -> status.phase() == BackendPhase.Idle);
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> servers() == 0);

    system.run("third", "shared", "");

    assertThat(system.awaitEnd("third").getStatus().phase()).isEqualTo(Phase.Completed);
    assertThat(serverUid()).isNotEqualTo(server);
  }

  /** Whether the servers stay or new ones are started, no run measures servers that are going. */
  @Test
  void runsThatComeJustAsTheServersGoAreSound() throws InterruptedException {
    backend("1s");

    for (int i = 0; i < 10; i++) {
      String run = "run-" + i;
      system.run(run, "shared", "");
      BenchmarkRun ended = system.awaitEnd(run);
      assertThat(ended.getStatus().phase()).as("%s", ended.getStatus()).isEqualTo(Phase.Completed);
      assertThat(ended.getStatus().result().failed()).as("%s", ended.getStatus()).isZero();
      Thread.sleep(600 + 100 * i);
    }
  }

  @Test
  void aRunBringsItsServersAndLeavesNone() {
    system.runWithServers("shared");

    BenchmarkRun ended = system.awaitEnd("shared");

    assertThat(ended.getStatus().phase()).as("%s", ended.getStatus()).isEqualTo(Phase.Completed);
    assertThat(ended.getStatus().result().failed()).isZero();
    awaitBackend(status -> status.phase() == BackendPhase.Idle);
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> servers() == 0);

    system.delete("shared");

    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> system.list(InferenceBackend.class).isEmpty());
  }

  private void backend(String idleTimeout) {
    system.backendOf(
        "shared", TestSystem.simulator() + "lifecycle: OnDemand\nidleTimeout: " + idleTimeout);
  }

  private void awaitBackend(Predicate<InferenceBackendStatus> condition) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> system.find(InferenceBackend.class, "shared").getStatus(),
            status -> status != null && condition.test(status));
  }

  private int servers() {
    return system.list(Pod.class, "app.kubernetes.io/component=server").size();
  }

  private String serverUid() {
    return system.find(Pod.class, "shared-0").getMetadata().getUid();
  }
}
