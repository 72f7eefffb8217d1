package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * SGLang's routes. The source of each answer's form is a recording of SGLang 0.5.23, which the
 * tests compare with.
 */
final class SglangDialect extends Dialect<SglangErrors> {
  /** SGLang's default for {@code /generate} requests that name no limit. */
  private static final int DEFAULT_MAX_NEW_TOKENS = 128;

  /** What marks a window for a profiler outside, and records nothing itself. */
  private static final String CUDA_PROFILER = "[\"CUDA_PROFILER\"]";

  private static final String FLUSHED =
      "Cache flushed.\nPlease check backend logs for more details. (When there are running or"
          + " waiting requests, the operation will not be performed.)\n";

  /** The fields of {@code sampling_params}, in the order of SGLang's own message. */
  private static final List<String> SAMPLING_FIELDS =
      List.of(
          ("max_new_tokens stop stop_token_ids stop_regex temperature top_p top_k min_p "
                  + "frequency_penalty presence_penalty repetition_penalty min_new_tokens n "
                  + "json_schema regex ebnf structural_tag ignore_eos skip_special_tokens "
                  + "spaces_between_special_tokens no_stop_trim stream_interval logit_bias "
                  + "sampling_seed custom_params beam_width watermark choice")
              .split(" ", -1));

  private final SglangMetrics metrics;
  private volatile boolean ready;

  SglangDialect(ServerParts parts, SglangMetrics metrics) {
    super(parts, new SglangErrors(parts.options()));
    this.metrics = metrics;
    get("/health", Dialect::empty);
    get("/health_generate", this::healthGenerate);
    get("/metrics", this::metrics);
    show("/v1/models", this::models);
    show("/v1/loads", this::loads);
    show("/get_model_info", this::modelInfo);
    show("/model_info", this::modelInfo);
    show("/get_server_info", this::serverInfo);
    show("/server_info", this::serverInfo);
    query("/tokenize", this::tokenize);
    route("/flush_cache", Set.of("GET", "POST"), this::flush);
    route("/start_profile", Set.of("GET", "POST"), this::startProfile);
    route(
        "/stop_profile",
        Set.of("GET", "POST"),
        exchange ->
            profiled(exchange, tracer.stop(), "Stop profiling. This will take some time.\n"));
    ErrorFormat generateErrors = new SglangErrors.Generate(errors);
    route(
        "/generate",
        Set.of("POST", "PUT"),
        exchange ->
            parts.responder().respond(exchange, http -> generate(fields(http)), generateErrors));
  }

  @Override
  void ready() {
    ready = true;
  }

