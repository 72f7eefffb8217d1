package dev.loadgen.runner.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.runner.host.KernelFiles.CpuTime;
import dev.loadgen.runner.host.KernelFiles.PortRange;
import dev.loadgen.runner.host.KernelFiles.Throttling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelFilesTest {
  private final Path root;
  private final KernelFiles files;

  KernelFilesTest(@TempDir Path root) {
    this.root = root;
    this.files = new KernelFiles(root.resolve("proc"), root.resolve("cgroup"));
  }

  private void file(String path, String content) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  @Test
  void readsTheThrottlingOfVersion2() throws IOException {
    file("proc/self/cgroup", "0::/kubepods/pod1/abc\n");
    file(
        "cgroup/kubepods/pod1/abc/cpu.stat",
        """
        usage_usec 8000000
        nr_periods 200
        nr_throttled 30
        throttled_usec 1500000
        """);

    assertThat(files.throttling()).hasValue(new Throttling(200, 30, 1.5));
  }

  @Test
  void readsTheThrottlingOfAContainersOwnRoot() throws IOException {
    file("proc/self/cgroup", "0::/\n");
    file("cgroup/cpu.stat", "nr_periods 10\nnr_throttled 1\nthrottled_usec 20000\n");

    assertThat(files.throttling()).hasValue(new Throttling(10, 1, 0.02));
  }

  @Test
  void readsTheThrottlingOfVersion1() throws IOException {
    file("proc/self/cgroup", "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n0::/system.slice\n");
    file(
        "cgroup/cpu,cpuacct/docker/x/cpu.stat",
        "nr_periods 100\nnr_throttled 7\nthrottled_time 2500000000\n");

    assertThat(files.throttling()).hasValue(new Throttling(100, 7, 2.5));
  }

  @Test
  void aGroupWithoutALimitIsNotThrottled() throws IOException {
    file("proc/self/cgroup", "0::/\n");
    file("cgroup/cpu.stat", "usage_usec 8000000\nuser_usec 1\nsystem_usec 2\n");

    assertThat(files.throttling()).isEmpty();
  }

  @Test
  void readsStolenTime() throws IOException {
    file("proc/stat", "cpu  100 20 30 800 4 0 6 40 7 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n");

    // Guest time is in user time already.
    assertThat(files.cpuTime()).hasValue(new CpuTime(1000, 40));
  }

  @Test
  void readsTheRangeOfPorts() throws IOException {
    file("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");

    assertThat(files.localPorts()).hasValue(new PortRange(32768, 60999));
    assertThat(files.localPorts().orElseThrow().size()).isEqualTo(28232);
  }

  @Test
  void knowsNothingWhereThereIsNothing() throws IOException {
    assertThat(files.throttling()).isEmpty();
    assertThat(files.cpuTime()).isEmpty();
    assertThat(files.localPorts()).isEmpty();

    file("proc/stat", "cpu 1 2\n");
    file("proc/sys/net/ipv4/ip_local_port_range", "many\n");
    assertThat(files.cpuTime()).isEmpty();
    assertThat(files.localPorts()).isEmpty();
  }

  @Test
  void readsThisMachine() {
    assertThat(KernelFiles.here().cpuTime()).isPresent();
  }
}
