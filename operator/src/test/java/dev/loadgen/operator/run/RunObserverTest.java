package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.Labels;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunObserverTest {
  private static final Instant NOW = Instant.parse("2026-08-01T12:00:00Z");

  @Test
  void aBackendConcernsTheNextInLineAndWhoeverWaitsForSomethingElseAndNobodyWhoHasEnded() {
    BenchmarkRun ended = run("a-ended", new RunDecision.Fail(Reasons.INTERRUPTED, "it is", null));
    BenchmarkRun lacking =
        run("z-lacking", new RunDecision.Unresolved(Reasons.BACKEND_NOT_FOUND, "none"));
    BenchmarkRun suspended = Fixtures.run("z-suspended", SUSPENDED);

    List<BenchmarkRun> touched =
        RunLine.touched(
            List.of(
                run("e", null),
                run("d", null),
                lacking,
                run("c", null),
                ended,
                run("b", null),
                suspended,
                run("a", null)));

    assertThat(touched)
        .extracting(run -> run.getMetadata().getName())
        .containsExactlyInAnyOrder("a", "b", "c", "z-lacking", "z-suspended");
  }

  /** Anybody who may make pods can give them our labels, and have them end as they like. */
  @Test
  void onlyAPodOfTheRunsOwnJobIsItsRunner() {
    Job job =
        new JobBuilder().withNewMetadata().withName("r-runner").withUid("j1").endMetadata().build();
    Pod forged = pod("forged", "2026-08-01T11:59:00Z", null);
    Pod adopted = pod("adopted", "2026-08-01T11:58:00Z", "j2");
    Pod ours = pod("ours", "2026-08-01T11:00:00Z", "j1");

    assertThat(RunObserver.latest(job, List.of(forged, ours, adopted)))
        .extracting(PodReport::name)
        .isEqualTo("ours");
    assertThat(RunObserver.latest(job, List.of(forged, adopted))).isNull();
    assertThat(RunObserver.latest(null, List.of(ours))).isNull();
  }

  private static Pod pod(String name, String created, @Nullable String jobUid) {
    PodBuilder pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withCreationTimestamp(created)
            .withLabels(Labels.ofEpoch("r", "uid-of-r", "llm", 1))
            .endMetadata();
    return jobUid == null
        ? pod.build()
        : pod.editMetadata()
            .addNewOwnerReference()
            .withKind("Job")
            .withName("r-runner")
            .withUid(jobUid)
            .withController(true)
            .endOwnerReference()
            .endMetadata()
            .build();
  }

  private static final String SUSPENDED =
      """
      benchmark: llama3.1-8b
      scenario: Offline
      backendRef: {name: llm}
      dataset: {url: "http://data.example/d.json"}
      suspend: true
      """;

  private static BenchmarkRun run(String name, @Nullable RunDecision decision) {
    BenchmarkRun run = Fixtures.run(name);
    if (decision != null) {
      run.setStatus(RunPasses.status(run, null, decision, NOW));
    }
    return run;
  }
}
