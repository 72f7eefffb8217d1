package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
  /** Ends by itself when told to. */
  private static final class Request implements Deadlines.Timed {
    private final Deadlines deadlines;
    private final long deadline;
    final CountDownLatch expired = new CountDownLatch(1);
    final CountDownLatch aborted = new CountDownLatch(1);

    Request(Deadlines deadlines, long deadline) {
      this.deadlines = deadlines;
      this.deadline = deadline;
    }

    @Override
    public long deadline() {
      return deadline;
    }

    @Override
    public void expire() {
      deadlines.untrack(this);
      expired.countDown();
    }

    @Override
    public void abort(String reason) {
      deadlines.untrack(this);
      aborted.countDown();
    }
  }

  @Test
  void theWatchdogExpiresOnlyWhatIsLate() throws Exception {
    try (Deadlines deadlines = new Deadlines()) {
      Request late = new Request(deadlines, System.nanoTime() - 1);
      Request early = new Request(deadlines, System.nanoTime() + TimeUnit.HOURS.toNanos(1));
      deadlines.track(early);
      deadlines.track(late);

      assertThat(late.expired.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(early.expired.getCount()).isEqualTo(1);
      assertThat(deadlines.inFlight()).isEqualTo(1);
    }
  }

  @Test
  void deadlinesHoldAcrossTheOverflowOfTheClock() {
    Deadlines deadlines = new Deadlines(() -> Long.MAX_VALUE);
    Request request = new Request(deadlines, Long.MIN_VALUE + 10);
    deadlines.track(request);

    deadlines.sweep();

    assertThat(deadlines.inFlight()).isEqualTo(1);
  }

  @Test
  void closingAbortsWhatIsInFlight() {
    Deadlines deadlines = new Deadlines();
    Request request = new Request(deadlines, System.nanoTime() + TimeUnit.HOURS.toNanos(1));
    deadlines.track(request);

    deadlines.close();

    assertThat(request.aborted.getCount()).isZero();
  }
}
