package dev.loadgen.reconcile.pass;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParseException;
import dev.loadgen.contract.Reasons;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.OperatorException;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PassFailureTest {
  @Test
  void aFaultIsToldAtOnceWithItsClassItsTextAndItsPlace() {
    assertThat(PassFailure.of(new IllegalStateException("no\nsuch \u001b[1mthing"), 0))
        .hasValueSatisfying(
            failure -> {
              assertThat(failure.reason()).isEqualTo(Reasons.INTERNAL_ERROR);
              assertThat(failure.message())
                  .startsWith(
                      "an internal error of the operator: IllegalStateException: no such [1mthing"
                          + " (PassFailureTest.java:")
                  .endsWith("; the operator retries, and everything else stays as it is");
            });
  }

  @Test
  void aFaultWithoutATextIsToldByItsClass() {
    assertThat(PassFailure.of(new NullPointerException(), 0).orElseThrow().message())
        .contains("NullPointerException (");
  }

  @Test
  void anErrorIsToldAsItself() {
    Throwable error = null;
    try {
      PassError.guarded(
          () -> {
            throw new NoClassDefFoundError("dev/loadgen/Gone");
          });
    } catch (PassError e) {
      error = e;
    }

    assertThat(PassFailure.of(Objects.requireNonNull(error), 0).orElseThrow().message())
        .contains("NoClassDefFoundError: dev/loadgen/Gone");
  }

  @Test
  void anEndlessTextIsNotToldToItsEnd() {
    assertThat(PassFailure.of(new RuntimeException("x".repeat(100_000)), 0).orElseThrow().message())
        .hasSizeLessThan(1_200);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 404, 409, 429, 500, 503})
  void whatHealsByItselfIsToldOnlyWhenItDoesNot(int code) {
    KubernetesClientException failed = answered(code, "try later");

    for (int before = 0; before < PassFailure.PATIENCE - 1; before++) {
      assertThat(PassFailure.of(failed, before)).isEmpty();
    }
    assertThat(PassFailure.of(new OperatorException(failed), PassFailure.PATIENCE - 1))
        .hasValue(
            new PassFailure(
                Reasons.REQUEST_FAILED,
                "a request to Kubernetes keeps failing: try later; the operator" + " retries"));
  }

  @Test
  void aConnectionThatFailsIsToldWithItsCause() {
    KubernetesClientException failed =
        new KubernetesClientException("Operation: [get] failed.", new IOException("reset by peer"));

    assertThat(PassFailure.of(failed, 0)).isEmpty();
    assertThat(PassFailure.of(failed, 9).orElseThrow().message())
        .contains("Operation: [get] failed.", "reset by peer");
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 403, 422})
  void whatIsRefusedIsToldAtOnce(int code) {
    assertThat(PassFailure.of(answered(code, "leases is forbidden"), 0))
        .hasValue(
            new PassFailure(
                Reasons.REQUEST_FAILED,
                "Kubernetes refuses a request: leases is forbidden; the operator retries"));
  }

  @Test
  void anAnswerThatCannotBeReadIsAFault() {
    assertThat(
            PassFailure.of(
                    new KubernetesClientException(
                        "An error has occurred.", new JsonParseException(null, "no JSON")),
                    0)
                .map(PassFailure::reason))
        .hasValue(Reasons.INTERNAL_ERROR);
  }

  @Test
  void whatIsToldElsewhereOrEndsTheOperatorIsNotTold() {
    assertThat(PassFailure.of(new StatusRefusedException("no"), 9)).isEqualTo(Optional.empty());
    assertThat(
            PassFailure.of(new KubernetesClientException("failed", new InterruptedException()), 9))
        .isEmpty();
  }

  @Test
  void aCircleOfCausesIsNotFollowedForEver() {
    RuntimeException one = new RuntimeException("one");
    RuntimeException other = new RuntimeException("other", one);
    one.initCause(other);

    assertThat(PassFailure.of(one, 0)).isPresent();
  }

  static KubernetesClientException answered(int code, String words) {
    return new KubernetesClientException(
        "Failure executing: PATCH at: https://10.0.0.1/apis. Message: " + words,
        code,
        new StatusBuilder().withCode(code).withMessage(words).build());
  }
}
