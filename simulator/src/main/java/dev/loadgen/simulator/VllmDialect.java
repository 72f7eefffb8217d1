package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * vLLM's routes. The source of each answer's form is a recording of vLLM 0.32.0, which the tests
 * compare with.
 */
final class VllmDialect implements Dialect {

  /** vLLM's default for completions that name no limit. */
  private static final int DEFAULT_MAX_TOKENS = 16;

  private static final Map<String, Set<String>> ROUTES =
      Map.ofEntries(
          Map.entry("/health", Set.of("GET")),
          Map.entry("/ping", Set.of("GET", "POST")),
          Map.entry("/version", Set.of("GET")),
          Map.entry("/load", Set.of("GET")),
          Map.entry("/metrics", Set.of("GET")),
          Map.entry("/v1/models", Set.of("GET")),
          Map.entry("/v1/completions", Set.of("POST")),
          Map.entry("/v1/chat/completions", Set.of("POST")),
          Map.entry("/tokenize", Set.of("POST")),
          Map.entry("/detokenize", Set.of("POST")),
          Map.entry("/inference/v1/generate", Set.of("POST")));

  /** Of a server that was started with a profiler; others do not know them. */
  private static final Set<String> PROFILER_ROUTES = Set.of("/start_profile", "/stop_profile");

  private final Map<String, Set<String>> routes;
  private final Tracer tracer;
  private final SimulatorOptions options;
  private final TimeSource time;
  private final Ids ids;
  private final Vocabulary vocabulary;
  private final Responder responder;
  private final Slots slots;
  private final VllmMetrics metrics;
  private final VllmErrors errors;
  private final OpenAiReader reader;
  private final String fingerprint;

  VllmDialect(
      SimulatorOptions options,
      TimeSource time,
      Ids ids,
      Vocabulary vocabulary,
      LanguageModel model,
      Responder responder,
      Slots slots,
      VllmMetrics metrics) {
    Map<String, Set<String>> all = new HashMap<>(ROUTES);
    if (options.profiler()) {
      PROFILER_ROUTES.forEach(route -> all.put(route, Set.of("POST")));
    }
    this.routes = Map.copyOf(all);
    this.tracer = new Tracer(time);
    this.options = options;
    this.time = time;
    this.ids = ids;
    this.vocabulary = vocabulary;
    this.responder = responder;
    this.slots = slots;
    this.metrics = metrics;
    this.errors = new VllmErrors(options);
    this.reader = new OpenAiReader(options, vocabulary, model, time, errors);
    this.fingerprint =
        String.format("vllm-%s-%08x", Engine.VLLM.version(), (int) Hash.mix(options.seed()));
  }

