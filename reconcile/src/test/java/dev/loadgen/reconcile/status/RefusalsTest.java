package dev.loadgen.reconcile.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  @Test
  void theWordsOfAWebhookAreQuotedWithoutTheRequest() {
    String said =
        "admission webhook \"vstatefulset.kb.io\" denied the request: spec.replicas: Invalid value:"
            + " 1: field is immutable";

    assertThat(
            Refusals.said(
                new KubernetesClientException(
                    "Failure executing: PATCH at: https://127.0.0.1/apis. Message: " + said,
                    403,
                    new StatusBuilder().withMessage(said).build())))
        .isEqualTo(said);
  }

  @Test
  void aConflictIsOfTheNameUnlessKubernetesSaysThatItIsNot() {
    assertThat(Refusals.isOfName(conflict("AlreadyExists"))).isTrue();
    assertThat(Refusals.isOfName(conflict(null))).isTrue();
    assertThat(Refusals.isOfName(conflict("Conflict"))).isFalse();
    assertThat(Refusals.isOfName(new KubernetesClientException("m", 403, null))).isFalse();
  }

  private static KubernetesClientException conflict(@Nullable String reason) {
    return new KubernetesClientException("m", 409, new StatusBuilder().withReason(reason).build());
  }

  @Test
  void withoutAStatusThereIsTheMessageOfTheClient() {
    assertThat(Refusals.said(new KubernetesClientException("timeout"))).isEqualTo("timeout");
    assertThat(Refusals.said(new KubernetesClientException("m", 403, new StatusBuilder().build())))
        .isEqualTo("m");
  }
}
