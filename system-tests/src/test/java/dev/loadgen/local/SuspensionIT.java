package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Suspending, resuming and running again: who holds the backend, and what is left of each start.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(200)
@Order(3)
class SuspensionIT {
  private static final String SUSPEND = "{\"spec\":{\"suspend\":true}}";
  private static final String RESUME = "{\"spec\":{\"suspend\":false}}";

  private TestSystem system;
  private Path folder;

  @BeforeAll
  void start(@TempDir Path temporary) throws IOException {
    folder = temporary;
    system = TestSystem.start(folder);
  }

  @AfterAll
  void stop() {
    system.close();
  }

  @Test
  void aRunThatMeasuresGivesItsBackendToTheNextAndThenStartsFromTheBeginning() throws IOException {
    system.backend("shared", "--ttft=200ms", "--max-num-seqs=2"); // 64 samples take about 6 s
    system.run("first", "shared", "");
    system.await("first", TestSystem::measures);
    system.run("second", "shared", "");

    system.patch("first", SUSPEND);

    BenchmarkRun suspended = system.await("first", SuspensionIT::isSuspended);
    assertThat(suspended.getStatus().phase()).isEqualTo(Phase.Suspended);
    assertThat(suspended.getStatus().observedGeneration())
        .isEqualTo(suspended.getMetadata().getGeneration());
    assertThat(system.find(Job.class, "first-runner")).isNull();
    BenchmarkRun second = system.awaitEnd("second");
    assertThat(second.getStatus().phase()).as("%s", second.getStatus()).isEqualTo(Phase.Completed);
    assertThat(isSuspended(system.get("first"))).isTrue();

    system.patch("first", RESUME);

    BenchmarkRun resumed = system.awaitEnd("first");
    assertThat(resumed.getStatus().phase())
        .as("%s", resumed.getStatus())
        .isEqualTo(Phase.Completed);
    assertThat(TestSystem.condition(resumed, ConditionTypes.SUSPENDED).getReason())
        .isEqualTo(Reasons.RESUMED);
    String uid = resumed.getMetadata().getUid();
    assertThat(resumed.getStatus().epoch()).isEqualTo(2);
    assertThat(resumed.getStatus().resultsPath()).isEqualTo("first/" + uid + "-2");
    assertThat(resumed.getStatus().result().completed()).isGreaterThanOrEqualTo(64);
    system.completeFolder(resumed);
    assertThat(
            Files.readString(folder.resolve("results/first").resolve(uid).resolve("summary.json")))
        .contains(Reasons.INTERRUPTED);
    system.awaitGivenBack("shared");
  }

  @Test
  void anEndedRunIsRunAgainBesideItsOldResults() throws IOException {
    system.backend("again");
    system.run("repeated", "again", "");
    BenchmarkRun once = system.awaitEnd("repeated");
    byte[] before = Files.readAllBytes(system.completeFolder(once).resolve("manifest.json"));

    system.patch(
        "repeated", "{\"metadata\":{\"annotations\":{\"loadgen.dev/rerun\":\"2026-11-22\"}}}");
    system.await("repeated", run -> run.getStatus().epoch() == 2);
    BenchmarkRun twice = system.awaitEnd("repeated");

    assertThat(twice.getStatus().phase()).as("%s", twice.getStatus()).isEqualTo(Phase.Completed);
    assertThat(twice.getStatus().epoch()).isEqualTo(2);
    assertThat(twice.getStatus().rerun()).isEqualTo("2026-11-22");
    assertThat(Instant.parse(twice.getStatus().startTime()))
        .isAfterOrEqualTo(Instant.parse(once.getStatus().completionTime()));
    assertThat(system.completeFolder(twice)).isNotEqualTo(system.completeFolder(once));
    assertThat(system.completeFolder(once).resolve("manifest.json")).hasBinaryContent(before);
    system.awaitGivenBack("again");
  }

  @Test
  void aRunThatIsMadeSuspendedHoldsNothingUntilItIsResumed() {
    system.backend("idle");
    system.run("held", "idle", "suspend: true");
    system.await("held", SuspensionIT::isSuspended);
    assertThat(system.find(Lease.class, "loadgen-idle")).isNull();

    system.patch("held", RESUME);

    BenchmarkRun end = system.awaitEnd("held");
    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Completed);
    assertThat(end.getStatus().epoch()).isEqualTo(1);
    assertThat(end.getStatus().resultsPath()).isEqualTo("held/" + end.getMetadata().getUid());
  }

  @Test
  void aRunThatWasKeptForItsTimeIsDeletedAndItsResultsAreNot() throws IOException {
    system.backend("brief");
    system.run("gone", "brief", "ttlAfterFinished: 3s");
    Path results = system.completeFolder(system.awaitEnd("gone"));

    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> {
              assertThat(system.get("gone")).isNull();
              assertThat(system.find(Job.class, "gone-runner")).isNull();
            });
    assertThat(results.resolve("manifest.json")).exists();
    assertThat(system.find(PersistentVolumeClaim.class, "gone-results")).isNotNull();
  }

  private static boolean isSuspended(BenchmarkRun run) {
    return run.getStatus().conditions().stream()
        .anyMatch(
            condition ->
                condition.getType().equals(ConditionTypes.SUSPENDED)
                    && condition.getStatus().equals("True"));
  }
}