  @Override
  public void ready() {}

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    HttpRequest request = exchange.request();
    long from = time.nanoTime();
    try {
      if (Routing.refuses(exchange, routes) || unauthorized(exchange)) {
        return;
      }
      switch (request.path()) {
        case "/health", "/ping" -> exchange.send(200, null, new byte[0]);
        case "/version" -> json(exchange, Json.object().put("version", Engine.VLLM.version()));
        case "/load" ->
            json(exchange, Json.object().put("server_load", slots.running() + slots.waiting()));
        case "/metrics" ->
            exchange.send(
                200,
                "text/plain; version=1.0.0; charset=utf-8",
                metrics.text(slots).getBytes(StandardCharsets.UTF_8));
        case "/v1/models" -> json(exchange, models());
        case "/v1/completions" -> responder.respond(exchange, this::completions, errors);
        case "/v1/chat/completions" -> responder.respond(exchange, this::chat, errors);
        case "/tokenize" -> answer(exchange, this::tokenize);
        case "/start_profile" -> startProfile(exchange);
        case "/stop_profile" -> {
          tracer.stop();
          exchange.send(200, null, new byte[0]);
        }
        case "/detokenize" -> answer(exchange, this::detokenize);
        case "/inference/v1/generate" -> exchange.send(403, Json.TYPE, Json.bytes(scaleOut()));
        default -> throw new IllegalStateException("no route for " + request.path());
      }
    } finally {
      if (request.path().startsWith("/v1/")) {
        tracer.ended(request.path(), from);
      }
      String handler = routes.containsKey(request.path()) ? request.path() : "none";
      metrics.answered(handler, request.method(), exchange.status());
    }
  }

  /** vLLM guards its {@code /v1} routes only. */
  private boolean unauthorized(Exchange exchange) throws IOException {
    return exchange.request().path().startsWith("/v1")
        && Routing.unauthorized(exchange, options.apiKey());
  }

  private static void json(Exchange exchange, JsonNode body) throws IOException {
    exchange.send(200, Json.TYPE, Json.bytes(body));
  }

  /** Makes the answer to a request that generates nothing. */
  private interface Query {
    JsonNode answer(Fields request) throws RequestException, Fields.TypeException;
  }

  private void answer(Exchange exchange, Query query) throws IOException {
    try {
      Fields request = fields(exchange.request());
      try {
        json(exchange, query.answer(request));
      } catch (Fields.TypeException e) {
        throw errors.mistyped(e);
      }
    } catch (RequestException e) {
      exchange.send(e.status(), Json.TYPE, Json.bytes(e.body()));
    }
  }

  /** A profiler that records already goes on, and says so to nobody. */
  private void startProfile(Exchange exchange) throws IOException {
    byte[] body = exchange.request().body();
    JsonNode prefix = body.length == 0 ? Json.array() : Json.read(body).path("profile_prefix");
    Path folder = options.profilerFolder();
    tracer.start(
        folder == null
            ? null
            : folder.resolve(
                (prefix.isTextual() ? prefix.asText() + "_" : "")
                    + "rank0."
                    + time.nanoTime()
                    + ".pt.trace.json.gz"));
    exchange.send(200, null, new byte[0]);
  }

  private JsonNode scaleOut() {
    return errors
        .refusal(
            403,
            "PermissionDeniedError",
            "Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.",
            null)
        .body();
  }

  private ObjectNode models() {
    long created = time.now().getEpochSecond();
    ObjectNode body = Json.object().put("object", "list");
    var data = body.putArray("data");
    for (String name : responder.models(options.servedModelNames())) {
      ObjectNode card =
          data.addObject()
              .put("id", name)
              .put("object", "model")
              .put("created", created)
              .put("owned_by", "vllm")
              .put("root", options.model())
              .putNull("parent")
              .put("max_model_len", options.maxModelLen());
      card.putArray("permission")
          .addObject()
          .put("id", "modelperm-" + ids.hex16())
          .put("object", "model_permission")
          .put("created", created)
          .put("allow_create_engine", false)
          .put("allow_sampling", true)
          .put("allow_logprobs", true)
          .put("allow_search_indices", false)
          .put("allow_view", true)
          .put("allow_fine_tuning", false)
          .put("organization", "*")
          .putNull("group")
          .put("is_blocking", false);
    }
    return body;
  }

  private ObjectNode tokenize(Fields request) throws RequestException, Fields.TypeException {
    checkModel(request);
    int[] tokens =
        request.value("messages") != null
            ? reader.chatPrompt(request)
            : reader.prompts(request).getFirst();
    ObjectNode body = Json.object().put("count", tokens.length);
    body.put("max_model_len", options.maxModelLen()).set("tokens", Json.array(tokens));
    return body.putNull("token_strs");
  }

  private ObjectNode detokenize(Fields request) throws RequestException, Fields.TypeException {
    checkModel(request);
    JsonNode tokens = request.value("tokens");
    if (tokens == null) {
      throw errors.missing("tokens", request.node().size());
    }
    return Json.object().put("prompt", vocabulary.text(Fields.ids("tokens", tokens)));
  }

  private Fields fields(HttpRequest request) throws RequestException {
    try {
      if (Json.read(request.body()) instanceof ObjectNode object) {
        return new Fields(object);
      }
      throw errors.missing("model", 0);
    } catch (JsonProcessingException e) {
      throw errors.notJson(e);
    }
  }

  /** The model's name in the answer. A request may leave it out. */
  private String checkModel(Fields request) throws RequestException, Fields.TypeException {
    String name = request.string("model");
    if (name != null && !options.servedModelNames().contains(name)) {
      throw errors.unknownModel(name);
    }
    return name == null ? options.modelName() : name;
  }

  private Answer completions(HttpRequest http) throws RequestException {
    Fields request = fields(http);
    try {
      String model = checkModel(request);
      List<int[]> prompts = reader.prompts(request);
      int choices = choices(request);
      List<Sampling> samplings = new ArrayList<>();
      List<String> echoes = new ArrayList<>();
      for (int[] prompt : prompts) {
        samplings.add(sampling(request, prompt, DEFAULT_MAX_TOKENS, "max_tokens"));
        for (int k = 0; k < choices; k++) {
          echoes.add(request.flag("echo") ? echo(request, prompt) : "");
        }
      }
      var envelope = envelope("cmpl-", http, request, model, prompts);
      return new VllmAnswers.Completions(
          envelope,
          reader.sequences(
              prompts,
              samplings,
              choices,
              envelope.stream().stream(),
              i -> envelope.id() + "-" + i),
          echoes);
    } catch (Fields.TypeException e) {
      throw errors.mistyped(e);
    }
  }

  private String echo(Fields request, int[] prompt) throws Fields.TypeException {
    JsonNode given = request.value("prompt");
    boolean text = given != null && given.isTextual();
    return text ? String.valueOf(request.string("prompt")) : vocabulary.text(prompt);
  }

  private Answer chat(HttpRequest http) throws RequestException {
    Fields request = fields(http);
    try {
      if (request.value("messages") == null) {
        throw errors.missing("messages", request.node().size());
      }
      String model = checkModel(request);
      int[] prompt = reader.chatPrompt(request);
      String limit =
          request.value("max_completion_tokens") == null ? "max_tokens" : "max_completion_tokens";
      Sampling sampling =
          sampling(request, prompt, Math.max(1, options.maxModelLen() - prompt.length), limit);
      var envelope = envelope("chatcmpl-", http, request, model, List.of(prompt));
      return new VllmAnswers.Chat(
          envelope,
          reader.sequences(
              List.of(prompt),
              List.of(sampling),
              choices(request),
              envelope.stream().stream(),
              i -> envelope.id() + "-" + i));
    } catch (Fields.TypeException e) {
      throw errors.mistyped(e);
    }
  }

  private VllmAnswers.Envelope envelope(
      String prefix, HttpRequest http, Fields request, String model, List<int[]> prompts)
      throws Fields.TypeException {
    String given = http.header("x-request-id");
    String own = given != null ? given : request.string("request_id");
    return new VllmAnswers.Envelope(
        prefix + (own == null || own.isEmpty() ? ids.hex16() : own),
        time.now().getEpochSecond(),
        model,
        fingerprint,
        StreamOptions.of(request),
        request.flag("return_token_ids"),
        prompts.stream().mapToInt(prompt -> prompt.length).sum());
  }

  private int choices(Fields request) throws RequestException, Fields.TypeException {
    int choices = request.integer("n", 1);
    if (choices < 1) {
      throw errors.parameter("n must be at least 1, got " + choices + ".", "n", choices);
    }
    return choices;
  }

  private Sampling sampling(Fields request, int[] prompt, int defaultLimit, String limitField)
      throws RequestException, Fields.TypeException {
    checkPrompt(prompt);
    for (String field : List.of("logprobs", "prompt_logprobs", "top_logprobs")) {
      JsonNode value = request.value(field);
      if (value != null && (value.asInt() > 0 || value.asBoolean())) {
        throw errors.bad(field + " is not supported by the simulator");
      }
    }
    double temperature = request.number("temperature", 1);
    if (temperature < 0) {
      throw errors.parameter(
          "temperature must be non-negative, got " + temperature + ".", "temperature", temperature);
    }
    double topP = request.number("top_p", 1);
    if (!(topP > 0 && topP <= 1)) {
      throw errors.parameter("top_p must be in (0, 1], got " + topP + ".", "top_p", topP);
    }
    int room = options.maxModelLen() - prompt.length;
    int limit = request.integer(limitField, Math.min(defaultLimit, room));
    checkLimit(limit, prompt.length, room);
    int least = request.integer("min_tokens", 0);
    if (least > limit) {
      throw errors.parameter(
          "min_tokens must be less than or equal to max_tokens=" + limit + ", got " + least + ".",
          "min_tokens",
          least);
    }
    return new Sampling(
        limit,
        least,
        request.flag("ignore_eos"),
        request.strings("stop"),
        request.integers("stop_token_ids"),
        request.flag("include_stop_str_in_output"),
        request.wholeNumber("seed"),
        constraint(request, reader.state(prompt)));
  }

  private void checkPrompt(int[] prompt) throws RequestException {
    for (int id : prompt) {
      if (!vocabulary.contains(id)) {
        throw errors.bad("Token id " + id + " is out of vocabulary");
      }
    }
    if (prompt.length == 0) {
      throw errors.bad("The decoder prompt cannot be empty");
    }
    if (prompt.length >= options.maxModelLen()) {
      throw errors.parameter(
          "This model's maximum context length is "
              + options.maxModelLen()
              + " tokens. However, your prompt contains "
              + prompt.length
              + " input tokens, which exceeds this limit even without any output tokens."
              + " Please reduce the length of the input prompt.",
          "input_tokens",
          prompt.length);
    }
  }

  private void checkLimit(int limit, int promptTokens, int room) throws RequestException {
    if (limit < 1) {
      throw errors.parameter(
          "max_tokens must be at least 1, got " + limit + ".", "max_tokens", limit);
    }
    if (limit > options.maxModelLen()) {
      throw errors.parameter(
          "max_tokens="
              + limit
              + " cannot be greater than max_model_len="
              + options.maxModelLen()
              + ". Please request fewer output tokens.",
          "max_tokens",
          limit);
    }
    if (limit > room) {
      throw errors.parameter(
          "This model's maximum context length is "
              + options.maxModelLen()
              + " tokens. However, you requested "
              + limit
              + " output tokens and your prompt contains "
              + promptTokens
              + " input tokens, for a total of "
              + ((long) limit + promptTokens)
              + " tokens.",
          "input_tokens",
          promptTokens);
    }
  }

  /**
   * The text that {@code structured_outputs} or {@code response_format} forces. {@code guided_json}
   * is long gone: ignored.
   */
  private @Nullable String constraint(Fields request, long state)
      throws RequestException, Fields.TypeException {
    Fields structured = request.object("structured_outputs");
    JsonNode schema = structured.value("json");
    if (schema != null) {
      return reader.fitting(schema, state, Json::compact);
    }
    List<String> choice = structured.strings("choice");
    if (!choice.isEmpty()) {
      return choice.get((int) Long.remainderUnsigned(state, choice.size()));
    }
    if (structured.flag("json_object")) {
      return reader.fitting(OpenAiReader.anyObject(), state, Json::compact);
    }
    for (String unsupported : List.of("regex", "grammar", "structural_tag")) {
      if (structured.value(unsupported) != null) {
        throw errors.bad(
            "structured_outputs." + unsupported + " is not supported by the simulator");
      }
    }
    return reader.responseFormat(request, state, Json::compact);
  }
}
