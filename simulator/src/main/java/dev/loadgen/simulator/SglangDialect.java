package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * SGLang's routes. The source of each answer's form is a recording of SGLang 0.5.23, which the
 * tests compare with.
 */
final class SglangDialect implements Dialect {

  /** SGLang's default for {@code /generate} requests that name no limit. */
  private static final int DEFAULT_MAX_NEW_TOKENS = 128;

  /** SGLang's default for {@code /v1/completions} requests that name no limit. */
  private static final int DEFAULT_MAX_TOKENS = 16;

  /** What marks a window for a profiler outside, and records nothing itself. */
  private static final String CUDA_PROFILER = "[\"CUDA_PROFILER\"]";

  private static final Map<String, Set<String>> ROUTES =
      Map.ofEntries(
          Map.entry("/health", Set.of("GET")),
          Map.entry("/health_generate", Set.of("GET")),
          Map.entry("/generate", Set.of("POST", "PUT")),
          Map.entry("/v1/completions", Set.of("POST")),
          Map.entry("/v1/chat/completions", Set.of("POST")),
          Map.entry("/v1/models", Set.of("GET")),
          Map.entry("/v1/loads", Set.of("GET")),
          Map.entry("/get_model_info", Set.of("GET")),
          Map.entry("/model_info", Set.of("GET")),
          Map.entry("/get_server_info", Set.of("GET")),
          Map.entry("/server_info", Set.of("GET")),
          Map.entry("/flush_cache", Set.of("GET", "POST")),
          Map.entry("/tokenize", Set.of("POST")),
          Map.entry("/start_profile", Set.of("GET", "POST")),
          Map.entry("/stop_profile", Set.of("GET", "POST")),
          Map.entry("/metrics", Set.of("GET")));

  /** The fields of {@code sampling_params}, in the order of SGLang's own message. */
  private static final List<String> SAMPLING_FIELDS =
      List.of(
          "max_new_tokens",
          "stop",
          "stop_token_ids",
          "stop_regex",
          "temperature",
          "top_p",
          "top_k",
          "min_p",
          "frequency_penalty",
          "presence_penalty",
          "repetition_penalty",
          "min_new_tokens",
          "n",
          "json_schema",
          "regex",
          "ebnf",
          "structural_tag",
          "ignore_eos",
          "skip_special_tokens",
          "spaces_between_special_tokens",
          "no_stop_trim",
          "stream_interval",
          "logit_bias",
          "sampling_seed",
          "custom_params",
          "beam_width",
          "watermark",
          "choice");

  private final SimulatorOptions options;
  private final TimeSource time;
  private final Ids ids;
  private final Vocabulary vocabulary;
  private final Responder responder;
  private final Replica replica;
  private final Slots slots;
  private final PrefixCache prefixes;
  private final SglangMetrics metrics;
  private final SglangErrors errors;
  private final SglangErrors.Generate generateErrors;
  private final OpenAiReader reader;
  private final Tracer tracer;
  private volatile boolean ready;

  SglangDialect(
      SimulatorOptions options,
      TimeSource time,
      Ids ids,
      Vocabulary vocabulary,
      LanguageModel model,
      Responder responder,
      Replica replica,
      Slots slots,
      PrefixCache prefixes,
      SglangMetrics metrics) {
    this.tracer = new Tracer(time);
    this.options = options;
    this.time = time;
    this.ids = ids;
    this.vocabulary = vocabulary;
    this.responder = responder;
    this.replica = replica;
    this.slots = slots;
    this.prefixes = prefixes;
    this.metrics = metrics;
    this.errors = new SglangErrors(options);
    this.generateErrors = new SglangErrors.Generate(errors);
    this.reader = new OpenAiReader(options, vocabulary, model, time, errors);
  }

