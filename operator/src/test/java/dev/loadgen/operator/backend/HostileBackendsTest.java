package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.RandomObjects;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.Endpoints;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.operator.ApiJson;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.settings.FixedSettings;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever backend the API server hands over: it is read, decided on and told of. */
class HostileBackendsTest {
  private static final long SEED = 20_261_121;
  private static final int OBJECTS = Integer.getInteger("hostile.objects", 500);
  private static final Instant NOW = Fixtures.NOW;
  private static final KubernetesSerialization API = ApiJson.serialization();

  @Test
  void noneEndsAPass() {
    System.out.println("seed " + SEED);
    RandomObjects backends = RandomObjects.backends(new Random(SEED));
    Map<String, Integer> reasons = new HashMap<>();
    for (int i = 0; i < OBJECTS; i++) {
      ObjectNode object = backends.next("llm", i % 3 == 0);
      object.withObject("/metadata").put("namespace", "bench").put("uid", "u").put("generation", 1);
      object.withObject("/metadata").put("creationTimestamp", "2026-11-21T09:00:00Z");
      String json = object.toString();
      assertThatCode(() -> pass(json, reasons))
          .as("object %d of seed %d: %s", i, SEED, json)
          .doesNotThrowAnyException();
    }
    // Neither are all refused, nor all accepted: the generator does what it is for.
    assertThat(reasons.get(Reasons.INVALID_SPEC)).isBetween(OBJECTS / 4, OBJECTS * 19 / 20);
  }

  private static void pass(String json, Map<String, Integer> reasons) {
    InferenceBackend backend = API.unmarshal(json, InferenceBackend.class);
    assertThat(API.clone(backend).getUnreadable()).isEqualTo(backend.getUnreadable());
    BackendDecision first = next(backend, new BackendSeen());
    reasons.merge(first.state().reason(), 1, Integer::sum);
    assertThat(backend.getUnreadable().isEmpty() || invalid(first.state())).isTrue();
    if (invalid(first.state())) {
      assertThat(first.apply()).isEmpty();
      assertThat(first.state().message()).startsWith("spec").hasSizeLessThan(100_000);
    } else {
      first.apply().forEach(HostileBackendsTest::isWritten);
      if (backend.getSpec().external() == null) {
        Desired desired = Desired.of(backend, PodDefaults.BUILT_IN);
        assertThat(Desired.differs(desired.workload(), API.clone(desired.workload()))).isFalse();
        next(
            backend,
            BackendSeen.madeFor(backend)
                .servers(BackendSeen.pod(backend, "llm-0", "{phase: Pending}"))
                .measuring("r"));
      }
      assertThat(Endpoints.of(backend)).isNotEmpty();
    }
    // The next looks, days later.
    next(backend, new BackendSeen());
    BackendDecision later =
        BackendPasses.decide(
            backend,
            new BackendSeen().observation(),
            FixedSettings.settings(),
            NOW.plus(Duration.ofDays(999)));
    assertThat(later.state()).isNotNull();
  }

  private static boolean invalid(State state) {
    return state.phase() == BackendPhase.Failed && state.reason().equals(Reasons.INVALID_SPEC);
  }

  private static BackendDecision next(InferenceBackend backend, BackendSeen seen) {
    BackendDecision decision =
        BackendPasses.decide(backend, seen.observation(), FixedSettings.settings(), NOW);
    InferenceBackendStatus status = BackendPasses.status(backend, decision, null, NOW);
    assertThat(BackendEvents.between(backend.getStatus(), status)).isNotNull();
    assertThat(status.conditions()).isNotEmpty();
    backend.setStatus(status);
    isWritten(backend);
    return decision;
  }

  private static void isWritten(HasMetadata object) {
    assertThat(API.asJson(object)).isNotEmpty();
  }

  @Test
  void whatIsThereStaysUnderASpecThatCannotBeRead() {
    InferenceBackend good = Fixtures.backend();
    BackendSeen seen = BackendSeen.madeFor(good);
    InferenceBackend bad =
        Fixtures.backend("engine: trtllm\nmodel: {name: m}\nreplicas: 99999999999");

    BackendDecision decision =
        BackendPasses.decide(bad, seen.observation(), FixedSettings.settings(), NOW);

    assertThat(decision.state().reason()).isEqualTo(Reasons.INVALID_SPEC);
    assertThat(decision.state().message())
        .isEqualTo(
            "spec.engine: \"trtllm\" is not known to this version of the operator, which knows vllm,"
                + " sglang, openai; spec.replicas: 99999999999 is not a whole number from"
                + " -2147483648 to"
                + " 2147483647");
    assertThat(decision.apply()).isEmpty();
    assertThat(decision.delete()).isEmpty();
  }

  @Test
  void serversOnDemandOfSuchASpecGoWhenNoRunHasThemAndRunsHaveBeenTold() {
    InferenceBackend bad =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\nlifecycle: OnDemand\nreplicas: many");
    BackendSeen idle =
        new BackendSeen()
            .workload(
                Desired.of(Fixtures.backend(), PodDefaults.BUILT_IN).workload(),
                Fixtures.backend());
    BackendSeen held =
        new BackendSeen()
            .workload(
                Desired.of(Fixtures.backend(), PodDefaults.BUILT_IN).workload(), Fixtures.backend())
            .measuring("r");

    List<HasMetadata> first = next(bad, idle).delete();
    List<HasMetadata> measured = next(bad, held).delete();
    List<HasMetadata> then = next(bad, idle).delete();

    assertThat(first).isEmpty();
    assertThat(measured).isEmpty();
    assertThat(then).hasSize(1);
  }
}
