package dev.loadgen.client;

import dev.loadgen.client.transport.Access;
import dev.loadgen.client.transport.HttpRequest;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.datasets.payload.Payload;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The engine client that a plan asks for. */
public final class EngineClients {
  private EngineClients() {}

  /** A client of servers that let everybody in, which keeps answers; see the other method. */
  public static EngineClient forPlan(RunPlan plan, Transport transport, Deadlines deadlines) {
    return forPlan(plan, transport, deadlines, Access.NONE, true);
  }

  /**
   * A client for the plan's engine, route, sampling and streaming, whose requests fail as {@link
   * RequestFailure.Kind#TIMEOUT} after the plan's {@code client.requestTimeoutMs}.
   *
   * @param transport carries the requests; stays the caller's to close
   * @param deadlines watches them; stays the caller's to close
   * @param access whose secrets are taken out of what servers say
   * @param keepAnswers whether somebody wants the text and the ids of answers; else their tokens
   *     are counted, and the many that are in flight take no memory
   * @throws IllegalArgumentException if the engine has no such route; the message says what to set
   */
  public static EngineClient forPlan(
      RunPlan plan, Transport transport, Deadlines deadlines, Access access, boolean keepAnswers) {
    RunPlan.Server server = plan.server();
    Route route = Route.of(server.engine(), server.endpointType());
    boolean streaming = plan.client().streaming();
    RequestBodies bodies =
        new RequestBodies(server.engine(), route, server.model(), streaming, plan.sampling());
    Duration timeout = Duration.ofMillis(plan.client().requestTimeoutMs());
    return new HttpEngineClient(
        bodies, route, streaming, keepAnswers, transport, deadlines, access, timeout);
  }

  private static final class HttpEngineClient implements EngineClient {
    private final RequestBodies bodies;
    private final String path;
    private final Wire wire;
    private final boolean streaming;
    private final boolean keepAnswers;
    private final Transport transport;
    private final Deadlines deadlines;
    private final Access access;
    private final long timeoutNanos;
    private final Map<URI, URI> targets = new ConcurrentHashMap<>();

    HttpEngineClient(
        RequestBodies bodies,
        Route route,
        boolean streaming,
        boolean keepAnswers,
        Transport transport,
        Deadlines deadlines,
        Access access,
        Duration timeout) {
      this.bodies = bodies;
      this.path = route.path();
      this.wire = route.wire();
      this.streaming = streaming;
      this.keepAnswers = keepAnswers;
      this.transport = transport;
      this.deadlines = deadlines;
      this.access = access;
      this.timeoutNanos = timeout.toNanos();
    }

    @Override
    public Payload encode(List<Prompt> prompts) {
      return bodies.encode(prompts);
    }

    @Override
    public Transport.Exchange send(URI baseUrl, Payload body, int prompts, AnswerSink sink) {
      PendingRequest pending =
          new PendingRequest(
              wire, prompts, streaming, keepAnswers, sink, deadlines, access, timeoutNanos);
      String aborted = deadlines.abortReason();
      if (aborted != null) {
        Thread.ofVirtual().start(() -> pending.neverSent(aborted));
        return pending;
      }
      URI target = targets.computeIfAbsent(baseUrl, base -> BaseUrls.at(base, path));
      // Tracked first, so that a response that ends at once has something to remove.
      deadlines.track(pending);
      try {
        pending.begun(transport.start(new HttpRequest(target, body, streaming), pending));
      } catch (RuntimeException e) {
        deadlines.untrack(pending);
        throw e;
      }
      return pending;
    }
  }
}
