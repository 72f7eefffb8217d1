package dev.loadgen.operator.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Provenance.Servers;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.operator.provenance.Provenances.Planned;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProvenancesTest {
  private static final String PODS =
      """
      {"kind":"PodList","apiVersion":"v1","items":[
        {"metadata":{"name":"llm-0","namespace":"bench"},
         "spec":{"nodeName":"n1","containers":[
           {"name":"server","image":"vllm:1","command":["vllm","serve"],"args":["m"],
            "resources":{"limits":{"nvidia.com/gpu":"1"}}}]},
         "status":{"containerStatuses":[{"name":"server","imageID":"sha256:a"}]}},
        {"metadata":{"name":"llm-1","namespace":"bench"},
         "spec":{"nodeName":"n1","containers":[
           {"name":"server","image":"vllm:1","command":["vllm","serve"],"args":["m"],
            "resources":{"limits":{"nvidia.com/gpu":"1"}}}]},
         "status":{"containerStatuses":[{"name":"server","imageID":"sha256:a"}]}}]}
      """;

  private static final String NODE =
      """
      {"kind":"Node","apiVersion":"v1",
       "metadata":{"name":"n1","labels":{"nvidia.com/gpu.product":"NVIDIA-H100"}}}
      """;

  @Test
  void aPlanHasTheServersAsTheyAreAndWhatTheirAuthorsHaveWritten() throws IOException {
    try (LoopbackApiServer api =
        LoopbackApiServer.start(
            request -> new Answer(200, request.path().contains("/nodes/") ? NODE : PODS))) {
      Planned planned =
          new Provenances(api.client(), FixedSettings.settings())
              .planned(
                  Fixtures.run("r"),
                  Fixtures.backend("engine: vllm\nmodel: {name: m}\ngpus: {count: 1}"));

      assertThat(planned.provenance().backendGeneration()).isEqualTo(1);
      assertThat(planned.provenance().problems()).isEmpty();
      assertThat(planned.provenance().runner().image())
          .isEqualTo("registry.example/loadgen-runner:1");
      assertThat(planned.provenance().servers())
          .singleElement()
          .satisfies(
              servers -> {
                assertThat(servers.pods()).hasSize(2);
                assertThat(servers.gpus().product()).isEqualTo("NVIDIA-H100");
              });
      assertThat(planned.files()).containsOnlyKeys("run.yaml", "backend.yaml");
      assertThat(api.requests())
          .as("a node is asked for once")
          .extracting(Request::path)
          .containsExactly("/api/v1/namespaces/bench/pods", "/api/v1/nodes/n1");
    }
  }

  /** An operator with a Role and no ClusterRole. */
  @Test
  void nodesThatMayNotBeReadKeepNobodyFromAnything() throws IOException {
    try (LoopbackApiServer api =
        LoopbackApiServer.start(
            request ->
                request.path().contains("/nodes/")
                    ? new Answer(403, "{\"kind\":\"Status\",\"code\":403}")
                    : new Answer(200, PODS))) {
      assertThat(
              new Provenances(api.client(), FixedSettings.settings())
                  .planned(
                      Fixtures.run("r"),
                      Fixtures.backend("engine: vllm\nmodel: {name: m}\ngpus: {count: 1}"))
                  .provenance()
                  .servers()
                  .getFirst()
                  .gpus()
                  .product())
          .isNull();
    }
  }

  @Test
  void serversOfSomebodyElseAreNotLookedFor() throws IOException {
    try (LoopbackApiServer api = LoopbackApiServer.start(request -> new Answer(500, "{}"))) {
      Planned planned =
          new Provenances(api.client(), FixedSettings.settings())
              .planned(
                  Fixtures.run("r"),
                  Fixtures.backend(
                      "engine: vllm\nmodel: {name: m}\nexternal: {urls: [http://a:8000]}"));

      assertThat(planned.provenance().servers()).isEmpty();
      assertThat(planned.arguments()).isNull();
      assertThat(api.requests()).isEmpty();
    }
  }

  /** A thousand servers that are all different, with the most arguments that there may be. */
  @Test
  void aStatusHasAsMuchAsItCanHave() {
    Provenance all =
        new Provenance(
            1L,
            null,
            IntStream.range(0, 1_000)
                .mapToObj(
                    i ->
                        new Servers(
                            "vllm:1",
                            "sha256:" + i,
                            List.of("vllm", "serve"),
                            IntStream.range(0, 512).mapToObj(n -> "x".repeat(5_000)).toList(),
                            null,
                            List.of(new ServerPod("llm-" + i, "n"))))
                .toList(),
            null,
            IntStream.range(0, 100).mapToObj(i -> "y".repeat(5_000)).toList());

    Provenance kept = Provenances.forStatus(all);

    assertThat(ContractJson.write(kept).length()).isLessThan(100_000);
    assertThat(kept.servers()).hasSize(8);
    assertThat(kept.servers().getFirst().args()).last().asString().matches("… \\d+ more");
    assertThat(kept.problems()).hasSize(8);
    assertThat(Provenances.forStatus(kept).servers().getFirst().pods()).hasSize(1);
  }

  @Test
  void aUsualListOfArgumentsIsWholeInAStatus() {
    Provenance usual =
        new Provenance(
            1L,
            null,
            List.of(
                new Servers(
                    "vllm:1",
                    "sha256:a",
                    List.of("vllm", "serve"),
                    List.of("m", "--port", "8000"),
                    null,
                    IntStream.range(0, 100)
                        .mapToObj(i -> new ServerPod("llm-" + i, "n"))
                        .toList())),
            null,
            List.of());

    Provenance kept = Provenances.forStatus(usual);

    assertThat(kept.servers().getFirst().args()).containsExactly("m", "--port", "8000");
    assertThat(kept.servers().getFirst().pods()).hasSize(64);
    assertThat(kept.problems()).isNull();
  }

  @Test
  void aBackendThatIsGoneIsAProblem() throws IOException {
    try (LoopbackApiServer api = LoopbackApiServer.start(request -> new Answer(500, "{}"))) {
      Provenance ended =
          new Provenances(api.client(), FixedSettings.settings())
              .ended(
                  Fixtures.run("r"),
                  null,
                  List.of(),
                  Serialization.unmarshal(
                      """
                      apiVersion: v1
                      kind: Pod
                      metadata: {name: r-runner-x}
                      spec: {containers: [{name: runner, image: "registry.example/loadgen-runner:1"}]}
                      status: {containerStatuses: [{name: runner, imageID: "sha256:r"}]}
                      """,
                      Pod.class));

      assertThat(ended.problems()).singleElement().asString().contains("backend was deleted");
      assertThat(ended.runner())
          .isEqualTo(new Provenance.Runner("registry.example/loadgen-runner:1", "sha256:r", null));
    }
  }
}
