package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.NameRules;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.operator.CrdRules;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BackendSpecProblemsTest {
  private static final String VLLM = "engine: vllm\nmodel: {name: m}\n";
  private static final String NODES = VLLM + "gpus: {count: 8}\nmultiNode: {nodes: 2}\n";
  private static final String PROFILING = "profiling: {tool: Torch, output: {claimName: c}";
  private static final String CLAIM = "{name: gpus, resourceClaimTemplateName: t}";

  static Stream<Arguments> wrong() {
    return Stream.of(
        // The twins of the CRD's rules
        of(
            VLLM + "external: {urls: [\"http://a:1\"]}\nimage: i",
            "spec.external points at servers that are not ours: remove image, gpus and args, or remove external"),
        of(
            VLLM + "endpointType: generate",
            "spec.endpointType: generate is a route of SGLang; use completions or chat_completions"),
        of(
            "engine: openai\nmodel: {name: m}\nimage: i\ngpus: {count: 1}",
            "spec.engine: the operator cannot start servers of openai; name running ones in spec.external.urls and remove image, gpus and args, or set engine to vllm or sglang"),
        of(
            "engine: openai\nmodel: {name: m}\nexternal: {urls: [\"http://a:1\"]}\ngpus: {count: 1}",
            "spec.external points at servers that are not ours: remove image, gpus and args, or remove external"),
        of(
            "engine: openai\nmodel: {name: m}\nexternal: {urls: [\"http://a:1\"]}\nendpointType: generate",
            "spec.endpointType: generate is a route of SGLang; use completions or chat_completions"),
        of(
            VLLM + "gpus: {count: 4}\nparallelism: {tensor: 4, pipeline: 2}",
            "spec.parallelism: tensor x pipeline must not exceed spec.gpus.count, the GPUs of one server"),
        of(
            "engine: vllm\nmodel: {name: m, revision: r, claim: {claimName: c, path: p}}",
            "spec.model.revision is of the Hugging Face hub: remove it, or remove claim"),
        of(
            VLLM + "gpus: {count: 8, product: p, resourceClaims: [" + CLAIM + "]}",
            "spec.gpus.resourceClaims say by themselves which devices they take: remove resource and product, or remove resourceClaims"),
        of(
            VLLM + "multiNode: {nodes: 2}",
            "spec.multiNode: servers of ours span nodes for the GPUs of each: set gpus and remove external, or remove multiNode"),
        of(
            NODES + "parallelism: {tensor: 8}",
            "spec.parallelism: tensor x pipeline must be spec.gpus.count x spec.multiNode.nodes, the GPUs of one server"),
        of(
            NODES + "parallelism: {tensor: 16, data: 2}",
            "spec.parallelism.data: servers that span nodes split the model by tensor and pipeline alone; remove data"),
        // Schema rules of the CRD
        of(
            VLLM + "gpus: {count: 8}\nmultiNode: {nodes: 1}",
            "spec.multiNode.nodes: must be at least 2, not 1"),
        of("engine: vllm", "spec.model: is missing"),
        of("model: {name: m}", "spec.engine: is missing"),
        of(VLLM + "port: 70000", "spec.port: must be 1 to 65535, not 70000"),
        of(VLLM + "replicas: 0", "spec.replicas: must be at least 1, not 0"),
        of(VLLM + "replicas: 2000000000", "spec.replicas: must be at most 1000, not 2000000000"),
        of(VLLM + "gpus: {count: 1025}", "spec.gpus.count: must be at most 1024, not 1025"),
        of(
            VLLM + "gpus: {count: 1024}\nmultiNode: {nodes: 2000000}",
            "spec.multiNode.nodes: must be at most 64, not 2000000"),
        of(
            VLLM + "startupTimeout: 9999999h",
            "spec.startupTimeout: 9999999h is longer than a year; give at most 8760h"),
        of(VLLM + "env: [{value: v}]", "spec.env[0].name: is missing"),
        of(
            VLLM + "access: {headersSecretName: ../x}",
            "spec.access.headersSecretName: must be a valid Kubernetes name of lower-case letters,"
                + " digits, dots and dashes, not \"../x\""),
        of(VLLM + "gpus: {count: 0}", "spec.gpus.count: must be at least 1, not 0"),
        of(
            VLLM + "engineConfig: {gpuMemoryUtilization: 1.5}",
            "spec.engineConfig.gpuMemoryUtilization: must be above 0 and at most 1, not 1.5"),
        of(
            VLLM + "startupTimeout: 5 minutes",
            "spec.startupTimeout: \"5 minutes\" is not a valid duration; write it like 90s, 10m,"
                + " 1h30m or 250ms"),
        // What the CRD does not say
        of(
            VLLM + "scheduling: {queueName: GPU queue}",
            "spec.scheduling.queueName: must be the name of a LocalQueue: at most 63 lower-case letters, digits, dots and dashes, not GPU queue"),
        of(
            VLLM + "external: {urls: [\"http://a:1\"]}\nscheduling: {queueName: gpu}",
            "spec.scheduling.queueName: external servers do not wait in a queue; remove it, or"
                + " external"),
        of(
            NODES + "port: 29501",
            "spec.port: at 29501 the nodes of one server meet; choose another"),
        of(
            VLLM + "access: {caConfigMapRef: {name: ca}}",
            "spec.access.caConfigMapRef: no URL of spec.external.urls begins with https; remove it"),
        of(
            VLLM + "access: {apiKeySecretRef: {key: k}}",
            "spec.access.apiKeySecretRef.name: is missing"),
        of(
            VLLM + "external: {urls: []}",
            "spec.external.urls: give the base URL of at least one server"),
        of(
            VLLM + "external: {urls: [\"http://a:1/v1/chat/completions\"]}",
            "spec.external.urls: http://a:1/v1/chat/completions is not a valid base URL; write it"
                + " like"
                + " http://host:8000 or https://host/llm, without a route or a query"),
        of(
            VLLM + "external: {urls: [\"http://a:1/v1?key=x\"]}",
            "spec.external.urls: http://a:1/v1?... is not a valid base URL; write it like"
                + " http://host:8000 or https://host/llm, without a route or a query"),
        of(
            VLLM + "external: {urls: [\"a:1\"]}",
            "spec.external.urls: a:1 is not a valid base URL; write it like http://host:8000 or"
                + " https://host/llm, without a route or a query"),
        of(
            "engine: vllm\nmodel: {name: m}\nexternal: {urls: [\"http://u:5EC4E7@a:1\"]}",
            "spec.external.urls: http://a:1 is not a valid base URL; write it like http://host:8000"
                + " or"
                + " https://host/llm, without a route or a query, and without a user; spec.access"
                + " has what lets requests in"),
        of(
            VLLM + "gpus: {count: 1, resource: gpu.intel.com/i915, product: x}",
            "spec.gpus.product: the product's node label is known for nvidia.com and amd.com only; use spec.scheduling.nodeSelector"),
        of(
            VLLM + "external: {urls: [\"http://a:1\"]}\npodTemplate: {}",
            "spec.podTemplate: external servers have no pods to configure; remove it, or external"),
        of(
            VLLM + "podTemplate: {spec: {restartPolicy: Never}}",
            "spec.podTemplate.spec.restartPolicy: servers are always restarted; remove it"),
        of(
            VLLM + "gpus: {count: 8, resourceClaims: []}",
            "spec.gpus.resourceClaims: name at least one claim, or remove it"),
        of(
            VLLM + "gpus: {count: 8, resourceClaims: [{name: gpus}]}",
            "spec.gpus.resourceClaims[0].resourceClaimTemplateName: is missing"),
        of(
            VLLM + "gpus: {count: 8, resourceClaims: [" + CLAIM + ", " + CLAIM + "]}",
            "spec.gpus.resourceClaims[1].name: gpus is there twice"),
        of(
            VLLM + "gpus: {count: 8, resourceClaims: [" + CLAIM.replace("gpus", "G 1") + "]}",
            "spec.gpus.resourceClaims[0].name: must be of lower case letters, digits and dashes, a letter first"),
        of(
            VLLM + "external: {urls: [\"http://a:1\"]}\nlifecycle: OnDemand",
            "spec.lifecycle: servers that are not ours cannot be OnDemand; remove lifecycle, or remove external"),
        of(VLLM + "heartbeat: {interval: 500ms}", "spec.heartbeat.interval: must be at least 1s"),
        of(
            VLLM + "heartbeat: {timeout: 0s}",
            "spec.heartbeat.timeout: 0s rounds to zero; give a longer time"),
        of(
            VLLM + "external: {urls: [\"http://a:1\"]}\n" + PROFILING + "}",
            "spec.profiling: servers that are not ours cannot be started under a profiler; remove profiling, or remove external"),
        of(
            VLLM + "heartbeat: {restart: true}\n" + PROFILING + "}",
            "spec.heartbeat.restart: a server that writes a trace may not answer, and would be killed at it; remove restart, or remove profiling"),
        of(
            VLLM + PROFILING + ", args: [--sample=none]}",
            "spec.profiling.args are options of nsys and rocprofv3: Torch takes none; remove args, or put options of the engine into spec.args"),
        of(
            VLLM + PROFILING.replace("Torch", "Rocprof") + ", after: 5s}",
            "spec.profiling.after and duration: rocprofv3 traces the whole life of a server; remove them, or let args say what it records"),
        of(
            VLLM + PROFILING.replace("Torch", "Nsys") + ", args: [-c, none]}",
            "spec.profiling.args: --capture-range is the operator's, which has to know when and where traces are written; remove it"),
        of(
            VLLM + PROFILING.replace("Torch", "Rocprof") + ", args: [--output-file=x]}",
            "spec.profiling.args: --output-file is the operator's, which has to know when and where traces are written; remove it"),
        of(
            VLLM + PROFILING.replace("Torch", "Nsys") + ", args: [--]}",
            "spec.profiling.args: -- ends the profiler's options, and the operator puts the server's command there; remove it"),
        of(
            VLLM
                + "image: registry.example/vllm/vllm-openai:v0.11.2\n"
                + PROFILING.replace("Torch", "Nsys")
                + "}",
            "spec.profiling.tool: Nsys needs vLLM 0.12 or later, which marks the window for it; use such an image, or Torch"),
        of(
            VLLM + "profiling: {tool: Torch, output: {}}",
            "spec.profiling.output.claimName: is missing"),
        of(VLLM + "profiling: {tool: Torch}", "spec.profiling.output: is missing"),
        of(VLLM + "profiling: {output: {claimName: c}}", "spec.profiling.tool: is missing"),
        of(
            VLLM + PROFILING + ", duration: 0s}",
            "spec.profiling.duration: 0s rounds to zero; give a longer time"),
        of(
            VLLM + PROFILING + ", after: soon}",
            "spec.profiling.after: \"soon\" is not a valid duration; write it like 90s, 10m, 1h30m"
                + " or 250ms"),
        of(
            VLLM + "lifecycle: OnDemand\nidleTimeout: soon",
            "spec.idleTimeout: \"soon\" is not a valid duration; write it like 90s, 10m, 1h30m or"
                + " 250ms"),
        of(
            "engine: vllm\nmodel: {name: --host}",
            "spec.model.name: must not begin with a dash, which engines take for an option"),
        of(
            "engine: vllm\nmodel: {name: m, claim: {claimName: c, path: ../x}}",
            "spec.model.claim.path: must be a path that stays below the root of the volume"));
  }

  private static Arguments of(String spec, String problem) {
    return Arguments.of(spec, problem);
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void aProblemNamesFieldAndCure(String spec, String problem) {
    assertThat(BackendSpecProblems.of(Fixtures.backend(spec))).containsExactly(problem);
  }

  /** Only the API server knows what a spec was before. */
  private static final String TRANSITION =
      "spec.multiNode can be neither added nor removed, since its servers are objects of another kind; delete the backend and create it anew";

  /** Rules without a twin: what a backend says against them is read by nobody. */
  static Stream<Arguments> withoutTwin() {
    return Stream.of(
        of(
            VLLM + "external: {urls: [\"http://a:1\"]}\nheartbeat: {restart: true}",
            "spec.heartbeat.restart: servers that are not ours cannot be restarted; remove restart, or remove external"),
        of(
            VLLM + "idleTimeout: 5m",
            "spec.idleTimeout: servers are never idle unless spec.lifecycle is OnDemand; set it, or remove idleTimeout"));
  }

  @Test
  void everyRuleOfTheCrdHasATwinOrNeedsNone() {
    List<String> tested =
        Stream.concat(wrong(), withoutTwin()).map(a -> (String) a.get()[1]).toList();

    Set<String> rules = CrdRules.messages("inferencebackends.yaml");

    assertThat(rules).hasSizeGreaterThan(3).contains(TRANSITION, NameRules.BACKEND_WORDS);
    rules.removeAll(Set.of(TRANSITION, NameRules.BACKEND_WORDS)); // of names: see below
    assertThat(rules).isSubsetOf(tested);
  }

  @ParameterizedTest
  @MethodSource("withoutTwin")
  void whatNobodyReadsIsNoProblem(String spec, String rule) {
    assertThat(BackendSpecProblems.of(Fixtures.backend(spec))).as(rule).isEmpty();
  }

  @Test
  void theGpusOfAllNodesAreSplit() {
    for (String split : List.of("", "{tensor: 16}", "{tensor: 8, pipeline: 2}", "{pipeline: 4}")) {
      String spec = split.isEmpty() ? NODES : NODES + "parallelism: " + split;

      assertThat(BackendSpecProblems.of(Fixtures.backend(spec))).as(split).isEmpty();
    }
    assertThat(BackendSpecProblems.of(Fixtures.backend(NODES + "parallelism: {pipeline: 3}")))
        .hasSize(1);
  }

  @Test
  void theNameLeavesRoomForTheStatefulSetOfEachServer() {
    InferenceBackend backend = Fixtures.backend(NODES + "replicas: 11");
    backend.getMetadata().setName("b".repeat(49));
    assertThat(BackendSpecProblems.of(backend)).isEmpty();

    backend.getMetadata().setName("b".repeat(51));

    assertThat(BackendSpecProblems.of(backend))
        .containsExactly(
            "metadata.name: with spec.multiNode must have 2 characters less, since each server has a StatefulSet of its own name");
  }

  @Test
  void aNameThatIsNoHostNameIsAProblem() {
    InferenceBackend backend = Fixtures.backend();
    for (String name : List.of("a.b", "1a", "b".repeat(53))) {
      backend.getMetadata().setName(name);

      assertThat(BackendSpecProblems.of(backend)).as(name).containsExactly(NameRules.BACKEND_WORDS);
    }
  }
}
