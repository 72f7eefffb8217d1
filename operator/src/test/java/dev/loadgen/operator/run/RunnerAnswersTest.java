package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodYaml;
import io.javaoperatorsdk.operator.processing.event.Event;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunnerAnswersTest {
  /** An address of the loopback network that nobody else uses, since the port is fixed. */
  private static final String ADDRESS = "127.91.17.4";

  private static final Duration TIME = Duration.ofHours(2);

  private final HttpClient http = HttpClient.newHttpClient();
  private final FairExecutor background = new FairExecutor(1, 1);
  private final List<Event> woken = new CopyOnWriteArrayList<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final BenchmarkRun run = Fixtures.run("r");
  private final PodReport runner = runner("one");

  /** One that is not answered in time, on a machine that is busy, is asked again. */
  private final RunnerAnswers runners =
      new RunnerAnswers(
          new ProgressPoller(http),
          background,
          OperatorSettings.defaults()
              .withIntervals(Duration.ofMillis(100), Duration.ofMillis(100)));

  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    runners
        .eventSources()
        .forEach(
            source -> {
              source.setEventHandler(woken::add);
              source.start();
            });
    server = HttpServer.create(new InetSocketAddress(ADDRESS, RunnerInterface.PORT), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] request = exchange.getRequestBody().readAllBytes();
          asked.add(
              exchange.getRequestMethod() + " " + new String(request, StandardCharsets.UTF_8));
          if (exchange.getRequestMethod().equals("PUT")) {
            exchange.sendResponseHeaders(204, -1);
          } else {
            byte[] bytes = "{\"stage\":\"Running\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
          }
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    background.close();
    http.close();
  }

  private static PodReport runner(String uid) {
    PodReport runner =
        PodYaml.pod(
            "r-runner-x",
            RunnerObjects.CONTAINER,
            PodYaml.in(RunnerObjects.CONTAINER, "{running: {}}"));
    runner.pod().getMetadata().setUid(uid);
    return runner;
  }

  /** Whatever becomes of the threads that ask, a pass is answered from what is known. */
  @Test
  void aPassAsksNoRunnerItself() {
    CountDownLatch busy = new CountDownLatch(1);
    background.execute("bench", () -> Awaitility.await().until(() -> busy.getCount() == 0));

    assertThat(runners.progress(run, runner, ADDRESS)).isNull();
    assertThat(runners.knows(run, runner, ADDRESS, TIME)).isFalse();

    assertThat(asked).isEmpty();
    busy.countDown();
    tell(runner, TIME);
    Progress progress =
        Awaitility.await().until(() -> runners.progress(run, runner, ADDRESS), Objects::nonNull);
    assertThat(progress)
        .isEqualTo(new Progress("Running", null, null, null, null, null, null, null, null));
    assertThat(woken).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void aRunnerIsToldOnceOfItsTimeAndOnceMoreOfAnother() {
    tell(runner, TIME);
    List<String> before = List.copyOf(asked);
    assertThat(runners.knows(run, runner, ADDRESS, TIME)).isTrue();

    tell(runner, TIME.plusHours(1));
    List<String> told = List.copyOf(asked);
    tell(runner("another"), TIME.plusHours(1));

    assertThat(before).containsOnly("PUT 7200000");
    assertThat(told).startsWith(before.toArray(String[]::new));
    assertThat(told.subList(before.size(), told.size())).containsOnly("PUT 10800000");
    assertThat(asked.subList(told.size(), asked.size())).containsOnly("PUT 10800000");
  }

  private void tell(PodReport to, Duration time) {
    Awaitility.await().until(() -> runners.knows(run, to, ADDRESS, time));
  }

  @Test
  void oneThatDoesNotAnswerDoesNotKnow() {
    server.stop(0);

    assertThat(runners.knows(run, runner, ADDRESS, TIME)).isFalse();
    Awaitility.await().until(() -> !woken.isEmpty());

    assertThat(runners.knows(run, runner, ADDRESS, TIME)).isFalse();
    assertThat(runners.fault(run)).isEmpty();
  }

  @Test
  void whatOneHasSaidThatIsGoneIsForgotten() {
    tell(runner, TIME);
    Awaitility.await().until(() -> runners.progress(run, runner, ADDRESS) != null);

    runners.forget(run);

    assertThat(runners.progress(run, runner, ADDRESS)).isNull();
    assertThat(runners.knows(run, runner, ADDRESS, TIME)).isFalse();
  }
}