  @Override
  boolean guarded(String path) {
    return !path.startsWith("/health") && !path.startsWith("/metrics");
  }

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    if (ready) {
      super.handle(exchange);
    } else {
      exchange.send(503, null, new byte[0]);
    }
  }

  private void startProfile(Exchange exchange) throws IOException {
    JsonNode request = optional(exchange.request());
    boolean torch = !request.path("activities").toString().equals(CUDA_PROFILER);
    Path file = traceFile(request, "-", time.nanoTime() + "-TP-0.trace.json.gz");
    profiled(exchange, tracer.start(torch ? file : null), "Start profiling.\n");
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
      exchange.send(404, JsonText.object().put("detail", "Not Found"));
      return;
    }
    exchange.stream(
        "text/plain; version=0.0.4; charset=utf-8",
        metrics.text(parts.slots()).getBytes(StandardCharsets.UTF_8));
    exchange.endStream();
  }

  private void flush(Exchange exchange) throws IOException {
    if (parts.slots().running() + parts.slots().waiting() == 0) {
      parts.prefixes().clear();
    }
    exchange.send(200, null, FLUSHED.getBytes(StandardCharsets.UTF_8));
  }

  /** Answers after one real token. */
  private void healthGenerate(Exchange exchange) throws IOException, InterruptedException {
    Sampling one = new Sampling(1, 0, true, List.of(), Set.of(), false, null, null);
    List<Sequence> sequences =
        reader.sequences(
            List.of(new int[] {Vocabulary.BOS}), List.of(one), 1, false, i -> "HEALTH_CHECK");
    parts.replica().play(sequences, sequence -> 1, (sequence, from, to) -> {});
    empty(exchange);
  }

  private ObjectNode models() {
    return cards(
        "sglang",
        (name, card) ->
            card.put("root", name).putNull("parent").put("max_model_len", options.maxModelLen()));
  }

  private ObjectNode modelInfo() {
    return JsonText.object(
            """
            {"is_generation": true, "preferred_sampling_params": null, "weight_version": "default",
             "load_format": "auto", "reasoning_parser": null, "tool_call_parser": null,
             "disaggregation_mode": "null", "has_audio_understanding": false,
             "model_type": "llama", "architectures": ["LlamaForCausalLM"]}""")
        .put("model_path", options.model())
        .put("served_model_name", options.modelName())
        .put("tokenizer_path", options.model())
        .put("has_image_understanding", options.multimodal());
  }

  /**
   * The server's arguments as SGLang lists them: those that matter here, and every flag that was
   * given.
   */
  private ObjectNode serverInfo() {
    ObjectNode info = JsonText.object("{\"tp_size\": 1, \"dp_size\": 1, \"device\": \"cuda\"}");
    new TreeMap<>(options.engineFlags()).forEach((flag, value) -> argument(info, flag, value));
    info.put("model_path", options.model())
        .put("tokenizer_path", options.model())
        .put("served_model_name", options.modelName())
        .put("context_length", options.maxModelLen())
        .put("host", options.host())
        .put("port", options.port())
        .put("max_running_requests", options.maxNumSeqs())
        .put("random_seed", options.seed())
        .put("disable_radix_cache", !options.prefixCaching())
        .put("enable_metrics", options.metrics())
        .put("incremental_streaming_output", options.incrementalStreaming())
        .put("stream_interval", options.tokensPerChunk());
    ObjectNode state = info.deepCopy();
    state.put("last_gen_throughput", metrics.generationThroughput());
    info.putArray("internal_states").add(state);
    return info.put("status", "ready").put("version", SimulatedEngine.SGLANG.version());
  }

  /** Adds a flag; its short forms for parallelism are named as the long ones are. */
  private static void argument(ObjectNode arguments, String flag, String value) {
    String name = flag.toLowerCase(Locale.ROOT).replace('-', '_');
    String known =
        switch (name) {
          case "tp", "tensor_parallel_size" -> "tp_size";
          case "dp", "data_parallel_size" -> "dp_size";
          default -> name;
        };
    if (value.equals("true")) {
      arguments.put(known, true);
    } else if (value.matches("-?\\d{1,9}")) {
      arguments.put(known, Integer.parseInt(value));
    } else {
      arguments.put(known, value);
    }
  }

  private ObjectNode loads() {
    ObjectNode body =
        JsonText.object()
            .put("timestamp", time.now().toString())
            .put("version", SimulatedEngine.SGLANG.version())
            .putNull("accelerator")
            .put("num_accelerators", 1);
    body.putArray("loads")
        .addObject()
        .put("timestamp", time.now().toEpochMilli() / 1e3)
        .put("dp_rank", 0)
        .put("num_running_reqs", parts.slots().running())
        .put("num_waiting_reqs", parts.slots().waiting())
        .put("max_total_num_tokens", SglangMetrics.KV_CACHE_TOKENS)
        .put("max_running_requests", options.maxNumSeqs())
        .put("token_usage", metrics.tokenUsage())
        .put("gen_throughput", metrics.generationThroughput());
    return body;
  }

  private ObjectNode tokenize(RequestFields request) throws RequestException {
    int[] tokens = reader.prompts(request).getFirst();
    ObjectNode body = JsonText.object().set("tokens", JsonText.array(tokens));
    return body.put("count", tokens.length).put("max_model_len", options.maxModelLen());
  }

  private AnswerFormat generate(RequestFields request) throws RequestException {
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
    List<int[]> prompts = reader.prompts(request, text != null ? "text" : "input_ids", input);
    List<RequestFields> params = params(request, prompts.size());
    int choices = params.getFirst().integer("n", 1);
    List<Sampling> samplings = new ArrayList<>();
    for (int i = 0; i < prompts.size(); i++) {
      samplings.add(sampling(params.get(i), prompts.get(i), stream));
    }
    boolean list = text != null ? text.isArray() : !input.path(0).isNumber();
    return new SglangGenerate(
        reader.sequences(prompts, samplings, Math.max(1, choices), stream, names(request)),
        list || choices > 1,
        stream,
        options.incrementalStreaming(),
        time);
  }

  private List<RequestFields> params(RequestFields request, int prompts) throws RequestException {
    JsonNode given = request.value("sampling_params");
    if (given == null || !given.isArray()) {
      return Collections.nCopies(prompts, request.object("sampling_params"));
    }
    if (given.size() != prompts) {
      throw SglangErrors.Generate.refusal(
          "sampling_params has " + given.size() + " entries for " + prompts + " inputs.", false);
    }
    List<RequestFields> params = new ArrayList<>();
    for (JsonNode one : given) {
      if (!(one instanceof ObjectNode object)) {
        throw errors.mistyped("sampling_params", "dictionary");
      }
      params.add(new RequestFields(object, errors));
    }
    return params;
  }

  /**
   * The ids of the sequences: the request's own, for a batch as a list or with the index appended.
   */
  private IntFunction<String> names(RequestFields request) {
    JsonNode given = request.value("rid");
    if (given == null) {
      return i -> newId() + newId();
    }
    if (given.isArray()) {
      return i -> i < given.size() ? given.get(i).asText() : newId() + newId();
    }
    return i -> i == 0 ? given.asText() : given.asText() + "_" + i;
  }

  private Sampling sampling(RequestFields params, int[] prompt, boolean stream)
      throws RequestException {
    for (String name : (Iterable<String>) () -> params.node().fieldNames()) {
      if (!SAMPLING_FIELDS.contains(name)) {
        String known = String.join("`, `", SAMPLING_FIELDS);
        String message = "unknown field `" + name + "`, expected one of `" + known + "`";
        throw new RequestException(400, JsonText.object().put("error", message));
      }
    }
    double temperature = params.number("temperature", 1);
    if (!(temperature >= 0 && temperature < Double.POSITIVE_INFINITY)) {
      throw SglangErrors.Generate.refusal(hot(params), stream);
    }
    int limit =
        limit(
            params,
            "max_new_tokens",
            prompt,
            DEFAULT_MAX_NEW_TOKENS,
            message -> SglangErrors.Generate.refusal(message, stream));
    String constraint = constraint(params, reader.state(prompt));
    int least = params.integer("min_new_tokens", 0);
    return Sampling.of(params, limit, least, "no_stop_trim", "sampling_seed", constraint);
  }

  private static String hot(RequestFields request) {
    return "temperature must be a non-negative finite number, got "
        + request.node().get("temperature")
        + ".";
  }

  /**
   * The limit of new tokens, after the checks of prompt and limit against the context.
   *
   * @param field the field with the request's limit, if it has one
   * @param refusal makes the refusal for a message
   */
  private int limit(
      RequestFields request,
      String field,
      int[] prompt,
      int otherwise,
      Function<String, RequestException> refusal)
      throws RequestException {
    for (int id : prompt) {
      if (!parts.vocabulary().contains(id)) {
        // As recorded: the engine's process dies of it, on CPU at least.
        parts.responder().crash();
        throw refusal.apply(
            "token id " + id + " is out of vocabulary"); // unheard: no connection is left
      }
    }
    int context = options.maxModelLen();
    if (prompt.length >= context) {
      String message =
          "The input (%d tokens) is longer than the model's context length (%d tokens).";
      throw refusal.apply(message.formatted(prompt.length, context));
    }
    int room = context - prompt.length;
    int limit = request.integer(field, Math.min(otherwise, room));
    if (limit < 1) {
      throw refusal.apply("max_new_tokens must be at least 1, got " + limit + ".");
    }
    if (limit > room) {
      String message =
          "Requested token count exceeds the model's maximum context length of %d tokens. You"
              + " requested a total of %d tokens: %d tokens from the input messages and %d tokens"
              + " for the completion. Please reduce the number of tokens in the input messages or"
              + " the completion to fit within the limit.";
      throw refusal.apply(
          message.formatted(context, (long) limit + prompt.length, prompt.length, limit));
    }
    return limit;
  }

  private @Nullable String constraint(RequestFields params, long state) throws RequestException {
    JsonNode schema = params.value("json_schema");
    if (schema != null) {
      return reader.fitting(schema, state);
    }
    for (String unsupported : List.of("regex", "ebnf", "structural_tag", "stop_regex")) {
      if (params.value(unsupported) != null) {
        throw SglangErrors.Generate.refusal(
            unsupported + " is not supported by the simulator", false);
      }
    }
    return null;
  }

  @Override
  AnswerFormat completions(RequestFields request, ReceivedRequest http) throws RequestException {
    List<int[]> prompts = reader.prompts(request);
    List<Sampling> samplings = new ArrayList<>();
    for (int[] prompt : prompts) {
      samplings.add(openAiSampling(request, prompt, DEFAULT_MAX_TOKENS));
    }
    return answer(false, request, prompts, samplings);
  }

  @Override
  AnswerFormat chat(RequestFields request, ReceivedRequest http) throws RequestException {
    int[] prompt = reader.chatPrompt(request);
    int room = Math.max(1, options.maxModelLen() - prompt.length);
    return answer(true, request, List.of(prompt), List.of(openAiSampling(request, prompt, room)));
  }

  /** Any model's name is taken, and repeated in the answer. */
  private AnswerFormat answer(
      boolean chat, RequestFields request, List<int[]> prompts, List<Sampling> samplings)
      throws RequestException {
    String model = request.string("model");
    String rid = request.string("rid");
    String id = rid == null ? newId() + newId() : rid;
    var envelope =
        envelope(chat, id, model == null ? options.modelName() : model, request, prompts);
    int choices = Math.max(1, request.integer("n", 1));
    boolean streamed = envelope.stream().stream();
    return new SglangAnswer(
        envelope, reader.sequences(prompts, samplings, choices, streamed, i -> id));
  }

  private Sampling openAiSampling(RequestFields request, int[] prompt, int otherwise)
      throws RequestException {
    refuseLogprobs(request, "logprobs");
    if (request.number("temperature", 1) < 0) {
      throw errors.bad(hot(request));
    }
    int limit = limit(request, limitField(request), prompt, otherwise, errors::bad);
    String constraint = reader.responseFormat(request, reader.state(prompt));
    int least = request.integer("min_tokens", 0);
    return Sampling.of(request, limit, least, "no_stop_trim", "seed", constraint);
  }
}
