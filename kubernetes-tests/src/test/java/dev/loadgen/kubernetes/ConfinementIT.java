package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
