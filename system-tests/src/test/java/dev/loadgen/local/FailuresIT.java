package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Projection;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What bad datasets and bad servers get, from apply to condition. All runs go at the same time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(200)
class FailuresIT {
  // Protocol 0: call os.system("true").
  private static final String HOSTILE_PICKLE = "cos\nsystem\n(S'true'\ntR.";

  private TestSystem system;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    system = TestSystem.start(folder);
    system.backend("sound");
    dataset("a-no-column", "data", "[{\"title\": \"a\"}, {\"title\": \"b\"}]");
    dataset("b-truncated", "data", TestSystem.quickstart().substring(0, 2_000));
    dataset("c-empty", "data", "");
    dataset(
        "d-hostile",
        "binaryData",
        Base64.getEncoder().encodeToString(HOSTILE_PICKLE.getBytes(StandardCharsets.US_ASCII)));
    system.run("e-sound", "sound", "");

    faulty("wrong-model", "");
    faulty("no-tokens", "");
    faulty("cut-stream", ",every=3,after=20");
    faulty("error-in-stream", ",every=3,after=20");
    faulty("hang", ",every=25,after=20");

    system.backend("lost", "--fail=status=503,at=60");
    system.apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: lost}
        spec:
          benchmark: llama3.1-8b
          scenario: Server
          backendRef: {name: lost}
          dataset: {configMapName: prompts, path: quickstart.json}
          load: {targetQps: 20, minDuration: 1s, minQueryCount: 3000, failFast: true}
        """);

    system.backendOf("nowhere", "external: {urls: [\"http://127.0.0.1:9\"]}");
    system.run("nowhere", "nowhere", "timeouts: {backendReady: 4s}");
    system.backendOf("squatted", "external: {urls: [\"http://127.0.0.1:9\"]}");
    system.apply(
        """
        apiVersion: coordination.k8s.io/v1
        kind: Lease
        metadata: {name: loadgen-squatted}
        spec: {holderIdentity: controller-7}
        """);
    system.run("squatted", "squatted", "timeouts: {backendReady: 4s}");
    system.backendOf("no-image", "image: example.org/unknown:1");
    system.run("no-image", "no-image", "");
  }

  private void dataset(String name, String field, String content) throws IOException {
    system.configMap(name, field, "file", content);
    system.run(name, "sound", "configMapName: " + name + ", path: file", "");
  }

  private void faulty(String fault, String condition) {
    system.backend(fault, "--fail=" + fault + condition);
    system.run(
        fault, fault, "client: {requestTimeout: 10s, maxConcurrency: 16}\ntimeouts: {run: 60s}");
  }

  @AfterAll
  void stop() {
    system.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a-no-column | DatasetInvalid   | title",
        "b-truncated | DatasetInvalid   | file",
        "c-empty     | DatasetInvalid   | empty",
        "d-hostile   | DatasetInvalid   | os",
        "wrong-model | ModelNotServed   | another-model",
        "no-tokens   | PreflightFailed  | token"
      })
  void failsWithAReasonAndAMessageThatNamesTheThing(String run, String reason, String word)
      throws IOException {
    BenchmarkRun end = system.awaitEnd(run);

    Condition failed = TestSystem.condition(end, ConditionTypes.FAILED);
    assertThat(failed.getStatus()).isEqualTo("True");
    assertThat(failed.getReason()).isEqualTo(reason);
    assertThat(failed.getMessage()).contains(word);
    assertThat(end.getStatus().phase()).isEqualTo(Phase.Failed);
    assertThat(end.getStatus().verdict()).isNull();
    system.completeFolder(end);
    if (!end.getSpec().backendRef().name().equals("sound")) {
      system.awaitGivenBack(run);
    }
  }

  /** Of a schedule of 150 s, which LoadGen cannot be stopped in. */
  @Test
  void aTestThatIsLostGivesItsServersBackAtOnce() throws IOException {
    BenchmarkRun end = system.awaitEnd("lost");

    Condition failed = TestSystem.condition(end, ConditionTypes.FAILED);
    assertThat(failed.getReason()).isEqualTo(Reasons.CANNOT_BE_VALID);
    assertThat(failed.getMessage()).contains("samples failed, 0 may, for example: ", "503");
    assertThat(end.getStatus().verdict()).isNull();
    assertThat(end.getStatus().progress().projection()).isEqualTo(Projection.Lost);
    assertThat(end.getStatus().progress().issued()).isLessThan(2000);
    system.completeFolder(end);
    system.awaitGivenBack("lost");
  }

  @Test
  void namesTheModelsThatAServerHasInsteadOfTheOneAskedFor() throws IOException {
    String address =
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .until(
                () -> system.find(Pod.class, "sound-0").getStatus().getPodIP(), ip -> ip != null);
    system.apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: other-model}
        spec:
          engine: vllm
          model: {name: absent}
          external: {urls: ["http://%s:8000"]}
        """
            .formatted(address));
    system.run("other-model", "other-model", "");

    BenchmarkRun end = system.awaitEnd("other-model");

    Condition failed = TestSystem.condition(end, ConditionTypes.FAILED);
    assertThat(failed.getReason()).isEqualTo(Reasons.MODEL_NOT_SERVED);
    assertThat(failed.getMessage()).contains("absent", "tiny");
    system.completeFolder(end);
    system.awaitGivenBack("other-model");
  }

  @ParameterizedTest
  @CsvSource({"cut-stream", "error-in-stream", "hang"})
  void countsBrokenAnswersAsFailedAndIsInvalid(String run) throws IOException {
    BenchmarkRun end = system.awaitEnd(run);

    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Completed);
    assertThat(end.getStatus().verdict()).isEqualTo(Verdict.Invalid);
    assertThat(end.getStatus().result().failed()).isPositive();
    assertThat(end.getStatus().result().completed()).isPositive();
    assertThat(
            end.getStatus().verdictReasons().stream()
                .map(VerdictReason::message)
                .collect(Collectors.joining("\n")))
        .contains("failed");
    system.completeFolder(end);
    system.awaitGivenBack(run);
  }

  @Test
  void givesUpOnAServerThatDoesNotAnswer() {
    BenchmarkRun end = system.awaitEnd("nowhere");

    Condition failed = TestSystem.condition(end, ConditionTypes.FAILED);
    assertThat(failed.getReason()).isEqualTo(Reasons.BACKEND_TIMEOUT);
    assertThat(failed.getMessage()).contains("nowhere");
    system.awaitGivenBack("nowhere");
  }

  @Test
  void leavesALeaseOfSomebodyElseAlone() {
    BenchmarkRun end = system.awaitEnd("squatted");

    Condition failed = TestSystem.condition(end, ConditionTypes.FAILED);
    assertThat(failed.getReason()).isEqualTo(Reasons.LEASE_NAME_TAKEN);
    assertThat(failed.getMessage()).contains("loadgen-squatted", "controller-7");
    assertThat(system.find(Lease.class, "loadgen-squatted").getSpec().getHolderIdentity())
        .isEqualTo("controller-7");
  }

  @Test
  void saysSoonThatAnImageHasNoLocalCommand() {
    BenchmarkRun end = system.awaitEnd("no-image");

    assertThat(TestSystem.condition(end, ConditionTypes.FAILED).getMessage())
        .contains("--image example.org/unknown=COMMAND");
    system.awaitGivenBack("no-image");
  }

  @Test
  void theNextRunHasItsTurnAfterThoseThatFailed() throws IOException {
    BenchmarkRun end = system.awaitEnd("e-sound");

    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Completed);
    assertThat(end.getStatus().result().failed()).isZero();
    system.completeFolder(end);
    system.awaitGivenBack("sound");
  }
}
