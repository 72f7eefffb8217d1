package dev.loadgen.runner;

import dev.loadgen.client.Answer;
import dev.loadgen.client.AnswerSink;
import dev.loadgen.client.EngineClient;
import dev.loadgen.client.Prompt;
import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.ServerProbeException;
import dev.loadgen.client.transport.HostNames;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.datasets.payload.Payload;
import dev.loadgen.runner.dispatch.Replica;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out before LoadGen starts whether each server is there, serves the model, and answers a
 * request with tokens.
 */
final class Preflight {
  private static final Logger LOG = LoggerFactory.getLogger(Preflight.class);

  private static final String CREDENTIALS =
      "; spec.access of the backend must name what lets requests in";

  private static final int ADDRESSES_QUOTED = 4;

  private final RunPlan plan;
  private final EngineClient client;
  private final ServerProbe probe;
  private final @Nullable HostNames names;

  /**
   * Checks before a test.
   *
   * @param names by which the test finds its servers; null: through a proxy, or by https, where a
   *     gateway may have several addresses and its certificate asks for the name
   */
  Preflight(RunPlan plan, EngineClient client, ServerProbe probe, @Nullable HostNames names) {
    this.plan = plan;
    this.client = client;
    this.probe = probe;
    this.names = names;
  }

  /**
   * Checks every replica with one request for {@code sample}.
   *
   * @throws RunFailedException with the reason and the cure, for the first replica that fails
   */
  void check(List<Replica> replicas, Prompt sample)
      throws RunFailedException, InterruptedException {
    for (Replica replica : replicas) {
      awaitHealth(replica);
      checkAddresses(replica);
      checkModel(replica);
      checkAnswer(replica, sample);
      LOG.info("{} at {} is ready", replica.name(), replica.url());
    }
  }

  /**
   * Sends {@code count} requests to each replica, one after another, and forgets the answers.
   *
   * @throws RunFailedException if one fails
   */
  void warmUp(List<Replica> replicas, List<Prompt> samples, int count)
      throws RunFailedException, InterruptedException {
    for (int i = 0; i < count; i++) {
      for (Replica replica : replicas) {
        Outcome outcome = ask(replica, samples.get(i % samples.size()));
        if (outcome.failure() != null) {
          throw failed(replica, "warm-up request " + (i + 1), outcome.failure());
        }
      }
    }
  }

  private void awaitHealth(Replica replica) throws RunFailedException, InterruptedException {
    Duration limit = Duration.ofMillis(plan.timeouts().readyMs());
    try {
      probe.awaitHealthy(replica.url(), System.nanoTime() + limit.toNanos());
    } catch (ServerProbeException e) {
      throw new RunFailedException(
          RunnerExit.BACKEND_UNREACHABLE,
          replica.name()
              + " is not healthy after "
              + limit.toSeconds()
              + " s: "
              + e.getMessage()
              + (unauthorized(String.valueOf(e.getMessage()))
                  ? CREDENTIALS
                  : "; look at the server's log, or correct its address"),
          e);
    }
  }

  /**
   * One URL is measured as one server. A name with several addresses, such as that of a headless
   * Service, is as many, of which each has metrics of its own: what one of them says of its tokens
   * and caches is not true of the others.
   */
  private void checkAddresses(Replica replica) throws RunFailedException {
    HostNames asked = names;
    if (asked == null) {
      return;
    }
    List<InetAddress> addresses;
    try {
      addresses = asked.alternatives(replica.url());
    } catch (UnknownHostException e) {
      throw new RunFailedException(
          RunnerExit.BACKEND_UNREACHABLE,
          replica.name() + " at " + replica.url() + ": unknown host; correct its address",
          e);
    }
    if (addresses.size() > 1) {
      throw new RunFailedException(
          RunnerExit.PREFLIGHT_FAILED,
          replica.name()
              + " at "
              + replica.url()
              + " has "
              + addresses.size()
              + " addresses ("
              + addresses.stream()
                  .map(InetAddress::getHostAddress)
                  .sorted()
                  .limit(ADDRESSES_QUOTED)
                  .collect(Collectors.joining(", "))
              + (addresses.size() > ADDRESSES_QUOTED ? ", ..." : "")
              + "), which may be as many servers but is measured as one; give each server its own"
              + " URL in spec.external.urls of the backend, or the name of something with one"
              + " address, such as a Service with a cluster IP");
    }
  }