  @Override
  public void ready() {
    ready = true;
  }

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    String path = exchange.request().path();
    boolean open = path.startsWith("/health") || path.startsWith("/metrics");
    if (!ready) {
      exchange.send(503, null, new byte[0]);
      return;
    }
    if (Routing.refuses(exchange, ROUTES)
        || (!open && Routing.unauthorized(exchange, options.apiKey()))) {
      return;
    }
    long from = time.nanoTime();
    switch (path) {
      case "/health" -> exchange.send(200, null, new byte[0]);
      case "/health_generate" -> healthGenerate(exchange);
      case "/generate" -> responder.respond(exchange, this::generate, generateErrors);
      case "/v1/completions" -> responder.respond(exchange, this::completions, errors);
      case "/v1/chat/completions" -> responder.respond(exchange, this::chat, errors);
      case "/v1/models" -> json(exchange, models());
      case "/v1/loads" -> json(exchange, loads());
      case "/get_model_info", "/model_info" -> json(exchange, modelInfo());
      case "/get_server_info", "/server_info" -> json(exchange, serverInfo());
      case "/flush_cache" -> flush(exchange);
      case "/tokenize" -> tokenize(exchange);
      case "/metrics" -> metrics(exchange);
      case "/start_profile" -> startProfile(exchange);
      case "/stop_profile" ->
          profiled(exchange, tracer.stop(), "Stop profiling. This will take some time.\n");
      default -> throw new IllegalStateException("no route for " + path);
    }
    if (path.startsWith("/v1/") || path.equals("/generate")) {
      tracer.ended(path, from);
    }
  }

  private static void json(Exchange exchange, JsonNode body) throws IOException {
    exchange.send(200, Json.TYPE, Json.bytes(body));
  }

  private void startProfile(Exchange exchange) throws IOException {
    byte[] body = exchange.request().body();
    JsonNode request = body.length == 0 ? Json.object() : Json.read(body);
    JsonNode activities = request.path("activities");
    boolean torch = activities.isMissingNode() || !activities.toString().equals(CUDA_PROFILER);
    JsonNode prefix = request.path("profile_prefix");
    Path folder = options.profilerFolder();
    Path file =
        folder == null || !torch
            ? null
            : folder.resolve(
                (prefix.isTextual() ? prefix.asText() + "-" : "")
                    + time.nanoTime()
                    + "-TP-0.trace.json.gz");
    profiled(exchange, tracer.start(file), "Start profiling.\n");
  }

  /** SGLang raises what its scheduler refuses, and so answers as it does to faults of its own. */
  private static void profiled(Exchange exchange, boolean done, String answer) throws IOException {
    exchange.send(
        done ? 200 : 500,
        done ? null : "text/plain; charset=utf-8",
        (done ? answer : "Internal Server Error").getBytes(StandardCharsets.UTF_8));
  }

  private void metrics(Exchange exchange) throws IOException {
    if (!options.metrics()) {
      exchange.send(404, Json.TYPE, Json.bytes(Json.object().put("detail", "Not Found")));
      return;
    }
    exchange.stream(
        "text/plain; version=0.0.4; charset=utf-8",
        metrics.text(slots).getBytes(StandardCharsets.UTF_8));
    exchange.endStream();
  }

  private void flush(Exchange exchange) throws IOException {
    if (slots.running() + slots.waiting() == 0) {
      prefixes.clear();
    }
    exchange.send(
        200,
        null,
        ("Cache flushed.\nPlease check backend logs for more details. (When there are running or"
                + " waiting requests, the operation will not be performed.)\n")
            .getBytes(StandardCharsets.UTF_8));
  }

  /** Answers after one real token. */
  private void healthGenerate(Exchange exchange) throws IOException, InterruptedException {
    Sampling one = new Sampling(1, 0, true, List.of(), Set.of(), false, null, null);
    List<Sequence> sequences =
        reader.sequences(
            List.of(new int[] {Vocabulary.BOS}), List.of(one), 1, false, i -> "HEALTH_CHECK");
    replica.play(sequences, sequence -> 1, (sequence, from, to) -> {});
    exchange.send(200, null, new byte[0]);
  }

  private ObjectNode models() {
    ObjectNode body = Json.object().put("object", "list");
    var data = body.putArray("data");
    for (String name : responder.models(options.servedModelNames())) {
      data.addObject()
          .put("id", name)
          .put("object", "model")
          .put("created", time.now().getEpochSecond())
          .put("owned_by", "sglang")
          .put("root", name)
          .putNull("parent")
          .put("max_model_len", options.maxModelLen());
    }
    return body;
  }

  private ObjectNode modelInfo() {
    ObjectNode body =
        Json.object()
            .put("model_path", options.model())
            .put("served_model_name", options.modelName())
            .put("tokenizer_path", options.model())
            .put("is_generation", true)
            .putNull("preferred_sampling_params")
            .put("weight_version", "default")
            .put("load_format", "auto")
            .putNull("reasoning_parser")
            .putNull("tool_call_parser")
            .put("disaggregation_mode", "null")
            .put("has_image_understanding", options.multimodal())
            .put("has_audio_understanding", false)
            .put("model_type", "llama");
    body.putArray("architectures").add("LlamaForCausalLM");
    return body;
  }

  /**
   * The server's arguments as SGLang lists them: those that matter here, and every flag that was
   * given.
   */
  private ObjectNode serverInfo() {
    ObjectNode info = arguments();
    ObjectNode state = info.deepCopy();
    state
        .put("world_size", 1)
        .put("effective_max_running_requests_per_dp", options.maxNumSeqs())
        .put("last_gen_throughput", metrics.generationThroughput());
    state
        .putObject("memory_usage")
        .put("weight", 0.0)
        .put("kvcache", 0.0)
        .put("token_capacity", SglangMetrics.KV_CACHE_TOKENS);
    info.put("status", "ready")
        .put("max_total_num_tokens", SglangMetrics.KV_CACHE_TOKENS)
        .put("max_req_input_len", options.maxModelLen() - 1);
    info.putArray("internal_states").add(state);
    return info.put("version", Engine.SGLANG.version());
  }

  private ObjectNode arguments() {
    ObjectNode arguments = Json.object();
    options.engineFlags().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(flag -> argument(arguments, flag.getKey(), flag.getValue()));
    int tp = number("tp-size", number("tp", number("tensor-parallel-size", 1)));
    int dp = number("dp-size", number("dp", number("data-parallel-size", 1)));
    return arguments
        .put("model_path", options.model())
        .put("tokenizer_path", options.model())
        .put("served_model_name", options.modelName())
        .put("context_length", options.maxModelLen())
        .put("host", options.host())
        .put("port", options.port())
        .put("max_running_requests", options.maxNumSeqs())
        .put("tp_size", tp)
        .put("dp_size", dp)
        .put("device", text("device", "cuda"))
        .put("attention_backend", text("attention-backend", "fa3"))
        .put("random_seed", options.seed())
        .put("disable_radix_cache", !options.prefixCaching())
        .put("enable_metrics", options.metrics())
        .put("incremental_streaming_output", options.incrementalStreaming())
        .put("stream_interval", options.tokensPerChunk());
  }

  private static void argument(ObjectNode arguments, String flag, String value) {
    String name = flag.toLowerCase(Locale.ROOT).replace('-', '_');
    if (value.equals("true")) {
      arguments.put(name, true);
    } else if (value.matches("-?\\d{1,9}")) {
      arguments.put(name, Integer.parseInt(value));
    } else {
      arguments.put(name, value);
    }
  }

  private String text(String flag, String otherwise) {
    return options.engineFlags().getOrDefault(flag, otherwise);
  }

  private int number(String flag, int otherwise) {
    String value = options.engineFlags().get(flag);
    return value != null && value.matches("\\d{1,9}") ? Integer.parseInt(value) : otherwise;
  }

  private ObjectNode loads() {
    ObjectNode body =
        Json.object()
            .put("timestamp", time.now().toString())
            .put("version", Engine.SGLANG.version())
            .putNull("accelerator")
            .put("num_accelerators", 1);
    body.putArray("loads")
        .addObject()
        .put("timestamp", time.now().toEpochMilli() / 1e3)
        .put("dp_rank", 0)
        .put("num_running_reqs", slots.running())
        .put("num_waiting_reqs", slots.waiting())
        .put("max_total_num_tokens", SglangMetrics.KV_CACHE_TOKENS)
        .put("max_running_requests", options.maxNumSeqs())
        .put("token_usage", metrics.tokenUsage())
        .put("gen_throughput", metrics.generationThroughput());
    return body;
  }

  private void tokenize(Exchange exchange) throws IOException {
    try {
      Fields request = fields(exchange.request());
      try {
        int[] tokens = reader.prompts(request).getFirst();
        ObjectNode body = Json.object();
        body.set("tokens", Json.array(tokens));
        json(
            exchange, body.put("count", tokens.length).put("max_model_len", options.maxModelLen()));
      } catch (Fields.TypeException e) {
        throw errors.mistyped(e);
      }
    } catch (RequestException e) {
      exchange.send(e.status(), Json.TYPE, Json.bytes(e.body()));
    }
  }

  private Fields fields(HttpRequest request) throws RequestException {
    try {
      if (Json.read(request.body()) instanceof ObjectNode object) {
        return new Fields(object);
      }
      throw errors.bad("the body must be a JSON object");
    } catch (JsonProcessingException e) {
      throw errors.notJson(e);
    }
  }

  private Answer generate(HttpRequest http) throws RequestException {
    Fields request = fields(http);
    try {
      boolean stream = request.flag("stream");
      JsonNode text = request.value("text");
      JsonNode input = text != null ? text : request.value("input_ids");
      if (input == null || (input.isArray() && input.isEmpty())) {
        throw SglangErrors.Generate.refusal(
            "Either text, input_ids or input_embeds should be provided.", false);
      }
      if (request.flag("return_logprob")) {
        throw SglangErrors.Generate.refusal(
            "return_logprob is not supported by the simulator", stream);
      }
      List<int[]> prompts = reader.prompts(text != null ? "text" : "input_ids", input);
      boolean list = text != null ? text.isArray() : !input.path(0).isNumber();
      List<Fields> params = params(request, prompts.size());
      int choices = params.getFirst().integer("n", 1);
      List<Sampling> samplings = new ArrayList<>();
      for (int i = 0; i < prompts.size(); i++) {
        samplings.add(sampling(params.get(i), prompts.get(i), stream));
      }
      boolean batch = list || choices > 1;
      return new SglangGenerate(
          reader.sequences(prompts, samplings, Math.max(1, choices), stream, names(request)),
          batch,
          stream,
          options.incrementalStreaming(),
          time);
    } catch (Fields.TypeException e) {
      throw errors.mistyped(e);
    }
  }

  private List<Fields> params(Fields request, int prompts)
      throws RequestException, Fields.TypeException {
    JsonNode given = request.value("sampling_params");
    if (given == null || !given.isArray()) {
      return Collections.nCopies(prompts, request.object("sampling_params"));
    }
    if (given.size() != prompts) {
      throw SglangErrors.Generate.refusal(
          "sampling_params has " + given.size() + " entries for " + prompts + " inputs.", false);
    }
    List<Fields> params = new ArrayList<>();
    for (JsonNode one : given) {
      if (!(one instanceof ObjectNode object)) {
        throw new Fields.TypeException("sampling_params", "dictionary");
      }
      params.add(new Fields(object));
    }
    return params;
  }

  /**
   * The ids of the sequences: the request's own, for a batch as a list or with the index appended.
   */
  private IntFunction<String> names(Fields request) {
    JsonNode given = request.value("rid");
    if (given == null) {
      return i -> ids.hex32();
    }
    if (given.isArray()) {
      return i -> i < given.size() ? given.get(i).asText() : ids.hex32();
    }
    return i -> i == 0 ? given.asText() : given.asText() + "_" + i;
  }

  private Sampling sampling(Fields params, int[] prompt, boolean stream)
      throws RequestException, Fields.TypeException {
    for (String name : (Iterable<String>) () -> params.node().fieldNames()) {
      if (!SAMPLING_FIELDS.contains(name)) {
        throw new RequestException(
            400,
            Json.object()
                .put(
                    "error",
                    "unknown field `"
                        + name
                        + "`, expected one of `"
                        + String.join("`, `", SAMPLING_FIELDS)
                        + "`"));
      }
    }
    double temperature = params.number("temperature", 1);
    if (!(temperature >= 0 && temperature < Double.POSITIVE_INFINITY)) {
      throw SglangErrors.Generate.refusal(
          "temperature must be a non-negative finite number, got "
              + params.node().get("temperature")
              + ".",
          stream);
    }
    int limit =
        limit(
            prompt,
            params.value("max_new_tokens") == null
                ? null
                : params.integer("max_new_tokens", DEFAULT_MAX_NEW_TOKENS),
            DEFAULT_MAX_NEW_TOKENS,
            message -> SglangErrors.Generate.refusal(message, stream));
    return new Sampling(
        limit,
        params.integer("min_new_tokens", 0),
        params.flag("ignore_eos"),
        params.strings("stop"),
        params.integers("stop_token_ids"),
        params.flag("no_stop_trim"),
        params.wholeNumber("sampling_seed"),
        constraint(params, reader.state(prompt)));
  }

  /** Makes the refusal for a message. */
  private interface Refusal {
    RequestException of(String message);
  }

  /**
   * The limit of new tokens, after the checks of prompt and limit against the context.
   *
   * @param asked the request's limit, or null
   */
  private int limit(int[] prompt, @Nullable Integer asked, int otherwise, Refusal refusal)
      throws RequestException {
    for (int id : prompt) {
      if (!vocabulary.contains(id)) {
        // As recorded: the engine's process dies of it, on CPU at least.
        responder.crash();
        throw refusal.of(
            "token id " + id + " is out of vocabulary"); // unheard: no connection is left
      }
    }
    int context = options.maxModelLen();
    if (prompt.length >= context) {
      throw refusal.of(
          "The input ("
              + prompt.length
              + " tokens) is longer than the model's context length ("
              + context
              + " tokens).");
    }
    int room = context - prompt.length;
    int limit = asked == null ? Math.min(otherwise, room) : asked;
    if (limit < 1) {
      throw refusal.of("max_new_tokens must be at least 1, got " + limit + ".");
    }
    if (limit > room) {
      throw refusal.of(
          "Requested token count exceeds the model's maximum context length of "
              + context
              + " tokens. You requested a total of "
              + ((long) limit + prompt.length)
              + " tokens: "
              + prompt.length
              + " tokens from the input messages and "
              + limit
              + " tokens for the completion. Please reduce the number of tokens in the input"
              + " messages or the completion to fit within the limit.");
    }
    return limit;
  }

  private @Nullable String constraint(Fields params, long state)
      throws RequestException, Fields.TypeException {
    JsonNode schema = params.value("json_schema");
    if (schema != null) {
      return reader.fitting(schema, state, Json::spaced);
    }
    for (String unsupported : List.of("regex", "ebnf", "structural_tag", "stop_regex")) {
      if (params.value(unsupported) != null) {
        throw SglangErrors.Generate.refusal(
            unsupported + " is not supported by the simulator", false);
      }
    }
    return null;
  }

  private Answer completions(HttpRequest http) throws RequestException {
    Fields request = fields(http);
    try {
      List<int[]> prompts = reader.prompts(request);
      List<Sampling> samplings = new ArrayList<>();
      for (int[] prompt : prompts) {
        samplings.add(openAiSampling(request, prompt, DEFAULT_MAX_TOKENS));
      }
      var envelope = envelope(request, prompts);
      return new SglangAnswers.Completions(
          envelope, sequences(request, prompts, samplings, envelope));
    } catch (Fields.TypeException e) {
      throw errors.mistyped(e);
    }
  }

  private Answer chat(HttpRequest http) throws RequestException {
    Fields request = fields(http);
    try {
      int[] prompt = reader.chatPrompt(request);
      int room = Math.max(1, options.maxModelLen() - prompt.length);
      List<Sampling> samplings = List.of(openAiSampling(request, prompt, room));
      var envelope = envelope(request, List.of(prompt));
      return new SglangAnswers.Chat(
          envelope, sequences(request, List.of(prompt), samplings, envelope));
    } catch (Fields.TypeException e) {
      throw errors.mistyped(e);
    }
  }

  private List<Sequence> sequences(
      Fields request,
      List<int[]> prompts,
      List<Sampling> samplings,
      SglangAnswers.Envelope envelope)
      throws Fields.TypeException {
    return reader.sequences(
        prompts,
        samplings,
        Math.max(1, request.integer("n", 1)),
        envelope.stream().stream(),
        i -> envelope.id());
  }

  /** Any model's name is taken, and repeated in the answer. */
  private SglangAnswers.Envelope envelope(Fields request, List<int[]> prompts)
      throws Fields.TypeException {
    String model = request.string("model");
    String rid = request.value("rid") == null ? null : request.string("rid");
    return new SglangAnswers.Envelope(
        rid == null ? ids.hex32() : rid,
        time.now().getEpochSecond(),
        model == null ? options.modelName() : model,
        StreamOptions.of(request),
        prompts.stream().mapToInt(prompt -> prompt.length).sum());
  }

  private Sampling openAiSampling(Fields request, int[] prompt, int otherwise)
      throws RequestException, Fields.TypeException {
    JsonNode logprobs = request.value("logprobs");
    if (logprobs != null && (logprobs.asInt() > 0 || logprobs.asBoolean())) {
      throw errors.bad("logprobs is not supported by the simulator");
    }
    double temperature = request.number("temperature", 1);
    if (temperature < 0) {
      throw errors.bad(
          "temperature must be a non-negative finite number, got "
              + request.node().get("temperature")
              + ".");
    }
    String field =
        request.value("max_completion_tokens") == null ? "max_tokens" : "max_completion_tokens";
    Integer asked = request.value(field) == null ? null : request.integer(field, otherwise);
    return new Sampling(
        limit(prompt, asked, otherwise, errors::bad),
        request.integer("min_tokens", 0),
        request.flag("ignore_eos"),
        request.strings("stop"),
        request.integers("stop_token_ids"),
        request.flag("no_stop_trim"),
        request.wholeNumber("seed"),
        reader.responseFormat(request, reader.state(prompt), Json::spaced));
  }
}
