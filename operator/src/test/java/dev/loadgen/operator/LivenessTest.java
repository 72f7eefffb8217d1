package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LivenessTest {
  private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 5); // it wraps
  private final Liveness liveness = new Liveness(time::get);

  private void pass(Duration duration) {
    time.addAndGet(duration.toNanos());
  }

  @Test
  void anOperatorWhoseCachesFillIsHealthyForAsLongAsTheyMayTake() {
    pass(Duration.ofMinutes(9));

    assertThat(liveness.problem()).isEmpty();
    assertThat(liveness.ready()).isFalse();

    pass(Duration.ofMinutes(1));

    assertThat(liveness.problem()).hasValue("the operator has not started for 600 s");
  }

  @Test
  void anOperatorThatStoppedIsUnhealthyAfterAMinute() {
    pass(Duration.ofMinutes(9));
    liveness.saw(true, 1);
    assertThat(liveness.ready()).isTrue();

    pass(Duration.ofSeconds(5));
    liveness.saw(false, 2);

    assertThat(liveness.ready()).isFalse();
    assertThat(liveness.problem()).isEmpty();

    pass(Duration.ofSeconds(54));
    liveness.saw(false, 3);
    assertThat(liveness.problem()).isEmpty();

    pass(Duration.ofSeconds(1));
    assertThat(liveness.problem())
        .hasValue(
            "the operator is stopped, or its caches are out of sync with the API server, for"
                + " 60 s");
  }

  @Test
  void cachesThatAreKeptAgainAreForgiven() {
    liveness.saw(true, 1);
    pass(Duration.ofSeconds(59));
    liveness.saw(false, 2);
    liveness.saw(true, 3);
    pass(Duration.ofSeconds(59));

    assertThat(liveness.problem()).isEmpty();
    assertThat(liveness.ready()).isTrue();
  }

  @Test
  void notToBeLookedAtIsNotToWork() {
    liveness.saw(true, 1);
    pass(Duration.ofMinutes(1));

    assertThat(liveness.problem()).isPresent();
    assertThat(liveness.ready()).isFalse();
  }

  @Test
  void passesThatDoNotEndAreAProblemAfterFiveMinutes() {
    liveness.saw(true, 7);
    watch(Duration.ofMinutes(5), 8); // the first of these looks sees one more
    assertThat(liveness.problem()).isEmpty();

    watch(Duration.ofSeconds(5), 8);
    assertThat(liveness.problem()).hasValue("no reconcile has ended for 300 s");

    watch(Duration.ofSeconds(5), 9);
    assertThat(liveness.problem()).isEmpty();
  }

  /** Looks every five seconds, and sees kept caches and as many passes. */
  private void watch(Duration duration, long passes) {
    for (long second = 0; second < duration.toSeconds(); second += 5) {
      pass(Duration.ofSeconds(5));
      liveness.saw(true, passes);
    }
  }
}
