package dev.loadgen.desired;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.ResolvedImage;
import dev.loadgen.api.v1alpha1.InferenceBackendStatusBuilder;
import dev.loadgen.contract.Engine;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an administrator sets reaches every pod, and gives way to what a backend or run says. */
class PodDefaultsTest {
  private static final PodDefaults SITE =
      new PodDefaults(
          Map.of(
              Engine.vllm,
              "mirror.example/vllm/vllm-openai:v0.11.2",
              Engine.sglang,
              "mirror.example/lmsysorg/sglang:v0.5.20"),
          List.of("mirror"),
          1000L);

  private static final PodDefaults NO_USER = new PodDefaults(Map.of(), List.of(), null);

  @ParameterizedTest
  @EnumSource(value = Engine.class, mode = EnumSource.Mode.EXCLUDE, names = "openai")
  void serversRunTheImageOfTheSite(Engine engine) {
    InferenceBackend backend = Fixtures.backend("engine: " + engine + "\nmodel: {name: m}");

    assertThat(image(backend, SITE)).isEqualTo(SITE.engineImages().get(engine));
    assertThat(image(backend, NO_USER))
        .as("of an engine that the site names no image of")
        .isEqualTo(image(backend, PodDefaults.BUILT_IN))
        .isEqualTo(ServerCommand.of(engine).defaultImage());
  }

  @Test
  void theImageOfABackendWins() {
    InferenceBackend backend =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\nimage: own.example/vllm:1");

    assertThat(image(backend, SITE)).isEqualTo("own.example/vllm:1");
    assertThat(SITE.applied(backend)).isSameAs(backend);
  }

  /** The servers of a campaign run one image, whatever the operator is upgraded to meanwhile. */
  @Test
  void theImageThatADefaultWasResolvedToStays() {
    InferenceBackend backend = Fixtures.backend("engine: vllm\nmodel: {name: m}");
    ResolvedImage first = PodDefaults.BUILT_IN.resolved(backend);
    backend.setStatus(status(first));

    assertThat(SITE.resolved(backend)).isEqualTo(first);
    assertThat(image(backend, SITE)).isEqualTo(ServerCommand.of(Engine.vllm).defaultImage());
  }

  @Test
  void anotherEngineHasAnotherImage() {
    InferenceBackend backend = Fixtures.backend("engine: sglang\nmodel: {name: m}");
    backend.setStatus(status(new ResolvedImage(Engine.vllm, "vllm:1")));

    assertThat(image(backend, SITE)).isEqualTo("mirror.example/lmsysorg/sglang:v0.5.20");
  }

  @Test
  void anImageThatIsNamedForgetsTheOneByDefault() {
    InferenceBackend named =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\nimage: own.example/vllm:1");
    named.setStatus(status(new ResolvedImage(Engine.vllm, "vllm:1")));

    assertThat(SITE.resolved(named)).isNull();
    assertThat(image(named, SITE)).isEqualTo("own.example/vllm:1");
  }

  private static InferenceBackendStatus status(@Nullable ResolvedImage resolved) {
    return InferenceBackendStatusBuilder.builder()
        .observedGeneration(1L)
        .phase(BackendPhase.Idle)
        .readyReplicas(0)
        .replicas(0)
        .conditions(List.of())
        .build()
        .withResolvedImage(resolved);
  }

