package dev.loadgen.reconcile.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.reconcile.status.PodReport.Problem;
import dev.loadgen.reconcile.status.PodReport.Trouble;
import java.time.Instant;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PodReportTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  static Stream<Arguments> troubles() {
    return Stream.of(
        Arguments.of(
            PodYaml.in("c", "{waiting: {reason: ErrImageNeverPull, message: no image}}"),
            new Problem(Trouble.IMAGE_HOPELESS, "ErrImageNeverPull: no image", 0)),
        Arguments.of(
            PodYaml.in("c", "{waiting: {reason: ImagePullBackOff}}"),
            new Problem(Trouble.IMAGE_UNAVAILABLE, "ImagePullBackOff", 0)),
        Arguments.of(
            PodYaml.in("c", "{waiting: {reason: CreateContainerConfigError, message: no secret}}"),
            new Problem(Trouble.CONTAINER_NOT_STARTED, "CreateContainerConfigError: no secret", 0)),
        Arguments.of(
            PodYaml.in("c", "{terminated: {exitCode: 2, message: 'bad flag'}}"),
            new Problem(Trouble.CRASHED, "exit code 2; its log ends: bad flag", 0)),
        Arguments.of(
            """
            containerStatuses:
            - name: c
              restartCount: 4
              state: {running: {}}
              lastState: {terminated: {exitCode: 137, reason: OOMKilled}}
            """,
            new Problem(Trouble.CRASHED, "exit code 137, out of memory", 4)),
        Arguments.of(
            """
            containerStatuses:
            - name: c
              restartCount: 4
              state: {waiting: {reason: CrashLoopBackOff}}
              lastState:
                terminated:
                  exitCode: 1
                  startedAt: "2026-11-21T08:00:00Z"
                  finishedAt: "2026-11-21T09:00:00Z"
            """,
            new Problem(Trouble.CRASHED, "exit code 1", 0)),
        Arguments.of(
            """
            conditions:
            - {type: PodScheduled, status: "False", reason: Unschedulable, message: 0/3 nodes}
            """,
            new Problem(Trouble.UNSCHEDULABLE, "0/3 nodes", 0)));
  }

  @ParameterizedTest
  @MethodSource("troubles")
  void aTroubleIsToldInWords(String status, Problem expected) {
    assertThat(PodYaml.pod("p", "c", status).trouble()).contains(expected);
  }

  @Test
  void aPodThatIsBeingMadeHasNoTrouble() {
    assertThat(
            PodYaml.pod("p", "c", PodYaml.in("c", "{waiting: {reason: ContainerCreating}}"))
                .trouble())
        .isEmpty();
    assertThat(PodYaml.pod("p", "other", PodYaml.in("c", "{terminated: {exitCode: 1}}")).trouble())
        .isEmpty();
  }

  @Test
  void aDeletedPodIsAliveUntilItEndsButNeverReady() {
    PodReport pod =
        PodYaml.pod("p", "c", "phase: Running\nconditions: [{type: Ready, status: \"True\"}]");
    assertThat(pod.ready()).isTrue();

    pod.pod().getMetadata().setDeletionTimestamp("2026-11-21T09:59:00Z");

    assertThat(pod.ready()).isFalse();
    assertThat(pod.alive()).isTrue();
    assertThat(PodYaml.pod("p", "c", "phase: Succeeded").alive()).isFalse();
  }

  /** A proxy beside the runner goes on when the runner has ended. */
  @Test
  void aContainerThatHasEndedIsNotAtWorkThoughItsPodLives() {
    PodReport pod =
        PodYaml.pod(
            "p",
            "c",
            """
            phase: Running
            containerStatuses:
            - {name: c, state: {terminated: {exitCode: 0, finishedAt: "2026-11-21T09:59:00Z"}}}
            - {name: istio-proxy, state: {running: {}}}
            """);

    assertThat(pod.alive()).isTrue();
    assertThat(pod.atWork(NOW)).isFalse();
    assertThat(pod.lost(NOW)).isEmpty();
    assertThat(pod.ended()).contains(Instant.parse("2026-11-21T09:59:00Z"));
  }

  @Test
  void aPodThatShouldHaveEndedIsLostAfterAWhile() {
    PodReport pod = PodYaml.pod("p", "c", "phase: Running");
    pod.pod().getMetadata().setDeletionTimestamp("2026-11-21T09:58:01Z");
    assertThat(pod.atWork(NOW)).isTrue();

    pod.pod().getMetadata().setDeletionTimestamp("2026-11-21T09:58:00Z");

    assertThat(pod.atWork(NOW)).isFalse();
    assertThat(pod.lost(NOW)).isPresent();
    assertThat(PodYaml.pod("p", "c", "phase: Failed").lost(NOW)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "True, False, true",
    "True, Unknown, true",
    "False, False, false",
    "True, True, false"
  })
  void aNodeIsSilentWhenKubernetesSaysWhatNoKubeletDoes(
      String containers, String ready, boolean silent) {
    PodReport pod =
        PodYaml.pod(
            "p",
            "c",
            """
            phase: Running
            conditions:
            - {type: ContainersReady, status: "%s"}
            - {type: Ready, status: "%s", lastTransitionTime: "2026-11-21T09:55:00Z"}
            containerStatuses: [{name: c, state: {running: {startedAt: "2026-11-21T09:50:00Z"}}}]
            """
                .formatted(containers, ready));

    assertThat(pod.nodeSilentSince().isPresent()).isEqualTo(silent);
    assertThat(pod.lost(NOW).isPresent()).isEqualTo(silent);
    assertThat(pod.lost(NOW.minusSeconds(1))).isEmpty();
    assertThat(pod.silentSince().isPresent()).isEqualTo(containers.equals("False"));
  }

  @Test
  void aPodIsUnreadySinceItWasReadyLastOrWasMade() {
    assertThat(PodYaml.pod("p", "c", "phase: Pending").unreadySince())
        .isEqualTo(Instant.parse("2026-11-21T09:50:00Z"));
    assertThat(
            PodYaml.pod(
                    "p",
                    "c",
                    "conditions: [{type: Ready, status: \"False\", lastTransitionTime: \"2026-11-21T09:55:00Z\"}]")
                .unreadySince())
        .isEqualTo(Instant.parse("2026-11-21T09:55:00Z"));
  }

  @ParameterizedTest
  @CsvSource({
    "139, , 'exit code 139, SIGSEGV: a crash of native code'",
    "134, Error, 'exit code 134, SIGABRT: a crash of native code'",
    "137, Error, 'exit code 137, SIGKILL'",
    "143, , 'exit code 143, SIGTERM'",
    "135, , 'exit code 135, signal 7'",
    "127, , 'exit code 127, the command cannot be run'",
    "3, , 'exit code 3'",
  })
  void exitCodesAreToldInWords(int code, @Nullable String reason, String words) {
    assertThat(ExitCodes.describe(code, reason)).isEqualTo(words);
  }
}
