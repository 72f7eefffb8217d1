package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Lifecycle;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A run that brings its backend with it. */
class OwnBackendTest {
  private final BenchmarkRun run = run("{engine: vllm, model: {name: m}, replicas: 2}");

  @Test
  void itIsMadeOnDemandAndGoesWithTheRun() {
    InferenceBackend own = RunBackends.own(run);

    assertThat(RunSpecProblems.of(run)).isEmpty();
    assertThat(own.getMetadata().getName()).isEqualTo("mine");
    assertThat(own.getMetadata().getNamespace()).isEqualTo("bench");
    assertThat(own.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(owner -> assertThat(owner.getUid()).isEqualTo("uid-of-mine"));
    assertThat(own.getSpec().lifecycle()).isEqualTo(Lifecycle.OnDemand);
    assertThat(own.getSpec().idleTimeout()).isEqualTo("0s");
    assertThat(own.getSpec().replicas()).isEqualTo(2);
    assertThat(decide(null)).isInstanceOf(RunDecision.MakeBackend.class);
    assertThat(decide(own)).isInstanceOf(RunDecision.TakeBackend.class);
  }

  @Test
  void nothingIsMadeForARunThatLacksSomething() {
    assertThat(decide(null, new MissingPrerequisite(Reasons.DATASET_NOT_FOUND, "no dataset")))
        .isEqualTo(new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "no dataset"));
  }

  @Test
  void somebodyElsesBackendOfTheNameIsLeftAlone() {
    InferenceBackend other = RunBackends.own(run);
    other.getMetadata().setOwnerReferences(List.of());

    assertThat(decide(other))
        .isInstanceOfSatisfying(
            RunDecision.Unresolved.class,
            waits -> {
              assertThat(waits.reason()).isEqualTo(Reasons.BACKEND_NAME_TAKEN);
              assertThat(waits.message()).contains("InferenceBackend mine", "rename the run");
            });
  }

  @Test
  void serversOfOthersAreJustNamed() {
    BenchmarkRun external =
        run("{engine: vllm, model: {name: m}, external: {urls: [\"http://a:1\"]}}");

    assertThat(RunSpecProblems.of(external)).isEmpty();
    assertThat(RunBackends.own(external).getSpec().lifecycle()).isNull();
  }

  @Test
  void itsProblemsAreTheRuns() {
    assertThat(RunSpecProblems.of(run("{engine: vllm, model: {name: m}, replicas: 0}")))
        .singleElement()
        .asString()
        .startsWith("spec.backend.replicas: ");
    assertThat(
            RunSpecProblems.of(
                run("{engine: vllm, model: {name: m}, podTemplate: {spec: {colour: red}}}")))
        .containsExactly("spec.backend.podTemplate.spec.colour: is not a field of a pod template");
    assertThat(
            RunSpecProblems.of(
                run(
                    "{engine: vllm, model: {name: m}, gpus: {count: 1}, parallelism: {tensor: 2}}")))
        .containsExactly(
            "spec.backend.parallelism: tensor x pipeline must not exceed spec.backend.gpus.count, the GPUs of one server");
    assertThat(
            RunSpecProblems.of(
                Fixtures.run(
                    "r",
                    """
                    benchmark: llama3.1-8b
                    scenario: Server
                    dataset: {configMapName: prompts, path: prompts.json}
                    load: {targetQps: 5}
                    """)))
        .containsExactly("spec: give exactly one of backendRef and backend");
  }

  private RunDecision decide(@Nullable InferenceBackend backend, MissingPrerequisite... missing) {
    return RunPasses.decide(
        run,
        RunObservationBuilder.builder()
            .backend(backend)
            .missing(List.of(missing))
            .references(ResolvedReferences.NONE)
            .ahead(List.of())
            .otherRunners(List.of())
            .build(),
        FixedSettings.settings(),
        Fixtures.NOW);
  }

  private static BenchmarkRun run(String backend) {
    return Fixtures.run(
        "mine",
        """
        benchmark: llama3.1-8b
        scenario: Server
        backend: %s
        dataset: {configMapName: prompts, path: prompts.json}
        load: {targetQps: 5}
        """
            .formatted(backend));
  }
}
