package dev.loadgen.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.loadgen.local.EmbeddedCluster;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LocalKubeletTest {
  // The container's command is one shell script, which finds the args as $1 and so on.
  private static final ImageCatalog SHELL =
      (image, command, args) ->
          image.equals("shell")
              ? new ImageCatalog.Launch(List.of("/bin/sh", "-c", command.getFirst(), "sh"), args)
              : new ImageCatalog.Unavailable("no command for " + image + "; map one");
  private static final String HTTP_SERVER =
      "exec python3 -c 'import sys, http.server as h; "
          + "h.HTTPServer((sys.argv[1], 8123), h.SimpleHTTPRequestHandler).serve_forever()' $1";

  private Path folder;

  private EmbeddedCluster cluster;
  private LocalKubelet kubelet;

  @BeforeEach
  void start(@TempDir Path temporary) throws IOException {
    folder = temporary;
    cluster = EmbeddedCluster.start(Clock.systemUTC());
    kubelet = LocalKubelet.start(cluster.client(), settings(folder.resolve("state")));
  }

  private KubeletSettings settings(Path state) {
    return new KubeletSettings(
        "local",
        state,
        SHELL,
        (pod, volume) -> folder.resolve(volume.getPersistentVolumeClaim().getClaimName()),
        true,
        Duration.ofMillis(20),
        Duration.ofMillis(50),
        Clock.systemUTC());
  }

  @AfterEach
  void stop() {
    kubelet.close();
    cluster.close();
  }

  @Test
  void givesContainersTheirVariablesFilesAndAddress() {
    create(
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("settings")
            .endMetadata()
            .addToData("a.txt", "hello")
            .build());
    create(
        new SecretBuilder()
            .withNewMetadata()
            .withName("token")
            .endMetadata()
            .addToData("key", "c2VjcmV0")
            .build());
    PodBuilder pod =
        shell("p", "echo \"$(cat $1) $2 $3 $TOKEN $FILE $HOSTNAME\" > $4")
            .editSpec()
            .editFirstContainer()
            .withArgs("/etc/s/a.txt", "$(NAME)", "0.0.0.0", "/dev/termination-log")
            .withEnv(
                field("NAME", "metadata.name"),
                field("IP", "status.podIP"),
                new EnvVarBuilder()
                    .withName("TOKEN")
                    .withNewValueFrom()
                    .withNewSecretKeyRef("key", "token", false)
                    .endValueFrom()
                    .build(),
                new EnvVarBuilder().withName("FILE").withValue("$(IP)").build())
            .addNewVolumeMount()
            .withName("s")
            .withMountPath("/etc/s")
            .endVolumeMount()
            .endContainer()
            .addNewVolume()
            .withName("s")
            .withNewConfigMap()
            .withName("settings")
            .endConfigMap()
            .endVolume()
            .endSpec();

    create(pod.build());
    Pod over = awaitPod("p", LocalKubeletTest::isOver);

    String address = over.getStatus().getPodIP();
    assertThat(address).startsWith("127.77.");
    assertThat(terminated(over).getMessage())
        .isEqualTo("hello p " + address + " secret " + address + " p\n");
    assertThat(over.getStatus().getPhase()).isEqualTo("Succeeded");
  }

  @Test
  void mountsClaimsAsFoldersOfTheirVolume() throws IOException {
    Path shared = Files.createDirectories(folder.resolve("shared"));
    create(
        new PersistentVolumeBuilder()
            .withNewMetadata()
            .withName("pv")
            .endMetadata()
            .withNewSpec()
            .withNewHostPath(shared.toString(), "Directory")
            .withNewClaimRef()
            .withName("data")
            .withNamespace("default")
            .endClaimRef()
            .endSpec()
            .build());
    create(claim("data"));
    create(claim("free"));

    create(
        shell("p", "echo one > $1; echo two > $2; echo three > $3")
            .editSpec()
            .editFirstContainer()
            .withArgs("/data/file", "/free/file", "/own/file")
            .addNewEnv()
            .withName("POD")
            .withNewValueFrom()
            .withNewFieldRef(null, "metadata.name")
            .endValueFrom()
            .endEnv()
            .addNewVolumeMount()
            .withName("f")
            .withMountPath("/own")
            .withSubPathExpr("all/$(POD)")
            .endVolumeMount()
            .addNewVolumeMount()
            .withName("d")
            .withMountPath("/data")
            .endVolumeMount()
            .addNewVolumeMount()
            .withName("f")
            .withMountPath("/free")
            .endVolumeMount()
            .endContainer()
            .addNewVolume()
            .withName("d")
            .withNewPersistentVolumeClaim("data", false)
            .endVolume()
            .addNewVolume()
            .withName("f")
            .withNewPersistentVolumeClaim("free", false)
            .endVolume()
            .endSpec()
            .build());
    awaitPod("p", LocalKubeletTest::isOver);

    assertThat(shared.resolve("file")).hasContent("one\n");
    assertThat(folder.resolve("free/file")).hasContent("two\n");
    assertThat(folder.resolve("free/all/p/file")).hasContent("three\n");
  }

  @Test
  void isReadyOnceTheReadinessProbeSucceedsOnThePodsAddress() {
    Probe probe =
        new ProbeBuilder()
            .withNewHttpGet()
            .withPath("/")
            .withNewPort(8123)
            .endHttpGet()
            .withPeriodSeconds(1)
            .withFailureThreshold(30)
            .build();
    for (String name : List.of("one", "two")) { // both listen on one port
      create(
          shell(name, HTTP_SERVER)
              .editSpec()
              .editFirstContainer()
              .withArgs("0.0.0.0")
              .withStartupProbe(probe)
              .withReadinessProbe(probe)
              .endContainer()
              .endSpec()
              .build());
    }

    Pod one = awaitPod("one", LocalKubeletTest::isReady);
    Pod two = awaitPod("two", LocalKubeletTest::isReady);

    assertThat(one.getStatus().getPodIP()).isNotEqualTo(two.getStatus().getPodIP());
    assertThat(status(one).getStarted()).isTrue();
    assertThat(one.getStatus().getPhase()).isEqualTo("Running");
  }

  @Test
  void restartsAContainerThatFailsItsStartupProbe() {
    create(
        shell("p", "sleep 100")
            .editSpec()
            .withRestartPolicy("Always")
            .editFirstContainer()
            .withNewStartupProbe()
            .withNewHttpGet()
            .withPath("/")
            .withNewPort(8123)
            .endHttpGet()
            .withPeriodSeconds(1)
            .withFailureThreshold(1)
            .endStartupProbe()
            .endContainer()
            .endSpec()
            .build());

    Pod restarted = awaitPod("p", pod -> restarts(pod) >= 1);

    assertThat(isReady(restarted)).isFalse();
  }

  @Test
  void tellsTheTailOfTheLogWhenAContainerFailsWithoutAMessage() {
    create(
        shell("p", "echo first; echo the cause >&2; exit 7")
            .editSpec()
            .editFirstContainer()
            .withTerminationMessagePolicy("FallbackToLogsOnError")
            .endContainer()
            .endSpec()
            .build());

    Pod over = awaitPod("p", LocalKubeletTest::isOver);

    assertThat(over.getStatus().getPhase()).isEqualTo("Failed");
    assertThat(terminated(over).getExitCode()).isEqualTo(7);
    assertThat(terminated(over).getReason()).isEqualTo("Error");
    assertThat(terminated(over).getMessage()).isEqualTo("first\nthe cause");
  }

  @Test
  void cutsTheTerminationMessageAt4096Bytes() {
    create(
        shell("p", "head -c 5000 /dev/zero | tr '\\0' x > $1")
            .editSpec()
            .editFirstContainer()
            .withArgs("/tmp/message")
            .withTerminationMessagePath("/tmp/message")
            .endContainer()
            .endSpec()
            .build());

    Pod over = awaitPod("p", LocalKubeletTest::isOver);

    assertThat(terminated(over).getMessage()).hasSize(4096).matches("x+");
  }

  @Test
  void reportsASignalAs128PlusItsNumber() {
    create(shell("p", "kill -SEGV $$").build());

    Pod over = awaitPod("p", LocalKubeletTest::isOver);

    assertThat(terminated(over).getExitCode()).isEqualTo(139);
  }

  @Test
  void backsOffWhenAContainerFailsAgainAndAgain() {
    create(shell("p", "exit 3").editSpec().withRestartPolicy("Always").endSpec().build());

    Pod pod = awaitPod("p", seen -> restarts(seen) >= 3 && waiting(seen) != null);

    assertThat(waiting(pod)).isEqualTo("CrashLoopBackOff");
    assertThat(status(pod).getLastState().getTerminated().getExitCode()).isEqualTo(3);
    assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
  }

  @Test
  void saysWhatToDoAboutAnImageWithoutALocalCommand() {
    create(
        shell("p", "true")
            .editSpec()
            .editFirstContainer()
            .withImage("example.org/vllm:1")
            .endContainer()
            .endSpec()
            .build());

    Pod pod = awaitPod("p", seen -> "ErrImagePull".equals(waiting(seen)));

    assertThat(status(pod).getState().getWaiting().getMessage())
        .isEqualTo("no command for example.org/vllm:1; map one");
    assertThat(pod.getStatus().getPhase()).isEqualTo("Pending");
  }

  @Test
  void startsAPodWhenTheConfigMapItWaitsForComes() {
    create(
        shell("p", "true")
            .editSpec()
            .addNewVolume()
            .withName("s")
            .withNewConfigMap()
            .withName("late")
            .endConfigMap()
            .endVolume()
            .endSpec()
            .build());
    Pod waiting = awaitPod("p", seen -> "CreateContainerConfigError".equals(waiting(seen)));
    assertThat(status(waiting).getState().getWaiting().getMessage()).contains("\"late\" not found");

    create(new ConfigMapBuilder().withNewMetadata().withName("late").endMetadata().build());

    assertThat(awaitPod("p", LocalKubeletTest::isOver).getStatus().getPhase())
        .isEqualTo("Succeeded");
  }

  @Test
  void deletionEndsTheWholeProcessTreeWhateverItDoesAboutSignals() throws IOException {
    Path pids = folder.resolve("pids");
    // A grandchild in a session of its own that ignores SIGTERM, below a process that ignores it.
    create(
        shell(
                "p",
                "trap '' TERM; echo $$ >> $1; setsid sh -c 'trap \"\" TERM; echo $$ >> \"$0\";"
                    + " while :; do sleep 1; done' $1 & while :; do sleep 1; done")
            .editSpec()
            .withTerminationGracePeriodSeconds(1L)
            .editFirstContainer()
            .withArgs(pids.toString())
            .endContainer()
            .endSpec()
            .build());
    await().until(() -> Files.exists(pids) && Files.readAllLines(pids).size() == 2);

    client().pods().inNamespace("default").withName("p").delete();

    await().until(() -> client().pods().inNamespace("default").withName("p").get() == null);
    assertThat(Files.readAllLines(pids)).noneMatch(LocalKubeletTest::isAlive);
  }

  @Test
  void deletionGivesAContainerItsGracePeriod() throws IOException {
    Path file = folder.resolve("said");
    create(
        shell("p", "trap 'echo bye > $1; exit 0' TERM; echo hi > $1; while :; do sleep 0.05; done")
            .editSpec()
            .editFirstContainer()
            .withArgs(file.toString())
            .endContainer()
            .endSpec()
            .build());
    await().until(() -> Files.exists(file) && Files.readString(file).equals("hi\n"));

    client().pods().inNamespace("default").withName("p").delete();

    await().until(() -> client().pods().inNamespace("default").withName("p").get() == null);
    assertThat(file).hasContent("bye\n");
  }

  @Test
  void whatAContainerLeavesBehindEndsWithIt() throws IOException {
    Path pid = folder.resolve("pid");
    create(
        shell(
                "p",
                "setsid sh -c 'echo $$ > \"$0\"; sleep 300' $1 & while [ ! -s $1 ]; do sleep 0.02;"
                    + " done")
            .editSpec()
            .editFirstContainer()
            .withArgs(pid.toString())
            .endContainer()
            .endSpec()
            .build());

    awaitPod("p", LocalKubeletTest::isOver);

    assertThat(isAlive(Files.readString(pid).strip())).isFalse();
  }

  @Test
  void closingLeavesNoProcess() throws IOException {
    Path pid = folder.resolve("pid");
    create(
        shell("p", "echo $$ > $1; sleep 300")
            .editSpec()
            .withTerminationGracePeriodSeconds(1L)
            .editFirstContainer()
            .withArgs(pid.toString())
            .endContainer()
            .endSpec()
            .build());
    await().until(() -> Files.exists(pid) && Files.size(pid) > 0);

    kubelet.close();

    assertThat(isAlive(Files.readString(pid).strip())).isFalse();
  }

  @Test
  void twoKubeletsAtOnceUseDifferentAddresses() throws IOException {
    try (EmbeddedCluster other = EmbeddedCluster.start(Clock.systemUTC());
        LocalKubelet second =
            LocalKubelet.start(other.client(), settings(folder.resolve("second")))) {
      create(shell("p", "true").build());
      other.client().resource(shell("p", "true").build()).create();
      Pod mine = awaitPod("p", LocalKubeletTest::isOver);
      Pod others =
          await()
              .until(
                  () -> other.client().pods().inNamespace("default").withName("p").get(),
                  LocalKubeletTest::isOver);

      assertThat(second).isNotNull();
      assertThat(others.getStatus().getPodIP()).isNotEqualTo(mine.getStatus().getPodIP());
    }
  }

  @Test
  void tellsContainersTheAddressesOfPodsWithHostNames() {
    create(
        shell("server-0", "sleep 100")
            .editSpec()
            .withHostname("server-0")
            .withSubdomain("server")
            .withTerminationGracePeriodSeconds(1L)
            .editFirstContainer()
            .addNewPort()
            .withContainerPort(8000)
            .endPort()
            .endContainer()
            .endSpec()
            .build());
    String address =
        awaitPod("server-0", pod -> "Running".equals(pod.getStatus().getPhase()))
            .getStatus()
            .getPodIP();

    create(
        shell("p", "echo $LOADGEN_RESOLVE > $1")
            .editSpec()
            .editFirstContainer()
            .withArgs("/dev/termination-log")
            .endContainer()
            .endSpec()
            .build());

    assertThat(terminated(awaitPod("p", LocalKubeletTest::isOver)).getMessage().strip().split(","))
        .contains(
            "server-0.server:8000:" + address,
            "server-0.server.default.svc:8000:" + address,
            "server-0.server.default.svc.cluster.local:8000:" + address);
  }

  /**
   * A process that has ended and that init has not reaped yet is dead, whatever its handle says.
   */
  private static boolean isAlive(String pid) {
    try {
      String stat = Files.readString(Path.of("/proc", pid.strip(), "stat"));
      return "ZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static EnvVar field(String name, String path) {
    return new EnvVarBuilder()
        .withName(name)
        .withNewValueFrom()
        .withNewFieldRef()
        .withFieldPath(path)
        .endFieldRef()
        .endValueFrom()
        .build();
  }

  private static io.fabric8.kubernetes.api.model.PersistentVolumeClaim claim(String name) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withAccessModes("ReadWriteOnce")
        .endSpec()
        .build();
  }

  private static PodBuilder shell(String name, String script) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy("Never")
        .addNewContainer()
        .withName("main")
        .withImage("shell")
        .withCommand(script)
        .endContainer()
        .endSpec();
  }

  private void create(io.fabric8.kubernetes.api.model.HasMetadata object) {
    client().resource(object).create();
  }

  private Pod awaitPod(String name, Predicate<Pod> condition) {
    return await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> client().pods().inNamespace("default").withName(name).get(),
            pod -> pod != null && pod.getStatus() != null && condition.test(pod));
  }

  private static boolean isOver(Pod pod) {
    return List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase());
  }

  private static boolean isReady(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(
            condition ->
                condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }

  private static ContainerStatus status(Pod pod) {
    return pod.getStatus().getContainerStatuses().getFirst();
  }

  private static int restarts(Pod pod) {
    return pod.getStatus().getContainerStatuses().isEmpty() ? 0 : status(pod).getRestartCount();
  }

  private static @Nullable String waiting(Pod pod) {
    if (pod.getStatus().getContainerStatuses().isEmpty()) {
      return null;
    }
    ContainerState state = status(pod).getState();
    return state.getWaiting() == null ? null : state.getWaiting().getReason();
  }

  private static ContainerStateTerminated terminated(Pod pod) {
    return status(pod).getState().getTerminated();
  }

  private KubernetesClient client() {
    return cluster.client();
  }
}
