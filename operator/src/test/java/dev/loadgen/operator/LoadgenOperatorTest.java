package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The operator on an API server that has nothing. */
class LoadgenOperatorTest {
  private static final Answer EMPTY =
      new Answer(
          200,
          """
          {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []}
          """);

  private final AtomicLong time = new AtomicLong();
  private final AtomicBoolean failed = new AtomicBoolean();

  private LoadgenOperator start(LoopbackApiServer server) {
    OperatorSettings settings = FixedSettings.settings();
    return LoadgenOperator.start(
        server.client(),
        settings,
        null,
        new OperatorMetrics(settings.clock()),
        () -> failed.set(true));
  }

  private static Answer watched(Request request, String events) {
    return request.query().contains("watch=true") ? new Answer(200, events) : EMPTY;
  }

  @Test
  void anOperatorThatStoppedBecomesUnhealthy() throws IOException {
    Liveness liveness = new Liveness(time::get);
    try (LoopbackApiServer server = LoopbackApiServer.start(request -> watched(request, ""))) {
      LoadgenOperator operator = start(server);
      try (operator) {
        assertThat(operator.healthy()).isTrue();
        long passes = operator.passesEnded();
        Awaitility.await("a pass of nothing").until(() -> operator.passesEnded() > passes);
        liveness.saw(operator.healthy(), operator.passesEnded());
        assertThat(liveness.ready()).isTrue();
      }

      liveness.saw(operator.healthy(), operator.passesEnded());
      assertThat(liveness.ready()).isFalse();
      assertThat(liveness.problem()).isEmpty();
      time.addAndGet(Duration.ofMinutes(1).toNanos());
      liveness.saw(operator.healthy(), operator.passesEnded());
      assertThat(liveness.problem()).isPresent();
      assertThat(failed).as("an operator that is told to stop has not failed").isFalse();
    }
  }

  @Test
  void anOperatorThatCanNoLongerFollowTheApiServerEnds() throws IOException {
    // A watch that has nothing ends at once and is begun again, so that one of them comes after
    // this.
    AtomicBoolean broken = new AtomicBoolean();
    try (LoopbackApiServer server =
            LoopbackApiServer.start(
                request ->
                    watched(
                        request,
                        request.path().endsWith("/pods") && broken.get()
                            ? "{\"type\": \"ADDED\", \"object\": {\"kind\": \"Pod\","
                                + " \"apiVersion\": \"v1\", \"spec\": []}}\n"
                            : ""));
        LoadgenOperator operator = start(server)) {
      broken.set(true);
      Awaitility.await("the end").atMost(Duration.ofSeconds(30)).untilTrue(failed);
      assertThat(operator.healthy()).isFalse();
    }
  }
}
