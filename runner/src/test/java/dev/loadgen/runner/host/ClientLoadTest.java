package dev.loadgen.runner.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.results.ClientUsage;
import dev.loadgen.results.LaneLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientLoadTest {
  private final Path root;

  ClientLoadTest(@TempDir Path root) {
    this.root = root;
  }

  private void kernel(int throttled, int stolen) throws IOException {
    Files.createDirectories(root.resolve("proc/self"));
    Files.createDirectories(root.resolve("cgroup"));
    Files.writeString(root.resolve("proc/self/cgroup"), "0::/\n");
    Files.writeString(
        root.resolve("cgroup/cpu.stat"),
        "nr_periods %d\nnr_throttled %d\nthrottled_usec 1000000\n"
            .formatted(100 + 4 * throttled, throttled));
    Files.writeString(
        root.resolve("proc/stat"), "cpu 0 0 0 %d 0 0 0 %d 0 0\n".formatted(9 * stolen, stolen));
  }

  @Test
  void measuresFromItsBeginning() throws IOException {
    kernel(50, 1000);
    AtomicLong now = new AtomicLong(5_000_000_000L);
    try (ClientLoad load =
        new ClientLoad(
            now::get,
            new KernelFiles(root.resolve("proc"), root.resolve("cgroup")),
            List.of(new FakeLane("lane", true)))) {
      kernel(75, 1500);
      now.set(7_000_000_000L);

      ClientUsage usage = load.usage();

      assertThat(usage.seconds()).isEqualTo(2);
      assertThat(usage.throttledShare()).isEqualTo(0.25);
      assertThat(usage.throttledSeconds()).isZero();
      assertThat(usage.stealShare()).isEqualTo(0.1);
      assertThat(usage.lanes()).extracting(LaneLoad::name).containsExactly("lane");
      assertThat(usage.openFiles()).isPositive();
      assertThat(usage.openFilesLimit()).isGreaterThan(usage.openFiles());
    }
  }

  @Test
  void countsCollectionsThatStopAllThreads() {
    try (ClientLoad load = ClientLoad.begin(List.of())) {
      System.gc();

      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> load.usage().gcPauses() > 0 && load.usage().cpuSeconds() > 0);
      ClientUsage usage = load.usage();
      // Each is rounded on its own.
      assertThat(usage.gcLongestMillis()).isLessThanOrEqualTo(usage.gcMillis() + usage.gcPauses());
      assertThat(usage.gcShare()).isEqualTo(usage.gcMillis() / 1e3 / usage.seconds());
    }
  }

  @Test
  void leavesOutWhatTheMachineDoesNotTell() {
    try (ClientLoad load =
        new ClientLoad(
            System::nanoTime,
            new KernelFiles(root.resolve("none"), root.resolve("none")),
            List.of())) {
      assertThat(load.usage().throttledShare()).isNull();
      assertThat(load.usage().stealShare()).isNull();
    }
  }
}
