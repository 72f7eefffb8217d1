package dev.loadgen.operator.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Provenance.Gpus;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Provenance.Servers;
import dev.loadgen.desired.Fixtures;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerFactsTest {
  private static final InferenceBackend BACKEND =
      Fixtures.backend(
          """
          engine: vllm
          model: {name: m}
          replicas: 3
          gpus: {count: 8, product: NVIDIA-H200}
          """);

  private static final Map<String, String> H200 =
      Map.of(
          "nvidia.com/gpu.product", "NVIDIA-H200",
          "nvidia.com/gpu.memory", "143771",
          "nvidia.com/cuda.driver-version.full", "570.124.06");

  @Test
  void serversThatAreAlikeAreOneEntryWithTheirNodes() {
    ServerFacts facts =
        ServerFacts.of(
            BACKEND,
            List.of(
                pod("llm-2", "sha256:a", "[m, --max-num-seqs, '256']", ""),
                pod("llm-0", "sha256:a", "[m, --max-num-seqs, '256']", "")));

    assertThat(facts.servers(node -> H200))
        .containsExactly(
            new Servers(
                "vllm:1",
                "sha256:a",
                List.of("vllm", "serve"),
                List.of("m", "--max-num-seqs", "256"),
                new Gpus(8, "nvidia.com/gpu", "NVIDIA-H200", "143771 MiB", "570.124.06"),
                List.of(
                    new ServerPod("llm-0", "node-of-llm-0"),
                    new ServerPod("llm-2", "node-of-llm-2"))));
    assertThat(facts.problems()).isEmpty();
    assertThat(facts.arguments()).containsExactly("m", "--max-num-seqs", "256");
  }

  @Test
  void theTenthServerComesAfterTheSecond() {
    assertThat(
            ServerFacts.of(
                    BACKEND,
                    List.of(
                        pod("llm-10", "sha256:a", "[]", ""), pod("llm-2", "sha256:a", "[]", "")))
                .servers(node -> Map.of())
                .getFirst()
                .pods())
        .extracting(ServerPod::name)
        .containsExactly("llm-2", "llm-10");
  }

  @Test
  void whatNobodySaysIsNotKnown() {
    Pod starting = pod("llm-0", "", "[m]", "");
    starting.getSpec().setNodeName(null);
    starting.getSpec().setNodeSelector(Map.of());

    Servers servers =
        ServerFacts.of(BACKEND, List.of(starting)).servers(node -> Map.of()).getFirst();

    assertThat(servers.imageId()).isNull();
    assertThat(servers.gpus()).isEqualTo(new Gpus(8, "nvidia.com/gpu", null, null, null));
    assertThat(servers.pods()).containsExactly(new ServerPod("llm-0", null));
  }

  /** The scheduler has held the pod to it. */
  @Test
  void aNodeThatCannotBeReadHasTheProductThatThePodAskedFor() {
    assertThat(
            ServerFacts.of(BACKEND, List.of(pod("llm-0", "sha256:a", "[]", "")))
                .servers(node -> Map.of())
                .getFirst()
                .gpus()
                .product())
        .isEqualTo("NVIDIA-H200");
  }

  @Test
  void secretsAmongArgumentsAreTakenOut() {
    assertThat(
            ServerFacts.of(BACKEND, List.of(pod("llm-0", "sha256:a", "[--api-key, hunter2]", "")))
                .servers(node -> Map.of())
                .getFirst()
                .args())
        .containsExactly("--api-key", "[removed]");
  }

  @Test
  void aReplacedCommandIsAProblem() {
    Pod shell = pod("llm-1", "sha256:a", "[m]", "");
    shell.getSpec().getContainers().getLast().setCommand(List.of("sh", "-c", "exec vllm serve"));

    assertThat(
            ServerFacts.of(BACKEND, List.of(pod("llm-0", "sha256:a", "[m]", ""), shell)).problems())
        .singleElement()
        .asString()
        .startsWith("pod llm-1 runs sh -c exec vllm serve in place of vllm serve, ")
        .contains("remove command from spec.podTemplate");
  }

  @Test
  void theProgramOfAProfilerIsTheOperatorsOwn() {
    InferenceBackend profiled =
        Fixtures.backend(
            "engine: vllm\nmodel: {name: m}\nprofiling: {tool: Nsys, output: {claimName: p}}");
    Pod pod = pod("llm-0", "sha256:a", "[m]", "");

    assertThat(ServerFacts.of(profiled, List.of(pod)).problems())
        .singleElement()
        .asString()
        .startsWith("pod llm-0 runs vllm serve in place of nsys profile ");
  }

  @ParameterizedTest
  @CsvSource({
    "vllm, PYTHONPATH",
    "vllm, LD_PRELOAD",
    "vllm, VLLM_MODEL_REDIRECT_PATH",
    "sglang, SGLANG_SIMULATE_ACC_LEN",
    "sglang, SGLANG_TEST_RETRACT",
  })
  void variablesThatBelieTheArgumentsAreAProblem(String engine, String variable) {
    InferenceBackend backend = Fixtures.backend("engine: " + engine + "\nmodel: {name: m}");
    Pod pod = pod("llm-0", "sha256:a", "[m]", "env: [{name: " + variable + ", value: x}]");
    if (engine.equals("sglang")) {
      pod.getSpec()
          .getContainers()
          .getLast()
          .setCommand(List.of("python3", "-m", "sglang.launch_server"));
    }

    assertThat(ServerFacts.of(backend, List.of(pod)).problems())
        .singleElement()
        .asString()
        .startsWith("pod llm-0 has the variable " + variable + ", ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "VLLM_ATTENTION_BACKEND",
        "NCCL_DEBUG",
        "LD_LIBRARY_PATH",
        "HF_HOME",
        "SGLANG_SIMULATE_ACC_LEN"
      })
  void variablesThatTuneAreNone(String variable) {
    assertThat(
            ServerFacts.of(
                    BACKEND,
                    List.of(
                        pod("llm-0", "sha256:a", "[m]", "env: [{name: %s}]".formatted(variable))))
                .problems())
        .isEmpty();
  }

  @Test
  void variablesThatNobodySeesAreAProblem() {
    assertThat(
            ServerFacts.of(
                    BACKEND,
                    List.of(
                        pod("llm-0", "sha256:a", "[m]", "envFrom: [{configMapRef: {name: c}}]")))
                .problems())
        .singleElement()
        .asString()
        .contains("envFrom");
  }

  @Test
  void serversThatDifferAreNotOneThing() {
    ServerFacts facts =
        ServerFacts.of(
            BACKEND,
            List.of(
                pod("llm-0", "sha256:a", "[m]", ""),
                pod("llm-1", "sha256:b", "[m]", ""),
                pod("llm-2", "sha256:b", "[m, --enforce-eager]", "")));

    assertThat(facts.problems())
        .satisfiesExactly(
            images ->
                assertThat(images)
                    .startsWith(
                        "the servers have different images: pod llm-0; each of the pods llm-1,"
                            + " llm-2; "),
            arguments ->
                assertThat(arguments)
                    .startsWith(
                        "the servers have different arguments: each of the pods llm-0, llm-1; pod"
                            + " llm-2; "));
    assertThat(facts.arguments()).isNull();
  }

  /** Its command line is another by design. */
  @Test
  void aWorkerOfAServerThatSpansNodesIsNoOtherServer() {
    InferenceBackend backend =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\ngpus: {count: 8}\nmultiNode: {nodes: 2}");
    ServerFacts facts =
        ServerFacts.of(
            backend,
            List.of(
                pod("llm-0", "sha256:a", "[m]", ""),
                pod("llm-0-1", "sha256:a", "[m, --headless]", "")));

    assertThat(facts.problems()).isEmpty();
    assertThat(facts.arguments()).containsExactly("m");
    assertThat(facts.servers(node -> Map.of())).hasSize(2);
  }

  @Test
  void labelsOfAmdAndOfOlderDriversAreRead() {
    assertThat(
            GpuLabels.of(
                "amd.com/gpu",
                Map.of(
                    "amd.com/gpu.product-name", "AMD_Instinct_MI300X_OAM",
                    "amd.com/gpu.vram", "192G",
                    "amd.com/gpu.driver-version", "6.10.5")))
        .isEqualTo(new GpuLabels("AMD_Instinct_MI300X_OAM", "192G", "6.10.5"));
    assertThat(
            GpuLabels.of(
                "nvidia.com/mig-3g.40gb",
                Map.of(
                    "nvidia.com/cuda.driver.major", "535",
                    "nvidia.com/cuda.driver.minor", "104",
                    "nvidia.com/cuda.driver.rev", "05")))
        .isEqualTo(new GpuLabels(null, null, "535.104.05"));
    assertThat(GpuLabels.of("habana.ai/gaudi", H200)).isEqualTo(GpuLabels.UNKNOWN);
  }

  private static Pod pod(String name, String imageId, String args, String more) {
    return Serialization.unmarshal(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: %1$s, namespace: bench}
        spec:
          nodeName: node-of-%1$s
          nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200}
          containers:
          - name: sidecar
            image: s
          - name: server
            image: vllm:1
            command: [vllm, serve]
            args: %3$s
            resources: {limits: {nvidia.com/gpu: 8}}
            %4$s
        status:
          containerStatuses:
          - {name: sidecar, imageID: "sha256:s"}
          - {name: server, imageID: "%2$s"}
        """
            .formatted(name, imageId, args, more),
        Pod.class);
  }
}
