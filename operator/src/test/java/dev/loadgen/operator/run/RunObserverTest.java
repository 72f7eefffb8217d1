package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.Reasons;
import dev.loadgen.operator.Fixtures;
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
        RunObserver.touched(
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
      run.setStatus(RunStatusFactory.statusFor(run, null, decision, NOW));
    }
    return run;
  }
}
