package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cluster of {@code hack/kubernetes} sends nothing out of the machine and leaves nothing on it.
 */
class ConfinementIT {
  private static final Set<String> PROGRAMS =
      Set.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");

  private static final Set<String> NODE_PROGRAMS =
      Set.of("containerd", "kubelet", "kube-proxy", "coredns", "gpu-plugin");

  @Test
  void itsProgramsHaveNoRouteAndEndWithItHoweverItEnds(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path state = folder.resolve("state");
    Process cluster = TestCluster.launch(TestCluster.programs(), state);
    try {
      List<ProcessHandle> programs = programsOf(state);
      assertThat(programs.stream().map(ConfinementIT::program).collect(Collectors.toSet()))
          .isEqualTo(PROGRAMS);
      for (ProcessHandle program : programs) {
        // As the kernel has them for the network namespace of that process, below a line of titles.
        assertThat(of(program, "net/dev").skip(2)).singleElement().asString().startsWith("lo:");
        assertThat(of(program, "net/route").skip(1)).isEmpty();
        assertThat(of(program, "net/ipv6_route")).allMatch(route -> route.endsWith(" lo"));
      }
    } finally {
      cluster.destroyForcibly().waitFor();
    }

    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> assertThat(programsOf(state)).isEmpty());
  }

  @Test
  void aNodeReachesItsOwnPodsAloneAndLeavesNothing(@TempDir Path folder)
      throws IOException, InterruptedException {
    List<String> settings = kernelSettings();
    Path state = folder.resolve("state");
    Process cluster = TestCluster.launchNode(state);
    String groups = "loadgen-cluster-" + cluster.pid();
    try {
      runPod(state);
      List<ProcessHandle> programs = programsOf(state);
      assertThat(programs.stream().map(ConfinementIT::program).collect(Collectors.toSet()))
          .containsAll(PROGRAMS)
          .containsAll(NODE_PROGRAMS);
      for (ProcessHandle program : programs) {
        assertThat(of(program, "net/dev").skip(2))
            .allMatch(device -> device.matches("(lo|loadgen0|veth[0-9a-f]+):.*"));
        // Destination, gateway and mask, little-endian: pods and Services, with nobody on the way.
        assertThat(of(program, "net/route").skip(1).map(ConfinementIT::route))
            .containsExactlyInAnyOrder(
                "loadgen0 0000630A 00000000 00FFFFFF", "loadgen0 0000620A 00000000 0000FFFF");
        assertThat(of(program, "net/ipv6_route"))
            .allMatch(
                route ->
                    route.endsWith(" lo") || route.startsWith("fe80") || route.startsWith("ff"));
      }
      assertThat(withGroup(groups)).as("processes of pods").isNotEmpty();
    } finally {
      cluster.destroyForcibly().waitFor();
    }

    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThat(programsOf(state)).isEmpty();
              assertThat(withGroup(groups)).isEmpty();
              assertThat(groupsNamed(groups)).isEmpty();
            });
    assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain(state.toString());
    assertThat(Path.of("/sys/class/net/loadgen0")).doesNotExist();
    assertThat(Path.of("/var/lib/kubelet")).doesNotExist();
    assertThat(kernelSettings()).isEqualTo(settings);
  }

  /** One that does nothing, and whose processes, network and control groups are there. */
  private static void runPod(Path state) throws IOException, InterruptedException {
    String kubectl = TestCluster.programs().resolve("kubectl").toString();
    String kubeconfig = "--kubeconfig=" + state.resolve("kubeconfig");
    String image = "--image=loadgen.dev/pause:1";
    for (List<String> command :
        List.of(
            List.of(kubectl, kubeconfig, "run", "idle", image),
            List.of(kubectl, kubeconfig, "wait", "--for=condition=Ready", "pod/idle"))) {
      Programs.Answer answer = Programs.run(command, Map.of(), "");
      assertThat(answer.exitCode()).as(answer.text()).isZero();
    }
  }

  /** Those that a kubelet changes where it may. */
  private static List<String> kernelSettings() throws IOException {
    List<String> values = new ArrayList<>();
    for (String setting :
        List.of(
            "vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops")) {
      values.add(Files.readString(Path.of("/proc/sys", setting)));
    }
    return values;
  }

  private static String route(String line) {
    String[] fields = line.split("\\s+", -1);
    return String.join(" ", fields[0], fields[1], fields[2], fields[7]);
  }

  private static List<ProcessHandle> withGroup(String name) {
    return ProcessHandle.allProcesses()
        .filter(
            process -> {
              try {
                Path file = Path.of("/proc", String.valueOf(process.pid()), "cgroup");
                return Files.readString(file).contains("/" + name + "/");
              } catch (IOException ended) {
                return false;
              }
            })
        .toList();
  }

  private static List<Path> groupsNamed(String name) throws IOException {
    try (Stream<Path> hierarchies = Files.list(Path.of("/sys/fs/cgroup"))) {
      return Stream.concat(Stream.of(Path.of("/sys/fs/cgroup")), hierarchies)
          .map(hierarchy -> hierarchy.resolve(name))
          .filter(Files::exists)
          .toList();
    }
  }

  /** Those that work in the cluster's folder; a process that has ended works nowhere. */
  private static List<ProcessHandle> programsOf(Path state) {
    return ProcessHandle.allProcesses()
        .filter(process -> workingFolder(process).startsWith(state))
        .toList();
  }

  private static Path workingFolder(ProcessHandle process) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", String.valueOf(process.pid()), "cwd"));
    } catch (IOException endedOrAnotherUsers) {
      return Path.of("/");
    }
  }

  private static String program(ProcessHandle process) {
    return of(process, "cmdline")
        .map(line -> line.split("\0", 2)[0])
        .map(path -> path.substring(path.lastIndexOf('/') + 1))
        .findFirst()
        .orElse("");
  }

  private static Stream<String> of(ProcessHandle process, String file) {
    try {
      return Files.readAllLines(Path.of("/proc", String.valueOf(process.pid()), file)).stream()
          .map(String::strip);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
