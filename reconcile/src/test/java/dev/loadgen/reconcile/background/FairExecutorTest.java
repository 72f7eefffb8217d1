package dev.loadgen.reconcile.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class FairExecutorTest {
  @Test
  void tasksOfOneTenantThatBlockLeaveRoomForAnother() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    try (FairExecutor executor = new FairExecutor(8, 4)) {
      for (int i = 0; i < 1_000; i++) {
        executor.execute("greedy", () -> await(end));
      }
      CountDownLatch other = new CountDownLatch(1);
      executor.execute("modest", other::countDown);

      other.await();
      end.countDown();
    }
  }

  @Test
  void neverMoreThanTheBoundsRunAtOnceAndAllRunInTheEnd() {
    AtomicInteger all = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    try (FairExecutor executor = new FairExecutor(6, 4)) {
      for (int i = 0; i < 300; i++) {
        executor.execute(
            "tenant-" + i % 3,
            () -> {
              most.accumulateAndGet(all.incrementAndGet(), Math::max);
              Thread.onSpinWait();
              all.decrementAndGet();
              ended.incrementAndGet();
            });
      }
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> ended.get() == 300);
    }
    assertThat(most.get()).isBetween(1, 6);
  }

  @Test
  void tenantsTakeTurns() {
    List<String> order = new CopyOnWriteArrayList<>();
    Semaphore first = new Semaphore(0);
    try (FairExecutor executor = new FairExecutor(1, 1)) {
      executor.execute("a", first::acquireUninterruptibly);
      for (int i = 0; i < 3; i++) {
        executor.execute("a", () -> order.add("a"));
      }
      executor.execute("b", () -> order.add("b"));
      executor.execute("c", () -> order.add("c"));
      first.release();

      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> order.size() == 5);
    }
    assertThat(order).containsExactly("a", "b", "c", "a", "a");
  }

  @Test
  void aTaskThatThrowsGivesItsPlaceBack() throws InterruptedException {
    CountDownLatch next = new CountDownLatch(1);
    try (FairExecutor executor = new FairExecutor(1, 1)) {
      executor.execute(
          "a",
          () -> {
            // The JVM's own handler is that of any test that waits beside this one.
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
            throw new IllegalStateException("on purpose");
          });
      executor.execute("a", next::countDown);

      next.await();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
