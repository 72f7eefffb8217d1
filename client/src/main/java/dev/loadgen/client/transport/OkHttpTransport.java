package dev.loadgen.client.transport;

import dev.loadgen.datasets.payload.Payload;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.ConnectionPool;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSink;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 by OkHttp, one virtual thread a request; also https and proxies.
 *
 * <p>There is no time limit: a timed read of a virtual thread costs as much as all other work on an
 * event, and a deadline is the caller's to set by {@link Transport.Exchange#cancel}. A connection
 * that nobody accepts is given up by the kernel, after about two minutes.
 */
public final class OkHttpTransport implements Transport {
  /**
   * How long an unused connection is kept. uvicorn, which both engines serve with, closes a
   * connection after 5 idle seconds by default; a request sent on it at that moment would fail by
   * no fault of the server, so ours go first, early enough even if this process has to wait for a
   * processor.
   */
  static final Duration IDLE_LIFETIME = Duration.ofSeconds(2);

  /** More than one address can have, so that the pool never closes a connection for its number. */
  private static final int MAX_IDLE_CONNECTIONS = 65_536;

  private static final Duration CLOSE_GRACE = Duration.ofSeconds(10);
  private static final MediaType JSON = MediaType.get("application/json");

  private final HostNames names;
  private final Access access;
  private final ConnectionPool pool;
  private final OkHttpClient client;
  // A run has few URLs; they need not be parsed again for each request.
  private final Map<URI, HttpUrl> urls = new ConcurrentHashMap<>();
  private final Set<OkHttpExchange> inFlight = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** A transport to servers that let everybody in; it finds hosts by {@code names}. */
  public OkHttpTransport(HostNames names) {
    this(names, Access.NONE);
  }

  /** A transport that finds hosts by {@code names} and is let in by {@code access}. */
  public OkHttpTransport(HostNames names, Access access) {
    this(names, access, IDLE_LIFETIME);
  }

  OkHttpTransport(HostNames names, Duration idleLifetime) {
    this(names, Access.NONE, idleLifetime);
  }

  private OkHttpTransport(HostNames names, Access access, Duration idleLifetime) {
    this.names = names;
    this.access = access;
    this.pool =
        new ConnectionPool(MAX_IDLE_CONNECTIONS, idleLifetime.toMillis(), TimeUnit.MILLISECONDS);
    this.client =
        access
            .secure(new OkHttpClient.Builder())
            .protocols(List.of(Protocol.HTTP_1_1))
            .connectionPool(pool)
            .dns(names)
            .socketFactory(new MeasuredSockets())
            // Racing addresses would connect on platform threads, one a connection.
            .fastFallback(false)
            .connectTimeout(Duration.ZERO)
            .readTimeout(Duration.ZERO)
            .writeTimeout(Duration.ZERO)
            .callTimeout(Duration.ZERO)
            .retryOnConnectionFailure(false)
            .followRedirects(false)
            .followSslRedirects(false)
            .eventListenerFactory(OkHttpTransport::listener)
            .build();
  }

  private static EventListener listener(Call call) {
    OkHttpExchange exchange = call.request().tag(OkHttpExchange.class);
    return exchange == null ? EventListener.NONE : exchange.connectionListener;
  }

  @Override
  public List<Lane> lanes() {
    return List.of(new VirtualThreads());
  }

  /**
   * A task of its own stands for a request: each has a virtual thread, which waits for its turn.
   */
  private record VirtualThreads() implements Lane {
    @Override
    public String name() {
      return "virtual-threads";
    }

    @Override
    public void execute(Runnable task) {
      Thread.ofVirtual().start(task);
    }

    @Override
    public OptionalLong idleNanos() {
      return OptionalLong.empty();
    }
  }