  private void checkModel(Replica replica) throws RunFailedException {
    List<String> served;
    try {
      served = probe.models(replica.url());
    } catch (ServerProbeException e) {
      throw new RunFailedException(
          RunnerExit.BACKEND_UNREACHABLE,
          replica.name()
              + " does not list its models: "
              + e.getMessage()
              + (unauthorized(String.valueOf(e.getMessage()))
                  ? CREDENTIALS
                  : "; spec.engine must name the kind of server that runs there"),
          e);
    }
    String model = plan.server().model();
    if (!served.contains(model)) {
      throw new RunFailedException(
          RunnerExit.MODEL_NOT_SERVED,
          ("%s at %s serves %s, not %s; set spec.model.servedName of the backend to a name that"
                  + " it serves")
              .formatted(replica.name(), replica.url(), String.join(", ", served), model));
    }
  }

  private void checkAnswer(Replica replica, Prompt sample)
      throws RunFailedException, InterruptedException {
    Outcome outcome = ask(replica, sample);
    if (outcome.failure() != null) {
      throw failed(replica, "a trial request", outcome.failure());
    }
    if (plan.client().streaming() && !outcome.firstTokenSeen()) {
      throw new RunFailedException(
          RunnerExit.PREFLIGHT_FAILED,
          ("%s at %s answered a trial request without streaming it; set spec.client.streaming"
                  + " to false, or use a server that streams")
              .formatted(replica.name(), replica.url()));
    }
  }

  private static RunFailedException failed(Replica replica, String what, RequestFailure failure) {
    boolean unreachable = failure.kind() == RequestFailure.Kind.CONNECT;
    return new RunFailedException(
        unreachable ? RunnerExit.BACKEND_UNREACHABLE : RunnerExit.PREFLIGHT_FAILED,
        replica.name()
            + " at "
            + replica.url()
            + " failed "
            + what
            + " ("
            + failure.kind()
            + "): "
            + failure.message()
            + (unauthorized(failure.message()) ? CREDENTIALS : cure(failure)));
  }

  private static boolean unauthorized(String message) {
    return message.contains("HTTP 401") || message.contains("HTTP 403");
  }

  private static String cure(RequestFailure failure) {
    return switch (failure.kind()) {
      case CONNECT, BROKEN -> "; look at the server's log";
      case CLIENT_LIMIT -> "; raise the open-file limit of the runner's container";
      case HTTP_STATUS, ERROR_IN_STREAM ->
          "; change what the server refuses in spec.sampling or spec.dataset";
      case INCOMPLETE, MALFORMED -> "; spec.engine and spec.endpointType must name what runs there";
      case NO_TOKENS ->
          failure.message().contains("no token counts")
              ? "; have the server or its gateway send usage with each answer, in a stream as"
                  + " stream_options.include_usage asks for"
              : "; look at the model's stop tokens, or set spec.sampling minTokens";
      case TIMEOUT -> "; raise spec.client.requestTimeout, or look at the server's log";
      case ABORTED, NO_SERVER -> "";
    };
  }

  private record Outcome(@Nullable RequestFailure failure, boolean firstTokenSeen) {}

  private Outcome ask(Replica replica, Prompt sample)
      throws InterruptedException, RunFailedException {
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    Payload body;
    try {
      body = client.encode(List.of(sample));
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(RunnerExit.DATASET_INVALID, String.valueOf(e.getMessage()), e);
    }
    client.send(
        replica.url(),
        body,
        1,
        new AnswerSink() {
          private boolean firstTokenSeen;

          @Override
          public void firstToken(int prompt, int token, long nanoTime) {
            firstTokenSeen = true;
          }

          @Override
          public void completed(int prompt, Answer answer, long nanoTime) {
            outcome.complete(new Outcome(null, firstTokenSeen));
          }

          @Override
          public void failed(int prompt, RequestFailure failure, long nanoTime) {
            outcome.complete(new Outcome(failure, firstTokenSeen));
          }
        });
    try {
      return outcome.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("never completed exceptionally", e);
    }
  }
}
