package dev.loadgen.operator.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.desired.Fixtures;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UserYamlTest {
  private static final String SPEC =
      """
      engine: vllm
      model: {name: m}
      gpus: {count: 1}
      resources: {cpu: 500m}
      args: [--max-num-seqs, "256", --api-key, hunter2]
      env:
      - {name: VLLM_ATTENTION_BACKEND, value: FLASHINFER}
      - {name: HF_TOKEN, value: hunter2}
      - name: KEY_BY_REFERENCE
        valueFrom: {secretKeyRef: {name: s, key: k}}
      podTemplate:
        spec:
          hostname: null
          containers:
          - name: server
            env: [{name: MY_PASSWORD, value: hunter2}, {name: A, value: b}]
      """;

  @Test
  void itIsTheSameSpecWhenItIsReadAgain() {
    InferenceBackend backend = Fixtures.backend(SPEC.replace("hunter2", "[removed]"));

    String yaml = UserYaml.of(backend);

    InferenceBackend again = Serialization.unmarshal(yaml, InferenceBackend.class);
    assertThat(again.getUnreadable()).isEmpty();
    assertThat(again.getSpec()).isEqualTo(backend.getSpec());
    assertThat(again.getMetadata().getUid()).isEqualTo(backend.getMetadata().getUid());
    assertThat(again.getMetadata().getGeneration()).isEqualTo(1);
    assertThat(yaml).startsWith("apiVersion: loadgen.dev/v1alpha1\nkind: InferenceBackend\n");
  }

  @Test
  void nothingThatNobodyHasWrittenIsInIt() {
    BenchmarkRun run = Fixtures.run("r");
    run.getMetadata().setResourceVersion("12");
    run.getMetadata()
        .setManagedFields(List.of(new ManagedFieldsEntryBuilder().withManager("kubectl").build()));
    run.getMetadata()
        .setAnnotations(
            Map.of(
                "kubectl.kubernetes.io/last-applied-configuration",
                "{}",
                "loadgen.dev/rerun",
                "2"));

    assertThat(UserYaml.of(run))
        .isEqualTo(
            """
            apiVersion: loadgen.dev/v1alpha1
            kind: BenchmarkRun
            metadata:
              name: r
              namespace: bench
              uid: uid-of-r
              generation: 1
              annotations:
                loadgen.dev/rerun: "2"
            spec:
              benchmark: llama3.1-8b
              scenario: Server
              backendRef:
                name: llm
              dataset:
                configMapName: prompts
                path: prompts.json
              load:
                targetQps: 5.0
            """);
  }

  @Test
  void valuesOfSecretsAreNotInIt() {
    assertThat(UserYaml.of(Fixtures.backend(SPEC)))
        .doesNotContain("hunter2")
        .contains("FLASHINFER", "key: k", "value: b");
  }

  /** A store may have signed the URL of a dataset, and a variable may name a proxy. */
  @Test
  void urlsAreWithoutWhatLetsSomebodyIn() {
    BenchmarkRun run =
        Fixtures.run(
            "r",
            """
            benchmark: llama3.1-8b
            scenario: Offline
            backendRef: {name: llm}
            dataset: {url: "https://store.example/a.json?X-Amz-Signature=hunter2"}
            runner: {podTemplate: {spec: {containers: [
              {name: runner, env: [{name: https_proxy, value: "http://me:hunter2@proxy:3128"}]}]}}}
            """);

    assertThat(UserYaml.of(run))
        .doesNotContain("hunter2")
        .contains("https://store.example/a.json?...", "http://proxy:3128");
    assertThat(run.getSpec().dataset().url()).as("the run itself").contains("hunter2");
  }

  @Test
  void oneThatIsTooLongIsNotKept() {
    assertThat(
            UserYaml.of(
                Fixtures.backend(
                    "engine: vllm\nmodel: {name: m}\nargs: ["
                        + "x".repeat(UserYaml.LONGEST)
                        + "]")))
        .startsWith("# The InferenceBackend is not here: it has ")
        .hasLineCount(1);
  }
}