  @Override
  public void closeIdle() {
    pool.evictAll();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the URI is not of http or https
   */
  @Override
  public Exchange start(HttpRequest request, ResponseSink sink) {
    HttpUrl url = urls.computeIfAbsent(request.uri(), OkHttpTransport::parsed);
    OkHttpExchange exchange = new OkHttpExchange(url, request, sink);
    inFlight.add(exchange);
    if (closed) {
      exchange.cancel();
    }
    exchange.thread.start();
    return exchange;
  }

  private static HttpUrl parsed(URI uri) {
    HttpUrl url = HttpUrl.get(uri);
    if (url == null) {
      throw new IllegalArgumentException("not an http or https URL: " + uri);
    }
    return url;
  }

  @Override
  public void close() {
    closed = true;
    for (OkHttpExchange exchange : inFlight) {
      exchange.cancel();
    }
    awaitEnd();
    pool.evictAll();
    client.dispatcher().executorService().shutdown();
  }

  /** So that no sink is called after {@link #close}, unless a sink itself does not return. */
  private void awaitEnd() {
    long end = System.nanoTime() + CLOSE_GRACE.toNanos();
    for (OkHttpExchange exchange : inFlight) {
      if (exchange.thread == Thread.currentThread()) {
        continue;
      }
      try {
        exchange.thread.join(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** A body that OkHttp must not send twice, as it else would after a 503 with Retry-After: 0. */
  private static final class OneShotBody extends RequestBody {
    private final Payload payload;

    OneShotBody(Payload payload) {
      this.payload = payload;
    }

    @Override
    public MediaType contentType() {
      return JSON;
    }

    @Override
    public long contentLength() {
      return payload.length();
    }

    @Override
    public boolean isOneShot() {
      return true;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      payload.writeTo(sink.outputStream());
    }
  }

  private final class OkHttpExchange implements Exchange, Runnable {
    final Thread thread = Thread.ofVirtual().unstarted(this);
    final EventListener connectionListener =
        new EventListener() {
          @Override
          public void connectionAcquired(Call ignored, Connection connection) {
            connected = true;
            sink.connected(System.nanoTime());
          }

          @Override
          public void requestBodyEnd(Call ignored, long byteCount) {
            // The body is larger than OkHttp's buffers, or flushed right after this.
            sink.sent(System.nanoTime());
          }
        };

    private final String host;
    private final String authority;
    private final ResponseSink sink;
    private final Call call;
    private volatile boolean cancelled;
    private boolean connected;
    private boolean answered;

    OkHttpExchange(HttpUrl url, HttpRequest request, ResponseSink sink) {
      this.host = url.host();
      this.authority = url.host() + ":" + url.port();
      this.sink = sink;
      Request.Builder built =
          new Request.Builder()
              .url(url)
              .tag(OkHttpExchange.class, this)
              .header("Accept", request.eventStream() ? "text/event-stream" : "application/json")
              .header("Accept-Encoding", "identity")
              .header("User-Agent", "loadgen-operator")
              .post(new OneShotBody(request.body()));
      access.headers().forEach(built::header);
      this.call = client.newCall(built.build());
    }

    @Override
    public void cancel() {
      cancelled = true;
      call.cancel();
    }

    @Override
    public void run() {
      try {
        IOException broken = exchange();
        if (broken != null) {
          sink.failed(describe(broken), System.nanoTime());
        }
      } finally {
        inFlight.remove(this);
      }
    }

    /** Returns why the exchange broke, or null if it has ended and the sink knows. */
    private @Nullable IOException exchange() {
      sink.taken(System.nanoTime());
      try (Response response = call.execute()) {
        answered = true;
        String contentType = response.header("Content-Type");
        sink.status(response.code(), contentType == null ? "" : contentType, System.nanoTime());
        BufferedSource source = response.body().source();
        Buffer buffer = source.getBuffer();
        Buffer.UnsafeCursor cursor = new Buffer.UnsafeCursor();
        while (source.request(1)) {
          long nanoTime = System.nanoTime();
          deliver(buffer, cursor, nanoTime);
        }
      } catch (IOException e) {
        return e;
      } catch (RuntimeException e) {
        // A bug, of the sink most likely: it still gets its end, and the bug is still seen.
        sink.failed(FailureMessages.bug(e), System.nanoTime());
        throw e;
      }
      sink.ended(System.nanoTime());
      return null;
    }

    /** Hands over the buffer's own arrays, which saves a copy of every byte. */
    private void deliver(Buffer buffer, Buffer.UnsafeCursor cursor, long nanoTime) {
      buffer.readUnsafe(cursor);
      try {
        while (cursor.next() != -1) {
          sink.bytes(cursor.data, cursor.start, cursor.end - cursor.start, nanoTime);
        }
      } finally {
        cursor.close();
      }
      buffer.clear();
    }

    private TransportException describe(IOException cause) {
      if (cancelled) {
        return FailureMessages.cancelled(cause);
      }
      if (!connected) {
        names.forget(host);
        return FailureMessages.notConnected(host, authority, cause);
      }
      return FailureMessages.broken(authority, answered, cause);
    }
  }
}
