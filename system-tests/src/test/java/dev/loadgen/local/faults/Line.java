package dev.loadgen.local.faults;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What one operator's calls of the API server go through. A script says what becomes of each. A
 * line that is cut stays so: nothing of its operator reaches the server any more, and it gets no
 * answer, as if its process had been killed.
 */
final class Line {
  /** Longer than anything takes that is not slow. */
  private static final Duration SLOW = Duration.ofMillis(300);

  /** Decides on calls; called by several threads at once. */
  @FunctionalInterface
  interface Script {
    Fate fateOf(ApiCall call);
  }

  private final Script script;
  private final Duration patience;
  private final List<Runnable> whenCut = new CopyOnWriteArrayList<>();
  private final Set<WatchExchange> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;

  /**
   * A line.
   *
   * @param patience how long the operator's client waits for an answer
   */
  Line(Script script, Duration patience) {
    this.script = script;
    this.patience = patience;
  }

  /** Has something done as the line is cut, before anything else happens. */
  void whenCut(Runnable action) {
    whenCut.add(action);
  }

  /** Cuts the operator off for good. */
  void cut() {
    synchronized (this) {
      if (cut) {
        return;
      }
      cut = true;
    }
    whenCut.forEach(Runnable::run);
    cutWatches();
  }

  boolean isCut() {
    return cut;
  }

  private void cutWatches() {
    watches.forEach(WatchExchange::close);
  }

  private void expireWatches() {
    watches.forEach(WatchExchange::expire);
  }

  void serve(HttpExchange exchange, Filter.Chain chain) throws IOException {
    if (cut) {
      // It may know by now: this ends what is left of it sooner than connections that are cut.
      exchange.sendResponseHeaders(HttpURLConnection.HTTP_FORBIDDEN, -1);
      exchange.close();
      return;
    }
    if ("websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Upgrade"))) {
      // By this, the client asks again by plain HTTP.
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
      return;
    }
    ApiCall call = ApiCall.of(exchange);
    Fate fate = script.fateOf(call);
    if (fate.status != 0) {
      answer(exchange, fate);
      return;
    }
    switch (fate) {
      case CUT_WATCHES -> cutWatches();
      case EXPIRE_WATCHES -> expireWatches();
      case SLOW -> sleep(SLOW);
      case LATE -> sleep(patience.plus(SLOW));
      case KILL_BEFORE -> cut();
      default -> {}
    }
    if (fate == Fate.KILL_BEFORE || fate == Fate.CUT_BEFORE || cut) {
      exchange.close();
    } else if (call.isWatch()) {
      watch(exchange, chain);
    } else {
      pass(exchange, chain, fate);
    }
  }

  private void watch(HttpExchange exchange, Filter.Chain chain) throws IOException {
    try (WatchExchange watch = new WatchExchange(exchange)) {
      watches.add(watch);
      try {
        if (!cut) {
          chain.doFilter(watch);
        }
      } finally {
        watches.remove(watch);
      }
    }
  }

  private void pass(HttpExchange exchange, Filter.Chain chain, Fate fate) throws IOException {
    KeptExchange kept = new KeptExchange(exchange);
    chain.doFilter(kept);
    if (fate == Fate.KILL_AFTER) {
      cut();
    }
    if (cut || fate == Fate.CUT_AFTER) {
      exchange.close();
    } else {
      kept.send();
    }
  }

  private static void answer(HttpExchange exchange, Fate fate) throws IOException {
    exchange.getRequestBody().readAllBytes();
    byte[] body = fate.answer().toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    if (fate == Fate.TOO_MANY_REQUESTS) {
      exchange.getResponseHeaders().set("Retry-After", "1");
    }
    exchange.sendResponseHeaders(fate.status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Keeps the answer until it is known whether it shall be sent. */
  private static final class KeptExchange extends ForwardingExchange {
    private final HttpExchange real;
    private final InputStream request;
    private final Headers headers = new Headers();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private int code;

    KeptExchange(HttpExchange real) throws IOException {
      super(real);
      this.real = real;
      this.request = new ByteArrayInputStream(real.getRequestBody().readAllBytes());
    }

    @Override
    public InputStream getRequestBody() {
      return request;
    }

    @Override
    public Headers getResponseHeaders() {
      return headers;
    }

    @Override
    public OutputStream getResponseBody() {
      return body;
    }

    @Override
    public void sendResponseHeaders(int status, long length) {
      code = status;
    }

    @Override
    public int getResponseCode() {
      return code;
    }

    @Override
    public void close() {}

    void send() throws IOException {
      real.getResponseHeaders().putAll(headers);
      real.sendResponseHeaders(code, body.size() == 0 ? -1 : body.size());
      body.writeTo(real.getResponseBody());
      real.close();
    }
  }

  /** A watch that others than the server may end. */
  private static final class WatchExchange extends ForwardingExchange {
    private static final byte[] EXPIRED =
        ("{\"type\":\"ERROR\",\"object\":" + Fate.GONE.answer() + "}\n")
            .getBytes(StandardCharsets.UTF_8);

    private final HttpExchange real;
    private boolean begun;

    WatchExchange(HttpExchange real) {
      super(real);
      this.real = real;
    }

    @Override
    public synchronized void sendResponseHeaders(int code, long length) throws IOException {
      real.sendResponseHeaders(code, length);
      begun = code == 200;
    }

    @Override
    public OutputStream getResponseBody() {
      OutputStream out = real.getResponseBody();
      return new OutputStream() {
        @Override
        public void write(int one) throws IOException {
          write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
          synchronized (WatchExchange.this) {
            out.write(bytes, offset, length);
          }
        }

        @Override
        public void flush() throws IOException {
          synchronized (WatchExchange.this) {
            out.flush();
          }
        }

        @Override
        public void close() throws IOException {
          synchronized (WatchExchange.this) {
            out.close();
          }
        }
      };
    }

    synchronized void expire() {
      try {
        if (begun) {
          real.getResponseBody().write(EXPIRED);
          real.getResponseBody().flush();
        }
      } catch (IOException e) {
        // It has ended by itself.
      } finally {
        close();
      }
    }

    /** Cuts the connection: its request has no body that was read, so that nothing is sent. */
    @Override
    public void close() {
      real.close();
    }
  }
}
