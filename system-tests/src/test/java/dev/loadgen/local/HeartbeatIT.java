package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that were healthy and stop answering, as a process does that is stopped by a signal. */
@Timeout(200)
@Order(4)
class HeartbeatIT {
  private static final AtomicInteger TESTS = new AtomicInteger();

  /** By which the servers of a test are told from those of others, which run beside it. */
  private final String mark = "--jitter=0.00" + TESTS.incrementAndGet();

  private TestSystem system;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    system = TestSystem.start(folder);
  }

  @AfterEach
  void stop() throws IOException, InterruptedException {
    signal("CONT");
    system.close();
  }

  @Test
  void aServerThatHangsIsACondition() throws Exception {
    watched("ours", TestSystem.simulator(mark), "");
    await("ours", status -> status.phase() == BackendPhase.Available);
    String address = system.find(Pod.class, "ours-0").getStatus().getPodIP();
    watched("theirs", "external: {urls: ['http://%s:8000']}".formatted(address), "");
    await("theirs", status -> status.phase() == BackendPhase.Available);

    signal("STOP");

    // The end of the log is asked for beside the passes, so it is told a pass later.
    Condition ours =
        available(
            await(
                "ours",
                status ->
                    isSilent(status) && available(status).getMessage().contains("its log ends:")));
    assertThat(ours.getMessage())
        .contains("ours-0 was healthy but has not answered /health", "its log ends:", "listening");
    Condition theirs = available(await("theirs", HeartbeatIT::isSilent));
    assertThat(theirs.getMessage()).contains("/health: no answer within", "heartbeat.timeout");

    signal("CONT");

    await("ours", status -> status.phase() == BackendPhase.Available);
    await("theirs", status -> status.phase() == BackendPhase.Available);
    assertThat(server().getRestartCount()).isZero();
  }

  @Test
  void aServerIsRestartedWhereThatIsAskedFor() throws Exception {
    watched("ours", TestSystem.simulator(mark), ", restart: true");
    await("ours", status -> status.phase() == BackendPhase.Available);

    signal("STOP");

    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> server().getRestartCount() == 1 && server().getReady());
  }

  private static boolean isSilent(InferenceBackendStatus status) {
    return status.phase() == BackendPhase.Starting
        && available(status).getReason().equals(Reasons.SERVER_NOT_ANSWERING);
  }

  private static Condition available(InferenceBackendStatus status) {
    return status.conditions().stream()
        .filter(condition -> condition.getType().equals(ConditionTypes.AVAILABLE))
        .findFirst()
        .orElseThrow();
  }

  /** Servers that may be silent for three seconds. */
  private void watched(String name, String servers, String more) {
    system.backendOf(name, "heartbeat: {interval: 1s, timeout: 3s%s}\n".formatted(more) + servers);
  }

  private InferenceBackendStatus await(String name, Predicate<InferenceBackendStatus> condition) {
    return Awaitility.await(name)
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> system.find(InferenceBackend.class, name).getStatus(),
            status -> status != null && condition.test(status));
  }

  private ContainerStatus server() {
    return system.find(Pod.class, "ours-0").getStatus().getContainerStatuses().getFirst();
  }

  /** To the servers' processes; those that this test has started, and no other. */
  private void signal(String name) throws IOException, InterruptedException {
    List<Long> servers =
        ProcessHandle.current()
            .descendants()
            .map(ProcessHandle::pid)
            .filter(this::isServer)
            .toList();
    for (long server : servers) {
      int unused = new ProcessBuilder("kill", "-" + name, String.valueOf(server)).start().waitFor();
    }
  }

  private boolean isServer(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/cmdline")).contains(mark);
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
