package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class IssueQueryThreadsTest {
  private final IssueQueryThreads threads = new IssueQueryThreads();

  @Test
  void threadsGoOnTogetherWhenTheirNumberIsRight() throws Exception {
    try (var pool = Executors.newCachedThreadPool()) {
      var one = CompletableFuture.runAsync(threads::await, pool);
      var two = CompletableFuture.runAsync(threads::await, pool);

      threads.admit(2, Duration.ofSeconds(20));

      CompletableFuture.allOf(one, two).get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void tooFewThreadsAreNamedAndMayBeSentAway() {
    try (var pool = Executors.newCachedThreadPool()) {
      var one = CompletableFuture.runAsync(threads::await, pool);

      assertThatThrownBy(() -> threads.admit(2, Duration.ofMillis(50)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("serverNumIssueQueryThreads is 2");
      assertThat(one).isNotDone();
      threads.refuse("the reason");

      assertThatThrownBy(() -> one.get(20, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("the reason");
    }
  }

  @Test
  void threadsAreRefusedOnceTheTestHasStarted() {
    threads.admit(0, Duration.ZERO);

    assertThatThrownBy(threads::await).hasMessageContaining("has started or ended");
  }
}
