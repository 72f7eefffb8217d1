package dev.loadgen.mlflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.Excerpt;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * Calls of MLflow's REST API 2.0. Each is bounded by the time that is left, by a limit on silence,
 * and in what it reads. A call that a busy server refuses, or that finds no connection, is made
 * again. One thread calls; {@link #cancel} may come from any.
 */
final class MlflowRest implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final MediaType JSON = MediaType.get("application/json");
  private static final MediaType BYTES = MediaType.get("application/octet-stream");
  private static final long MAX_BODY_BYTES = 4L << 20;
  private static final int MAX_WORDS = 300;
  private static final int ATTEMPTS = 3;

  private final HttpUrl base;
  private final @Nullable String token;
  private final Limits limits;
  private final LongSupplier nanoTime;
  private final long deadline;
  private final OkHttpClient http;
  private volatile boolean cancelled;

  /**
   * Bounds of an export.
   *
   * @param total of all calls together
   * @param silence of a server that is being talked to
   * @param pause before a call is made again
   * @param last of the call that closes a run whose export was ended early
   */
  record Limits(Duration total, Duration silence, Duration pause, Duration last) {}

  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String code;

    RefusedException(String call, int status, String code, String words) {
      super(call + " answered HTTP " + status + (words.isEmpty() ? "" : ": " + words));
      this.status = status;
      this.code = code;
    }

    int status() {
      return status;
    }

    /** MLflow's own code, such as {@code RESOURCE_DOES_NOT_EXIST}; empty if there is none. */
    String code() {
      return code;
    }
  }

  /**
   * Calls to a server.
   *
   * @param nanoTime {@link System#nanoTime}; the total begins now
   */
  MlflowRest(HttpUrl base, @Nullable String token, Limits limits, LongSupplier nanoTime) {
    this.base = base;
    this.token = token;
    this.limits = limits;
    this.nanoTime = nanoTime;
    this.deadline = nanoTime.getAsLong() + limits.total().toNanos();
    this.http =
        new OkHttpClient.Builder()
            .connectTimeout(limits.silence())
            .readTimeout(limits.silence())
            .writeTimeout(limits.silence())
            .followRedirects(false)
            .build();
  }

  /** Asks for {@code path} below {@code api/2.0/}. */
  JsonNode get(String path, String parameter, String value)
      throws RefusedException, ExportException, InterruptedException {
    HttpUrl url = api(path).addQueryParameter(parameter, value).build();
    return json("GET " + path, new Request.Builder().url(url).get());
  }

  /** Posts {@code body} to {@code path} below {@code api/2.0/}. */
  JsonNode post(String path, JsonNode body)
      throws RefusedException, ExportException, InterruptedException {
    return json("POST " + path, posting(path, RequestBody.create(bytes(body), JSON)));
  }

  /** The same without a second try: for what would then be there twice. */
  JsonNode postOnce(String path, JsonNode body)
      throws RefusedException, ExportException, InterruptedException {
    String name = "POST " + path;
    return tree(
        name, call(name, posting(path, new Once(RequestBody.create(bytes(body), JSON))), 1));
  }

  /** Posts even when there is no time left, or the calls were cancelled: the last word. */
  void postLast(String path, JsonNode body) throws ExportException, RefusedException {
    Request request = prepared(posting(path, RequestBody.create(bytes(body), JSON)));
    Call call = http.newCall(request);
    call.timeout().timeout(limits.last().toNanos(), TimeUnit.NANOSECONDS);
    try (Response response = call.execute()) {
      read("POST " + path, response);
    } catch (IOException e) {
      throw new ExportException(
          "POST " + path + " of " + base + " did not answer (" + words(e) + ")", e);
    }
  }

  void put(HttpUrl url, String name, Path file)
      throws RefusedException, ExportException, InterruptedException {
    put(url, name, RequestBody.create(file.toFile(), BYTES));
  }

  void put(HttpUrl url, String name, String text)
      throws RefusedException, ExportException, InterruptedException {
    put(url, name, RequestBody.create(text.getBytes(StandardCharsets.UTF_8), BYTES));
  }

  private void put(HttpUrl url, String name, RequestBody body)
      throws RefusedException, ExportException, InterruptedException {
    call("PUT of " + name, new Request.Builder().url(url).put(body), ATTEMPTS);
  }

  /** A URL below {@code api/2.0/}. */
  private HttpUrl.Builder api(String path) {
    return base.newBuilder().addPathSegments("api/2.0/" + path);
  }

  private Request.Builder posting(String path, RequestBody body) {
    return new Request.Builder().url(api(path).build()).post(body);
  }

  /** A body that OkHttp does not send again when the connection breaks. */
  private static final class Once extends RequestBody {
    private final RequestBody body;

    Once(RequestBody body) {
      this.body = body;
    }

    @Override
    public @Nullable MediaType contentType() {
      return body.contentType();
    }

    @Override
    public long contentLength() throws IOException {
      return body.contentLength();
    }

    @Override
    public boolean isOneShot() {
      return true;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      body.writeTo(sink);
    }
  }

  /** Ends the call in flight; later ones fail at once. */
  void cancel() {
    cancelled = true;
    http.dispatcher().cancelAll();
  }

  @Override
  public void close() {
    http.dispatcher().cancelAll();
    http.dispatcher().executorService().shutdown();
    http.connectionPool().evictAll();
  }

  private static byte[] bytes(JsonNode body) {
    try {
      return MAPPER.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree that cannot be written", e);
    }
  }

  private JsonNode json(String name, Request.Builder request)
      throws RefusedException, ExportException, InterruptedException {
    return tree(name, call(name, request, ATTEMPTS));
  }

  private JsonNode tree(String name, byte[] body) throws ExportException {
    try {
      return MAPPER.readTree(body);
    } catch (IOException e) {
      throw new ExportException(
          "%s of %s answered what is not JSON: %s; is there an MLflow server at this URL?"
              .formatted(name, base, cut(new String(body, StandardCharsets.UTF_8))),
          e);
    }
  }

  private Request prepared(Request.Builder request) {
    request.header("User-Agent", "loadgen-operator");
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return request.build();
  }

  private byte[] call(String name, Request.Builder builder, int attempts)
      throws RefusedException, ExportException, InterruptedException {
    Request request = prepared(builder);
    for (int attempt = 1; ; attempt++) {
      try {
        return once(name, request);
      } catch (RefusedException e) {
        boolean busy = e.status() == 429 || e.status() >= 500;
        if (!busy || attempt >= attempts) {
          throw e;
        }
      } catch (IOException e) {
        // A server that is silent has had its time.
        boolean unconnected = e instanceof ConnectException || e instanceof UnknownHostException;
        if (!unconnected || attempt >= attempts || cancelled) {
          throw new ExportException(
              "%s of %s did not answer (%s); is the server up, and is the URL right?"
                  .formatted(name, base, words(e)),
              e);
        }
      }
      Thread.sleep(limits.pause().multipliedBy(attempt));
    }
  }

  private byte[] once(String name, Request request)
      throws IOException, RefusedException, ExportException {
    long left = deadline - nanoTime.getAsLong();
    if (cancelled) {
      throw new ExportException("ended by a signal before " + name);
    }
    if (left <= 0) {
      throw new ExportException(
          "not done after " + limits.total().toSeconds() + " s, at " + name + " of " + base);
    }
    Call call = http.newCall(request);
    call.timeout().timeout(left, TimeUnit.NANOSECONDS);
    try (Response response = call.execute()) {
      return read(name, response);
    } catch (IOException e) {
      if (cancelled) {
        throw new ExportException("ended by a signal during " + name, e);
      }
      throw e;
    }
  }

  private byte[] read(String name, Response response)
      throws IOException, RefusedException, ExportException {
    BufferedSource source = response.body().source();
    if (source.request(MAX_BODY_BYTES)) {
      throw new ExportException(
          name + " of " + base + " answered more than " + MAX_BODY_BYTES + " bytes");
    }
    byte[] body = source.readByteArray();
    if (response.isSuccessful()) {
      return body;
    }
    throw refused(name, response, body);
  }

  private RefusedException refused(String name, Response response, byte[] body) {
    String code = "";
    String words = cut(new String(body, StandardCharsets.UTF_8));
    try {
      JsonNode error = MAPPER.readTree(body);
      code = error.path("error_code").asText("");
      words = cut(error.path("message").asText(words));
    } catch (IOException e) {
      // Not MLflow's own error; the text is all that there is.
    }
    if (response.isRedirect()) {
      words = "it redirects to " + response.header("Location") + "; give that URL";
    }
    return new RefusedException(name + " of " + base, response.code(), code, words);
  }

  /** One line of what a server says, without the token, which it may repeat. */
  private String cut(String text) {
    String line = text.replaceAll("\\s+", " ").strip();
    line = token == null ? line : line.replace(token, "[redacted]");
    return Excerpt.of(line, MAX_WORDS);
  }

  private static String words(IOException e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }
}
