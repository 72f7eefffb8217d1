package dev.loadgen.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.client.transport.Access;
import dev.loadgen.client.transport.HostNames;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineProfile;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
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

  /** How often a server that was healthy is asked for its models: it may be busy for a while. */
  private static final int QUESTIONS = 3;

  private static final long MAX_BODY_BYTES = 64L << 20;
  private static final long MAX_REFUSAL_BYTES = 64L << 10;
  private static final MediaType JSON = MediaType.get("application/json");

  private final OkHttpClient client;
  private final Access access;
  private final Engine engine;
  private final LongSupplier nanoTime;
  private final Duration pollInterval;

  /** A probe of servers that let everybody in; it finds hosts by {@code names}. */
  public ServerProbe(HostNames names, Engine engine) {
    this(names, Access.NONE, engine);
  }

  /** A probe that finds hosts by {@code names} and is let in by {@code access}. */
  public ServerProbe(HostNames names, Access access, Engine engine) {
    this(names, access, engine, System::nanoTime, POLL_INTERVAL, CALL_TIMEOUT);
  }

  ServerProbe(
      HostNames names,
      Engine engine,
      LongSupplier nanoTime,
      Duration pollInterval,
      Duration callTimeout) {
    this(names, Access.NONE, engine, nanoTime, pollInterval, callTimeout);
  }

  private ServerProbe(
      HostNames names,
      Access access,
      Engine engine,
      LongSupplier nanoTime,
      Duration pollInterval,
      Duration callTimeout) {
    this.access = access;
    this.engine = engine;
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
   * Waits until {@code GET} of the engine's health answers 200. All else is "not yet", be it a
   * refused connection, 503, or a status of something in between that does not know the server by
   * now.
   *
   * @param deadline as {@link System#nanoTime}
   * @throws ServerProbeException at the deadline; says what came last
   */
  public void awaitHealthy(URI baseUrl, long deadline)
      throws ServerProbeException, InterruptedException {
    URI url = BaseUrls.at(baseUrl, EngineProfile.of(engine).healthPath());
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
   * The names that the server serves models by, of {@code GET /v1/models}. It is asked again if it
   * does not answer.
   *
   * @throws ServerProbeException if it does not answer with a list of models
   */
  public List<String> models(URI baseUrl) throws ServerProbeException {
    URI url = BaseUrls.at(baseUrl, EngineProfile.MODELS_PATH);
    return models(url, patientText(url));
  }

  static List<String> models(URI url, String body) throws ServerProbeException {
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
   * The JSON object of {@code GET} of a path.
   *
   * @throws ServerProbeException if it does not answer with one
   */
  public JsonNode object(URI baseUrl, String path) throws ServerProbeException {
    URI url = BaseUrls.at(baseUrl, path);
    String body = text(url);
    try {
      JsonNode object = Json.MAPPER.readTree(body);
      if (object.isObject()) {
        return object;
      }
      throw new ServerProbeException(url + " answered what is not a JSON object");
    } catch (IOException e) {
      throw new ServerProbeException(url + " answered what is not JSON", e);
    }
  }

  /**
   * The text of {@code GET /metrics}.
   *
   * @throws ServerProbeException if there is none; SGLang has it only with {@code
   *     --enable-metrics}. Of an engine without known counters nothing is asked
   */
  public String metrics(URI baseUrl) throws ServerProbeException {
    if (!EngineProfile.of(engine).hasCounters()) {
      throw new ServerProbeException("no metrics of servers of " + engine + " are known");
    }
    return text(BaseUrls.at(baseUrl, "/metrics"));
  }

  /**
   * Has the server record a trace: {@code POST /start_profile}.
   *
   * @param body of {@link ProfilerRequests#start}
   * @param most how long the answer may take
   * @throws ServerProbeException if it refuses; with a cause, if nobody knows whether it records
   */
  public void startProfile(URI baseUrl, String body, Duration most) throws ServerProbeException {
    post(BaseUrls.at(baseUrl, "/start_profile"), body, most);
  }

  /**
   * Has the server stop, and write the trace: {@code POST /stop_profile}. Engines answer when it is
   * written.
   *
   * @param most how long the answer may take
   * @throws ServerProbeException if it refuses, or does not answer in time
   */
  public void stopProfile(URI baseUrl, Duration most) throws ServerProbeException {
    post(BaseUrls.at(baseUrl, "/stop_profile"), "{}", most);
  }

  private void post(URI url, String body, Duration most) throws ServerProbeException {
    OkHttpClient patient = client.newBuilder().callTimeout(most).readTimeout(most).build();
    try (Response response =
        patient.newCall(request(url).post(RequestBody.create(body, JSON)).build()).execute()) {
      if (response.code() != 200) {
        // What a server says to this is a line or two.
        byte[] answer = response.peekBody(MAX_REFUSAL_BYTES).bytes();
        throw refusal(url, response.code(), answer);
      }
    } catch (IOException e) {
      throw new ServerProbeException(url + " did not answer (" + words(e) + ")", e);
    }
  }

  @Override
  public void close() {
    client.dispatcher().cancelAll();
    client.connectionPool().evictAll();
    client.dispatcher().executorService().shutdown();
  }

  private String patientText(URI url) throws ServerProbeException {
    for (int left = QUESTIONS - 1; ; left--) {
      try {
        return text(url);
      } catch (ServerProbeException e) {
        if (left == 0 || !(e.getCause() instanceof IOException)) {
          throw e;
        }
      }
    }
  }

  private String text(URI url) throws ServerProbeException {
    try (Response response = get(url)) {
      BufferedSource source = response.body().source();
      if (source.request(MAX_BODY_BYTES)) {
        throw new ServerProbeException(url + " answered more than " + MAX_BODY_BYTES + " bytes");
      }
      byte[] body = source.readByteArray();
      if (response.code() != 200) {
        throw refusal(url, response.code(), body);
      }
      return access.redact(new String(body, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new ServerProbeException(url + " did not answer (" + words(e) + ")", e);
    }
  }

  private ServerProbeException refusal(URI url, int code, byte[] body) {
    return new ServerProbeException(
        "%s answered HTTP %s: %s"
            .formatted(url, code, access.redact(ServerErrors.message(body, 0, body.length))));
  }

  private Response get(URI url) throws IOException {
    return client.newCall(request(url).build()).execute();
  }

  private Request.Builder request(URI url) throws IOException {
    Request.Builder request =
        new Request.Builder().url(url.toURL()).header("User-Agent", "loadgen-operator");
    access.headers().forEach(request::header);
    return request;
  }

  private static String words(IOException e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }
}
