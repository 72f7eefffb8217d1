package dev.loadgen.runner.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.runner.transport.Access;
import dev.loadgen.runner.transport.HostNames;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;

/**
 * What is asked of a server outside the measured path: health, models, metrics. Calls block; safe
 * for use by many threads.
 */
public final class ServerProbe implements AutoCloseable {
  /** Bounds one call, connecting included. */
  public static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  /** Between two questions after a server's health. */
  static final Duration POLL_INTERVAL = Duration.ofMillis(250);

  private static final long MAX_BODY_BYTES = 64L << 20;

  private final OkHttpClient client;
  private final Access access;
  private final LongSupplier nanoTime;
  private final Duration pollInterval;

  /** A probe of servers that let everybody in; it finds hosts by {@code names}. */
  public ServerProbe(HostNames names) {
    this(names, Access.NONE);
  }

  /** A probe that finds hosts by {@code names} and is let in by {@code access}. */
  public ServerProbe(HostNames names, Access access) {
    this(names, access, System::nanoTime, POLL_INTERVAL, CALL_TIMEOUT);
  }

  ServerProbe(HostNames names, LongSupplier nanoTime, Duration pollInterval, Duration callTimeout) {
    this(names, Access.NONE, nanoTime, pollInterval, callTimeout);
  }

  private ServerProbe(
      HostNames names,
      Access access,
      LongSupplier nanoTime,
      Duration pollInterval,
      Duration callTimeout) {
    this.access = access;
    this.nanoTime = nanoTime;
    this.pollInterval = pollInterval;
    this.client =
        access
            .secure(new OkHttpClient.Builder())
            .dns(names)
            .callTimeout(callTimeout)
            .connectTimeout(callTimeout)
            .readTimeout(callTimeout)
            .followRedirects(false)
            .build();
  }

  /**
   * Waits until {@code GET /health} answers 200. All else is "not yet", be it a refused connection,
   * 503, or a status of something in between that does not know the server by now.
   *
   * @param deadline as {@link System#nanoTime}
   * @throws ServerProbeException at the deadline; says what came last
   */
  public void awaitHealthy(URI baseUrl, long deadline)
      throws ServerProbeException, InterruptedException {
    URI url = BaseUrls.at(baseUrl, "/health");
    while (true) {
      String last;
      try (Response response = get(url)) {
        if (response.code() == 200) {
          return;
        }
        last = "answered HTTP " + response.code();
      } catch (IOException e) {
        last = "did not answer (" + words(e) + ")";
      }
      long left = deadline - nanoTime.getAsLong();
      if (left <= 0) {
        throw new ServerProbeException(url + " " + last);
      }
      Thread.sleep(Duration.ofNanos(Math.min(left, pollInterval.toNanos())));
    }
  }

  /**
   * The names that the server serves models by, of {@code GET /v1/models}.
   *
   * @throws ServerProbeException if it does not answer with a list of models
   */
  public List<String> models(URI baseUrl) throws ServerProbeException {
    URI url = BaseUrls.at(baseUrl, "/v1/models");
    String body = text(url);
    JsonNode data;
    try {
      data = Json.MAPPER.readTree(body).path("data");
    } catch (IOException e) {
      throw new ServerProbeException(url + " answered what is not JSON", e);
    }
    if (!data.isArray()) {
      throw new ServerProbeException(url + " answered without a list of models in \"data\"");
    }
    List<String> names = new ArrayList<>();
    for (JsonNode model : data) {
      if (model.path("id").isTextual()) {
        names.add(model.path("id").textValue());
      }
    }
    return List.copyOf(names);
  }

  /**
   * The text of {@code GET /metrics}.
   *
   * @throws ServerProbeException if there is none; SGLang has it only with {@code --enable-metrics}
   */
  public String metrics(URI baseUrl) throws ServerProbeException {
    return text(BaseUrls.at(baseUrl, "/metrics"));
  }

  @Override
  public void close() {
    client.dispatcher().cancelAll();
    client.connectionPool().evictAll();
    client.dispatcher().executorService().shutdown();
  }

  private String text(URI url) throws ServerProbeException {
    try (Response response = get(url)) {
      BufferedSource source = response.body().source();
      if (source.request(MAX_BODY_BYTES)) {
        throw new ServerProbeException(url + " answered more than " + MAX_BODY_BYTES + " bytes");
      }
      byte[] body = source.readByteArray();
      if (response.code() != 200) {
        throw new ServerProbeException(
            url
                + " answered HTTP "
                + response.code()
                + ": "
                + access.redact(ServerErrors.message(body, 0, body.length)));
      }
      return access.redact(new String(body, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new ServerProbeException(url + " did not answer (" + words(e) + ")", e);
    }
  }

  private Response get(URI url) throws IOException {
    Request.Builder request =
        new Request.Builder().url(url.toURL()).header("User-Agent", "loadgen-operator");
    access.headers().forEach(request::header);
    return client.newCall(request.build()).execute();
  }

  private static String words(IOException e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }
}