  @Test
  void serversOfSomebodyElseHaveNoImage() {
    InferenceBackend backend =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\nexternal: {urls: [http://a:8000]}");

    assertThat(SITE.applied(backend)).isSameAs(backend);
  }

  @Test
  void whatABackendIsOtherwiseStaysAsItIs() {
    InferenceBackend backend = Fixtures.backend("engine: vllm\nmodel: {name: m}\nreplicas: many");
    assertThat(backend.getUnreadable()).isNotEmpty();

    InferenceBackend applied = SITE.applied(backend);

    assertThat(applied.getUnreadable()).isEqualTo(backend.getUnreadable());
    assertThat(applied.getMetadata()).isEqualTo(backend.getMetadata());
    assertThat(applied.getSpec())
        .isEqualTo(backend.getSpec().withImage("mirror.example/vllm/vllm-openai:v0.11.2"));
    assertThat(backend.getSpec().image()).as("the cache's object").isNull();
  }

  /** The arguments are those of the version that runs: vLLM 0.11 knows no profiler config. */
  @Test
  void theImageOfTheSiteDecidesOnArguments() {
    InferenceBackend backend =
        Fixtures.backend(
            "engine: vllm\nmodel: {name: m}\nprofiling: {tool: Torch, output: {claimName: p}}");

    assertThat(server(backend, PodDefaults.BUILT_IN).getContainers().getFirst().getArgs())
        .contains("--profiler-config.profiler");
    assertThat(server(backend, SITE).getContainers().getFirst().getArgs())
        .doesNotContain("--profiler-config.profiler");
  }

  @Test
  void pullSecretsStandBehindThoseOfABackend() {
    assertThat(names(server(Fixtures.backend(), SITE))).containsExactly("mirror");
    assertThat(
            names(
                server(
                    Fixtures.backend(
                        "engine: vllm\nmodel: {name: m}\nscheduling: {imagePullSecrets: [team, mirror]}"),
                    SITE)))
        .containsExactly("team", "mirror");
    assertThat(names(server(Fixtures.backend(), PodDefaults.BUILT_IN))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "runner: {scheduling: {imagePullSecrets: [mirror]}}"})
  void runnersPullWithThemToo(String more) {
    assertThat(names(runner(more, SITE))).containsExactly("mirror");
  }

  @Test
  void podsRunAsTheUserOfTheSite() {
    for (PodSpec pod : List.of(server(Fixtures.backend(), SITE), runner("", SITE))) {
      assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(1000);
      assertThat(pod.getSecurityContext().getRunAsGroup()).isEqualTo(1000);
      assertThat(pod.getSecurityContext().getFsGroup()).isEqualTo(1000);
    }
  }

  @Test
  void withoutAUserTheNamespaceGivesItAndRootIsRefused() {
    for (PodSpec pod : List.of(server(Fixtures.backend(), NO_USER), runner("", NO_USER))) {
      assertThat(pod.getSecurityContext().getRunAsUser()).isNull();
      assertThat(pod.getSecurityContext().getRunAsGroup()).isNull();
      assertThat(pod.getSecurityContext().getFsGroup()).isNull();
      assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
      assertThat(pod.getSecurityContext().getSeccompProfile().getType())
          .isEqualTo("RuntimeDefault");
    }
    assertThat(
            PodTemplates.excesses(
                Fixtures.backend("engine: vllm\nmodel: {name: m}\npodTemplate: {spec: {}}"),
                PodTemplateLevel.Restricted,
                NO_USER))
        .isEmpty();
  }

  @Test
  void everyPodOfServersThatSpanNodesIsGivenThem() {
    InferenceBackend backend =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\ngpus: {count: 8}\nmultiNode: {nodes: 2}");

    assertThat(ServerWorkloads.templates(Desired.of(backend, SITE).workload()))
        .hasSize(2)
        .extracting(PodTemplateSpec::getSpec)
        .allSatisfy(
            pod -> {
              assertThat(names(pod)).containsExactly("mirror");
              assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(1000);
              assertThat(pod.getContainers().getFirst().getImage())
                  .isEqualTo("mirror.example/vllm/vllm-openai:v0.11.2");
            });
  }

  private static String image(InferenceBackend backend, PodDefaults defaults) {
    return server(backend, defaults).getContainers().getFirst().getImage();
  }

  private static List<String> names(PodSpec pod) {
    return pod.getImagePullSecrets().stream().map(LocalObjectReference::getName).toList();
  }

  private static PodSpec server(InferenceBackend backend, PodDefaults defaults) {
    return ServerWorkloads.templates(Desired.of(backend, defaults).workload()).getFirst().getSpec();
  }

  private static PodSpec runner(String more, PodDefaults defaults) {
    return RunnerObjects.job(
            Fixtures.run(
                "r",
                """
                benchmark: llama3.1-8b
                scenario: Offline
                backendRef: {name: llm}
                dataset: {configMapName: prompts, path: prompts.json}
                """
                    + more),
            Fixtures.backend(),
            List.of(),
            Duration.ofHours(1),
            "runner:1",
            defaults,
            Duration.ofDays(1))
        .getSpec()
        .getTemplate()
        .getSpec();
  }
}
