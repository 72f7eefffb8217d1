package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.ServerLogs.Source;
import dev.loadgen.operator.run.ServerPodLogs.Wanted;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerPodLogsTest {
  private static final Instant TAKEN = Instant.parse("2026-03-01T10:00:00Z");
  private static final String BEFORE = "2026-03-01T09:00:00Z";
  private static final String AFTER = "2026-03-01T10:30:00Z";

  @Test
  void aServerThatRunsHasOneLog() {
    assertThat(of("containerStatuses: [{name: server, restartCount: 0, state: {running: {}}}]"))
        .containsExactly(new Wanted(new Source("llama-0", "server", false), null));
  }

  @Test
  void aServerThatStartedBeforeTheRunHasABeginning() {
    assertThat(
            of(
                """
                containerStatuses:
                - {name: server, state: {running: {startedAt: "%1$s"}}}
                - {name: exporter, state: {running: {startedAt: "%1$s"}}}
                """
                    .formatted(BEFORE)))
        .extracting(wanted -> wanted.source().path())
        .containsExactly("llama-0/server/beginning", "llama-0/server", "llama-0/exporter");
    assertThat(
            of(
                "containerStatuses: [{name: server, state: {running: {startedAt: \"%s\"}}}]"
                    .formatted(AFTER)))
        .extracting(wanted -> wanted.source().path())
        .containsExactly("llama-0/server");
  }

  @Test
  void aServerThatCrashedInTheRunHasTwo() {
    assertThat(of(restarted(AFTER)))
        .containsExactly(
            new Wanted(new Source("llama-0", "server", false), null),
            new Wanted(new Source("llama-0", "server", true), null));
  }

  @Test
  void aCrashBeforeTheRunIsNotOfTheRun() {
    assertThat(of(restarted(BEFORE)))
        .containsExactly(new Wanted(new Source("llama-0", "server", false), null));
  }

  @Test
  void aServerInItsBackOffHasTheLogOfItsCrashOnce() {
    assertThat(
            of(
                """
                containerStatuses:
                - name: server
                  restartCount: 2
                  state: {waiting: {reason: CrashLoopBackOff}}
                  lastState: {terminated: {exitCode: 1, finishedAt: "%s"}}
                """
                    .formatted(AFTER)))
        .containsExactly(new Wanted(new Source("llama-0", "server", false), null));
  }

  @Test
  void aServerThatNeverStartedIsTold() {
    assertThat(
            of("containerStatuses: [{name: server, state: {waiting: {reason: ImagePullBackOff}}}]"))
        .containsExactly(
            new Wanted(
                new Source("llama-0", "server", false), "it has not started (ImagePullBackOff)"));
  }

  @Test
  void initContainersAndSidecarsCount() {
    assertThat(
            of(
                """
                initContainerStatuses:
                - {name: early, state: {terminated: {exitCode: 0, finishedAt: "%s"}}}
                - {name: download, state: {terminated: {exitCode: 0, finishedAt: "%s"}}}
                containerStatuses:
                - {name: server, state: {running: {}}}
                - {name: exporter, state: {running: {}}}
                """
                    .formatted(BEFORE, AFTER)))
        .extracting(wanted -> wanted.source().path())
        .containsExactly("llama-0/download", "llama-0/server", "llama-0/exporter");
  }

  @Test
  void aPodThatIsNewHasNone() {
    Pod pod =
        Serialization.unmarshal("kind: Pod\napiVersion: v1\nmetadata: {name: p}\n", Pod.class);

    assertThat(ServerPodLogs.of(pod, TAKEN)).isEmpty();
  }

  private static String restarted(String crash) {
    return """
        containerStatuses:
        - name: server
          restartCount: 1
          state: {running: {}}
          lastState: {terminated: {exitCode: 139, finishedAt: "%s"}}
        """
        .formatted(crash);
  }

  private static List<Wanted> of(String status) {
    Pod pod =
        Serialization.unmarshal(
            "kind: Pod\napiVersion: v1\nmetadata: {name: llama-0}\nstatus:\n" + status.indent(2),
            Pod.class);
    return ServerPodLogs.of(pod, TAKEN);
  }
}
