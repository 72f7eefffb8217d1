package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.ServerProbeException;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.ProfilingTool;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.runner.dispatch.Replica;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProfilingWindowTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final List<Replica> REPLICAS =
      List.of(
          new Replica(0, "b-0", URI.create("http://b-0")),
          new Replica(1, "b-1", URI.create("http://b-1")));

  private final AtomicBoolean begun = new AtomicBoolean();
  private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();
  private final CountDownLatch started = new CountDownLatch(2);
  private final CountDownLatch stopped = new CountDownLatch(2);

  /** Servers that do as they are told. */
  private class Willing implements ProfilingWindow.Profilers {
    @Override
    public void start(URI server, Duration most) throws ServerProbeException {
      calls.add("start " + server.getHost());
      started.countDown();
    }

    @Override
    public void stop(URI server, Duration most) throws ServerProbeException {
      calls.add("stop " + server.getHost());
      stopped.countDown();
    }
  }

  private ProfilingWindow window(
      ProfilingWindow.Profilers profilers, Duration after, Duration duration) {
    RunPlan plan = new PlanBuilder().replica("http://b-0").profiling(after, duration).build();
    return new ProfilingWindow(
        plan, plan.server().profiling(), REPLICAS, profilers, begun::get, System::nanoTime);
  }

  @Test
  void everyServerRecordsItsWindowAfterTheFirstQuery() throws Exception {
    ProfilingWindow window = window(new Willing(), Duration.ofMillis(150), Duration.ofMillis(100));

    window.open();
    Thread.sleep(100);
    assertThat(calls).isEmpty();
    begun.set(true);
    assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
    window.close(PATIENCE);

    assertThat(calls).containsExactlyInAnyOrder("start b-0", "stop b-0", "start b-1", "stop b-1");
    RunSummary.Profiling summary = window.summary();
    assertThat(summary.tool()).isEqualTo(ProfilingTool.Torch);
    assertThat(summary.prefix()).startsWith("run-");
    assertThat(summary.windows())
        .extracting(RunSummary.Window::replica)
        .containsExactly("b-0", "b-1");
    assertThat(summary.windows())
        .allSatisfy(
            recorded -> {
              assertThat(recorded.problem()).isNull();
              assertThat(recorded.startedMs()).isGreaterThanOrEqualTo(150);
              assertThat(recorded.stoppedMs()).isGreaterThanOrEqualTo(recorded.startedMs() + 100);
              assertThat(recorded.writtenMs()).isGreaterThanOrEqualTo(recorded.stoppedMs());
            });
  }

  @Test
  void aWindowEndsWithTheTest() throws Exception {
    ProfilingWindow window = window(new Willing(), Duration.ZERO, Duration.ofHours(1));
    begun.set(true);

    window.open();
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    window.close(PATIENCE);

    assertThat(calls).contains("stop b-0", "stop b-1");
    assertThat(window.summary().windows())
        .extracting(RunSummary.Window::problem)
        .containsOnlyNulls();
  }

  @Test
  void aTestThatEndsBeforeItsWindowSaysSo() throws Exception {
    ProfilingWindow window = window(new Willing(), Duration.ofHours(1), Duration.ofSeconds(1));
    begun.set(true);

    window.open();
    // Until the first query has been seen.
    Thread.sleep(200);
    window.close(PATIENCE);

    assertThat(calls).isEmpty();
    assertThat(window.summary().windows())
        .allSatisfy(
            recorded ->
                assertThat(recorded.problem())
                    .contains("the test ended", "spec.profiling.after", "set a shorter one"));
  }

  @Test
  void aServerThatRefusesIsNotStopped() throws Exception {
    ProfilingWindow window =
        window(
            new Willing() {
              @Override
              public void start(URI server, Duration most) throws ServerProbeException {
                super.start(server, most);
                if (server.getHost().equals("b-0")) {
                  throw new ServerProbeException("b-0 answered HTTP 404");
                }
              }
            },
            Duration.ZERO,
            Duration.ofMillis(10));
    begun.set(true);

    window.open();
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    window.close(PATIENCE);

    assertThat(calls).contains("stop b-1").doesNotContain("stop b-0");
    assertThat(window.summary().windows().get(0))
        .isEqualTo(new RunSummary.Window("b-0", null, null, null, "b-0 answered HTTP 404"));
    assertThat(window.summary().windows().get(1).problem()).isNull();
  }

  /** It may record all the same. */
  @Test
  void aServerThatDoesNotAnswerIsStopped() throws Exception {
    ProfilingWindow window =
        window(
            new Willing() {
              @Override
              public void start(URI server, Duration most) throws ServerProbeException {
                super.start(server, most);
                throw new ServerProbeException("no answer", new IOException("timeout"));
              }
            },
            Duration.ZERO,
            Duration.ofMillis(10));
    begun.set(true);

    window.open();
    assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
    window.close(PATIENCE);

    assertThat(window.summary().windows())
        .extracting(RunSummary.Window::problem)
        .containsOnly("no answer");
  }

  @Test
  void aTraceThatIsNotWrittenInTimeIsGivenUp() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    ProfilingWindow window =
        window(
            new Willing() {
              @Override
              public void stop(URI server, Duration most) throws ServerProbeException {
                super.stop(server, most);
                try {
                  never.await();
                } catch (InterruptedException e) {
                  throw new ServerProbeException("interrupted", e);
                }
              }
            },
            Duration.ZERO,
            Duration.ofMillis(1));
    begun.set(true);

    window.open();
    assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
    window.close(Duration.ofMillis(100));

    assertThat(window.summary().windows())
        .allSatisfy(
            recorded -> {
              assertThat(recorded.writtenMs()).isNull();
              assertThat(recorded.problem()).isNotNull();
            });
  }

  @Test
  void aProfilerThatRecordsAllTheTimeIsLeftAlone() throws Exception {
    RunPlan plan =
        new PlanBuilder()
            .replica("http://b-0")
            .profiling(new RunPlan.Profiling(ProfilingTool.Rocprof, "traces", "b", null, null))
            .build();
    ProfilingWindow window =
        new ProfilingWindow(
            plan, plan.server().profiling(), REPLICAS, new Willing(), () -> true, System::nanoTime);

    window.open();
    window.close(PATIENCE);

    assertThat(calls).isEmpty();
    assertThat(window.summary())
        .isEqualTo(new RunSummary.Profiling(ProfilingTool.Rocprof, "traces", "b", null, List.of()));
  }
}
