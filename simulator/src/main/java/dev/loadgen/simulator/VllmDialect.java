package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * vLLM's routes. The source of each answer's form is a recording of vLLM 0.32.0, which the tests
 * compare with.
 */
class VllmDialect extends Dialect<VllmErrors> {
  private final VllmMetrics metrics;
  private final String fingerprint;

  VllmDialect(ServerParts parts, VllmMetrics metrics) {
    super(parts, new VllmErrors(parts.options()));
    this.metrics = metrics;
    this.fingerprint =
        String.format(
            "vllm-%s-%08x", SimulatedEngine.VLLM.version(), (int) Hash.mix(options.seed()));
    Slots slots = parts.slots();
    get("/health", Dialect::empty);
    route("/ping", Set.of("GET", "POST"), Dialect::empty);
    show("/version", () -> JsonText.object().put("version", SimulatedEngine.VLLM.version()));
    show("/load", () -> JsonText.object().put("server_load", slots.running() + slots.waiting()));
    show("/v1/models", this::models);
    query("/tokenize", this::tokenize);
    query("/detokenize", this::detokenize);
    query("/inference/v1/generate", this::scaleOut);
    get(
        "/metrics",
        exchange ->
            exchange.send(
                200,
                "text/plain; version=1.0.0; charset=utf-8",
                metrics.text(slots).getBytes(StandardCharsets.UTF_8)));
    if (options.profiler()) {
      post("/start_profile", this::startProfile);
      post("/stop_profile", this::stopProfile);
    }
  }

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    ReceivedRequest request = exchange.request();
    try {
      super.handle(exchange);
    } finally {
      String handler = knows(request.path()) ? request.path() : "none";
      metrics.answered(handler, request.method(), exchange.status());
    }
  }

  /** vLLM guards its {@code /v1} routes only. */
  @Override
  boolean guarded(String path) {
    return path.startsWith("/v1");
  }

  /** A profiler that records already goes on, and says so to nobody. */
  private void startProfile(Exchange exchange) throws IOException {
    String name = "rank0." + time.nanoTime() + ".pt.trace.json.gz";
    tracer.start(traceFile(optional(exchange.request()), "_", name));
    empty(exchange);
  }

  private void stopProfile(Exchange exchange) throws IOException {
    tracer.stop();
    empty(exchange);
  }

  private JsonNode scaleOut(RequestFields request) throws RequestException {
    throw errors.refusal(
        403,
        "PermissionDeniedError",
        "Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.",
        null);
  }

  private ObjectNode models() {
    return cards(
        "vllm",
        (name, card) -> {
          card.put("root", options.model())
              .putNull("parent")
              .put("max_model_len", options.maxModelLen());
          ObjectNode permission =
              card.putArray("permission")
                  .addObject()
                  .put("id", "modelperm-" + newId())
                  .put("object", "model_permission")
                  .set("created", card.get("created"));
          permission.setAll(
              JsonText.object(
                  """
                  {"allow_create_engine": false, "allow_sampling": true, "allow_logprobs": true,
                   "allow_search_indices": false, "allow_view": true, "allow_fine_tuning": false,
                   "organization": "*", "group": null, "is_blocking": false}"""));
        });
  }

  private ObjectNode tokenize(RequestFields request) throws RequestException {
    checkModel(request);
    int[] tokens =
        request.value("messages") != null
            ? reader.chatPrompt(request)
            : reader.prompts(request).getFirst();
    ObjectNode body = JsonText.object().put("count", tokens.length);
    body.put("max_model_len", options.maxModelLen()).set("tokens", JsonText.array(tokens));
    return body.putNull("token_strs");
  }

  private ObjectNode detokenize(RequestFields request) throws RequestException {
    checkModel(request);
    JsonNode tokens = request.value("tokens");
    if (tokens == null) {
      throw errors.missing("tokens", request.node().size());
    }
    return JsonText.object().put("prompt", parts.vocabulary().text(request.ids("tokens", tokens)));
  }

  /** The model's name in the answer. A request may leave it out. */
  private String checkModel(RequestFields request) throws RequestException {
    String name = request.string("model");
    if (name != null && !options.servedModelNames().contains(name)) {
      throw errors.unknownModel(name);
    }
    return name == null ? options.modelName() : name;
  }

  @Override
  AnswerFormat completions(RequestFields request, ReceivedRequest http) throws RequestException {
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
    return answer(
        envelope(false, id("cmpl-", request, http), model, request, prompts),
        request,
        prompts,
        samplings,
        echoes);
  }

  private String echo(RequestFields request, int[] prompt) throws RequestException {
    JsonNode given = request.value("prompt");
    return given != null && given.isTextual() ? given.textValue() : parts.vocabulary().text(prompt);
  }

  @Override
  AnswerFormat chat(RequestFields request, ReceivedRequest http) throws RequestException {
    String model = checkModel(request);
    int[] prompt = reader.chatPrompt(request);
    int room = Math.max(1, options.maxModelLen() - prompt.length);
    List<Sampling> samplings = List.of(sampling(request, prompt, room, limitField(request)));
    List<int[]> prompts = List.of(prompt);
    return answer(
        envelope(true, id("chatcmpl-", request, http), model, request, prompts),
        request,
        prompts,
        samplings,
        List.of());
  }

  private AnswerFormat answer(
      OpenAiAnswer.Envelope envelope,
      RequestFields request,
      List<int[]> prompts,
      List<Sampling> samplings,
      List<String> echoes)
      throws RequestException {
    List<Sequence> sequences =
        reader.sequences(
            prompts,
            samplings,
            choices(request),
            envelope.stream().stream(),
            i -> envelope.id() + "-" + i);
    boolean tokenIds = request.flag("return_token_ids");
    return new VllmAnswer(envelope, sequences, fingerprint, tokenIds, echoes);
  }

  private String id(String prefix, RequestFields request, ReceivedRequest http)
      throws RequestException {
    String given = http.header("x-request-id");
    String own = given != null ? given : request.string("request_id");
    return prefix + (own == null || own.isEmpty() ? newId() : own);
  }

  private int choices(RequestFields request) throws RequestException {
    int choices = request.integer("n", 1);
    if (choices < 1) {
      throw errors.parameter("n must be at least 1, got " + choices + ".", "n", choices);
    }
    return choices;
  }

  private Sampling sampling(
      RequestFields request, int[] prompt, int defaultLimit, String limitField)
      throws RequestException {
    checkPrompt(prompt);
    for (String field : List.of("logprobs", "prompt_logprobs", "top_logprobs")) {
      refuseLogprobs(request, field);
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
    String constraint = constraint(request, reader.state(prompt));
    return Sampling.of(request, limit, least, "include_stop_str_in_output", "seed", constraint);
  }

  private void checkPrompt(int[] prompt) throws RequestException {
    for (int id : prompt) {
      if (!parts.vocabulary().contains(id)) {
        throw errors.bad("Token id " + id + " is out of vocabulary");
      }
    }
    if (prompt.length == 0) {
      throw errors.bad("The decoder prompt cannot be empty");
    }
    if (prompt.length >= options.maxModelLen()) {
      String message =
          "This model's maximum context length is %d tokens. However, your prompt contains %d input"
              + " tokens, which exceeds this limit even without any output tokens. Please reduce"
              + " the length of the input prompt.";
      throw errors.parameter(
          message.formatted(options.maxModelLen(), prompt.length), "input_tokens", prompt.length);
    }
  }

  private void checkLimit(int limit, int promptTokens, int room) throws RequestException {
    if (limit < 1) {
      throw errors.parameter(
          "max_tokens must be at least 1, got " + limit + ".", "max_tokens", limit);
    }
    if (limit > options.maxModelLen()) {
      String message =
          "max_tokens=%d cannot be greater than max_model_len=%d. Please request fewer output tokens.";
      throw errors.parameter(message.formatted(limit, options.maxModelLen()), "max_tokens", limit);
    }
    if (limit > room) {
      String message =
          "This model's maximum context length is %d tokens. However, you requested %d output tokens"
              + " and your prompt contains %d input tokens, for a total of %d tokens.";
      long total = (long) limit + promptTokens;
      throw errors.parameter(
          message.formatted(options.maxModelLen(), limit, promptTokens, total),
          "input_tokens",
          promptTokens);
    }
  }

  /**
   * The text that {@code structured_outputs} or {@code response_format} forces. {@code guided_json}
   * is long gone: ignored.
   */
  private @Nullable String constraint(RequestFields request, long state) throws RequestException {
    RequestFields structured = request.object("structured_outputs");
    JsonNode schema = structured.value("json");
    if (schema != null) {
      return reader.fitting(schema, state);
    }
    List<String> choice = structured.strings("choice");
    if (!choice.isEmpty()) {
      return choice.get((int) Long.remainderUnsigned(state, choice.size()));
    }
    if (structured.flag("json_object")) {
      return reader.fitting(OpenAiReader.anyObject(), state);
    }
    for (String unsupported : List.of("regex", "grammar", "structural_tag")) {
      if (structured.value(unsupported) != null) {
        throw errors.bad(
            "structured_outputs." + unsupported + " is not supported by the simulator");
      }
    }
    return reader.responseFormat(request, state);
  }
}
