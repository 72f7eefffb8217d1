package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.client.Answer;
import dev.loadgen.client.AnswerSink;
import dev.loadgen.client.EngineClient;
import dev.loadgen.client.Prompt;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.TokenCountSource;
import dev.loadgen.datasets.payload.Payload;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WarmUpTest {
  private static final Prompt PROMPT = new Prompt(new int[] {1, 2}, null);
  private static final RunPlan PLAN = new PlanBuilder().replica("http://127.0.0.1:1").build();

  /** A client that answers all but one in {@code every} of its requests at once. */
  private static final class AnsweringClient implements EngineClient {
    private final int every;
    private final RequestFailure.Kind kind;
    private final AtomicInteger sent = new AtomicInteger();

    AnsweringClient(int every, RequestFailure.Kind kind) {
      this.every = every;
      this.kind = kind;
    }

    @Override
    public Payload encode(List<Prompt> prompts) {
      return Payload.of(new byte[0]);
    }

    @Override
    public Transport.Exchange send(URI baseUrl, Payload body, int prompts, AnswerSink sink) {
      if (sent.incrementAndGet() % every == 0) {
        sink.failed(0, new RequestFailure(kind, "as told"), 1);
      } else {
        sink.completed(
            0, new Answer("a", new int[] {1}, 1, TokenCountSource.TOKEN_IDS, "length"), 1);
      }
      return () -> {};
    }
  }

  @Test
  void sendsThousandsOfRequests() throws Exception {
    AnsweringClient client =
        new AnsweringClient(Integer.MAX_VALUE, RequestFailure.Kind.HTTP_STATUS);

    WarmUp.run(PLAN, client, PROMPT);

    assertThat(client.sent).hasValueGreaterThanOrEqualTo(2000);
  }

  @Test
  void requestsThatFailAreAnErrorOfTheRunner() {
    AnsweringClient client = new AnsweringClient(700, RequestFailure.Kind.HTTP_STATUS);

    assertThatThrownBy(() -> WarmUp.run(PLAN, client, PROMPT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("requests to the runner's own responder failed: as told");
  }

  @Test
  void requestsThatAreOutOfTimeAreNot() throws Exception {
    AnsweringClient client = new AnsweringClient(700, RequestFailure.Kind.TIMEOUT);

    WarmUp.run(PLAN, client, PROMPT);

    assertThat(client.sent).hasValueGreaterThanOrEqualTo(2000);
  }
}
