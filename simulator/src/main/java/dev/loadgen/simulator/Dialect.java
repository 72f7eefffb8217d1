package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes of one engine, and what those of all engines have in common. */
abstract class Dialect<E extends OpenAiErrors> implements HttpServer.Handler {
  /** The engines' default for completions that name no limit. */
  static final int DEFAULT_MAX_TOKENS = 16;

  private record Route(Set<String> methods, HttpServer.Handler handler) {}

  final ServerParts parts;
  final SimulatorOptions options;
  final TimeSource time;
  final OpenAiReader reader;
  final Tracer tracer;
  final E errors;
  private final long salt;
  private final AtomicLong named = new AtomicLong();
  private final Map<String, Route> routes = new HashMap<>();

  Dialect(ServerParts parts, E errors) {
    this.parts = parts;
    this.options = parts.options();
    this.time = parts.time();
    this.salt = Hash.mix(time.now().toEpochMilli(), time.nanoTime());
    this.errors = errors;
    this.reader = new OpenAiReader(parts, errors);
    this.tracer = new Tracer(time);
    infer("/v1/completions", http -> completions(fields(http), http));
    infer("/v1/chat/completions", http -> chat(fields(http), http));
  }

  /** The server is ready from now on. */
  void ready() {}

  /** Whether a route needs the key, if there is one. */
  abstract boolean guarded(String path);

  abstract AnswerFormat completions(RequestFields request, ReceivedRequest http)
      throws RequestException;

  abstract AnswerFormat chat(RequestFields request, ReceivedRequest http) throws RequestException;

  final void route(String path, Set<String> methods, HttpServer.Handler handler) {
    routes.put(path, new Route(methods, handler));
  }

  final void get(String path, HttpServer.Handler handler) {
    route(path, Set.of("GET"), handler);
  }

  final void post(String path, HttpServer.Handler handler) {
    route(path, Set.of("POST"), handler);
  }

  private void infer(String path, Responder.Reader reader) {
    post(path, exchange -> parts.responder().respond(exchange, reader, errors));
  }

  final void show(String path, Supplier<JsonNode> body) {
    get(path, exchange -> exchange.send(200, body.get()));
  }

  /** Makes the answer to a request that generates nothing. */
  interface Query {
    JsonNode answer(RequestFields request) throws RequestException;
  }

  /** A route that answers a POST with JSON. */
  final void query(String path, Query query) {
    post(
        path,
        exchange -> {
          try {
            exchange.send(200, query.answer(fields(exchange.request())));
          } catch (RequestException e) {
            exchange.send(e.status(), e.body());
          }
        });
  }

  /** An id of 16 hexadecimal digits: unique in a simulator, different from start to start. */
  final String newId() {
    return String.format("%016x", Hash.mix(salt, named.incrementAndGet()));
  }

  final boolean knows(String path) {
    return routes.containsKey(path);
  }

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    String path = exchange.request().path();
    long from = time.nanoTime();
    try {
      Route route = routes.get(path);
      if (route == null) {
        exchange.send(404, JsonText.object().put("detail", "Not Found"));
      } else if (!route.methods().contains(exchange.request().method())) {
        String allowed = String.join(", ", new TreeSet<>(route.methods()));
        byte[] body = JsonText.bytes(JsonText.object().put("detail", "Method Not Allowed"));
        exchange.send(405, JsonText.TYPE, body, Map.of("allow", allowed));
      } else if (guarded(path) && unauthorized(exchange.request())) {
        exchange.send(401, JsonText.object().put("error", "Unauthorized"));
      } else {
        route.handler().handle(exchange);
      }
    } finally {
      if (path.startsWith("/v1/") || path.equals("/generate")) {
        tracer.ended(path, from);
      }
    }
  }

  private boolean unauthorized(ReceivedRequest request) {
    String key = options.apiKey();
    String given = request.header("authorization");
    return key != null
        && (given == null
            || !MessageDigest.isEqual(
                ("Bearer " + key).getBytes(StandardCharsets.UTF_8),
                given.getBytes(StandardCharsets.ISO_8859_1)));
  }

  static void empty(Exchange exchange) throws IOException {
    exchange.send(200, null, new byte[0]);
  }

  final RequestFields fields(ReceivedRequest request) throws RequestException {
    try {
      if (JsonText.read(request.body()) instanceof ObjectNode object) {
        return new RequestFields(object, errors);
      }
      throw errors.missing("model", 0);
    } catch (JsonProcessingException e) {
      throw errors.notJson(e);
    }
  }

  /** What an answer to {@code request} says beside the text. */
  final OpenAiAnswer.Envelope envelope(
      boolean chat, String id, String model, RequestFields request, List<int[]> prompts)
      throws RequestException {
    return new OpenAiAnswer.Envelope(
        chat,
        id,
        time.now().getEpochSecond(),
        model,
        StreamOptions.of(request),
        prompts.stream().mapToInt(prompt -> prompt.length).sum());
  }

  final void refuseLogprobs(RequestFields request, String field) throws RequestException {
    JsonNode value = request.value(field);
    if (value != null && (value.asInt() > 0 || value.asBoolean())) {
      throw errors.bad(field + " is not supported by the simulator");
    }
  }

  /** The name of the field with the limit of a chat completion. */
  static String limitField(RequestFields request) {
    return request.value("max_completion_tokens") == null ? "max_tokens" : "max_completion_tokens";
  }

  /** The models as {@code /v1/models} lists them, each with what {@code more} adds. */
  final ObjectNode cards(String owner, BiConsumer<String, ObjectNode> more) {
    ObjectNode body = JsonText.object().put("object", "list");
    var data = body.putArray("data");
    for (String name : parts.responder().models(options.servedModelNames())) {
      ObjectNode card =
          data.addObject()
              .put("id", name)
              .put("object", "model")
              .put("created", time.now().getEpochSecond())
              .put("owned_by", owner);
      more.accept(name, card);
    }
    return body;
  }

  /** The file of a trace in the folder of traces; null: none is written. */
  final @Nullable Path traceFile(JsonNode request, String separator, String name) {
    JsonNode prefix = request.path("profile_prefix");
    Path folder = options.profilerFolder();
    return folder == null
        ? null
        : folder.resolve((prefix.isTextual() ? prefix.asText() + separator : "") + name);
  }

  /** The body of a request that may have none. */
  static JsonNode optional(ReceivedRequest request) throws IOException {
    return request.body().length == 0 ? JsonText.object() : JsonText.read(request.body());
  }
}
