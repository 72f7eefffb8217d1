package dev.loadgen.client.transport;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * HTTP/1.1 without TLS on a few threads, each with a selector: no thread a request, about half of
 * OkHttp's processor time an event, and stamps within some 20 microseconds of the read.
 *
 * <p>Sinks run on the loops' threads, so a sink that blocks holds up every exchange of its loop. A
 * connection carries one request at a time. A request is never sent again, even when the server
 * closed a connection that was idle before and no byte of an answer has come: it may have begun to
 * work on it.
 */
public final class EventLoopTransport implements Transport {
  private static final Duration CLOSE_GRACE = Duration.ofSeconds(10);

  private final Access access;
  private final List<EventLoop> loops;
  private final AtomicInteger turn = new AtomicInteger();
  private final Map<URI, Target> targets = new ConcurrentHashMap<>();

  /**
   * A transport that finds hosts by {@code names} and is let in by {@code access}.
   *
   * @param loops number of threads, at least 1
   */
  public EventLoopTransport(HostNames names, Access access, int loops) {
    this(names, access, loops, OkHttpTransport.IDLE_LIFETIME);
  }

  EventLoopTransport(HostNames names, Access access, int loops, Duration idleLifetime) {
    this.access = access;
    this.loops =
        IntStream.range(0, loops)
            .mapToObj(i -> new EventLoop("event-loop-" + i, names, idleLifetime))
            .toList();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the URI is not of http
   */
  @Override
  public Exchange start(HttpRequest request, ResponseSink sink) {
    Target target = targets.get(request.uri());
    if (target == null) {
      target = targets.computeIfAbsent(request.uri(), uri -> Target.of(uri, access.headers()));
    }
    EventLoop loop = nextLoop();
    LoopExchange exchange = new LoopExchange(loop, target, request, sink);
    loop.execute(exchange);
    return exchange;
  }

  /**
   * A loop keeps what it starts itself, which needs no other thread to wake up. As it starts only
   * as many as it has ended, the loops remain as even as the others' turns have made them.
   */
  private EventLoop nextLoop() {
    if (loops.size() == 1) {
      return loops.getFirst();
    }
    for (EventLoop loop : loops) {
      if (loop.isCurrentThread()) {
        return loop;
      }
    }
    return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
  }

  @Override
  public List<Lane> lanes() {
    return List.copyOf(loops);
  }

  @Override
  public void closeIdle() {
    loops.forEach(EventLoop::closeIdle);
  }

  @Override
  public void close() {
    loops.forEach(EventLoop::close);
    long end = System.nanoTime() + CLOSE_GRACE.toNanos();
    for (EventLoop loop : loops) {
      try {
        loop.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
