package dev.loadgen.simulator;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a simulator behaves. Made by {@link #builder} or from command-line arguments by {@link
 * #parse}.
 *
 * @param engine whose wire format is spoken
 * @param host the address to listen on
 * @param port the port, 0 for any free one
 * @param model the model's path or name, as the engine would load it
 * @param servedModelNames the names that requests may use; the first is the one in answers
 * @param maxModelLen the context length in tokens, prompt and output together
 * @param vocabSize token ids are 0 to this minus 1
 * @param maxNumSeqs how many sequences run at once; others wait
 * @param startupTime how long the server is not ready after its start
 * @param ttft time from the start of a sequence to its first token
 * @param tpot time from token to token
 * @param jitter fraction by which each of these times varies, 0 to 1
 * @param outputTokens the length of answers before the request's limits, or null for the
 *     simulator's own
 * @param tokensPerChunk tokens in each event of a stream after the first
 * @param prefixCaching whether prompts are cached
 * @param metrics whether {@code /metrics} answers
 * @param gatewayMetrics vLLM: whether that answer is a gateway's, which counts requests by route
 *     and knows nothing of the engine
 * @param incrementalStreaming SGLang: whether events of {@code /generate} carry only what is new
 * @param multimodal whether chat messages may hold images
 * @param apiKey the key that requests must bear, or null
 * @param keepAlive how long idle connections stay open; uvicorn, which serves both engines, takes 5
 *     s
 * @param seed what everything random is drawn from
 * @param faults what goes wrong, the first that applies to a request
 * @param observer is told of each inference request
 * @param profiler whether the server has a profiler that requests start and stop; SGLang always has
 * @param profilerFolder where its traces go; null: it writes none
 * @param engineFlags flags of the engine that the simulator does not act on, without dashes, with
 *     their value
 */
public record SimulatorOptions(
    Engine engine,
    String host,
    int port,
    String model,
    List<String> servedModelNames,
    int maxModelLen,
    int vocabSize,
    int maxNumSeqs,
    Duration startupTime,
    Duration ttft,
    Duration tpot,
    double jitter,
    @Nullable TokenRange outputTokens,
    int tokensPerChunk,
    boolean prefixCaching,
    boolean metrics,
    boolean gatewayMetrics,
    boolean incrementalStreaming,
    boolean multimodal,
    @Nullable String apiKey,
    Duration keepAlive,
    long seed,
    List<Fault> faults,
    RequestObserver observer,
    boolean profiler,
    @Nullable Path profilerFolder,
    Map<String, String> engineFlags) {

  /** Checks what can be checked without starting. */
  public SimulatorOptions {
    servedModelNames = List.copyOf(servedModelNames);
    faults = List.copyOf(faults);
    engineFlags = Map.copyOf(engineFlags);
    require(!servedModelNames.isEmpty(), "a served model name is needed");
    require(port >= 0 && port <= 65535, "port must be 0 to 65535, but was " + port);
    require(maxModelLen >= 2, "max-model-len must be 2 or more, but was " + maxModelLen);
    require(vocabSize >= 256, "vocab-size must be 256 or more, but was " + vocabSize);
    require(maxNumSeqs >= 1, "max-num-seqs must be 1 or more, but was " + maxNumSeqs);
    require(tokensPerChunk >= 1, "tokens-per-chunk must be 1 or more, but was " + tokensPerChunk);
    require(jitter >= 0 && jitter <= 1, "jitter must be 0 to 1, but was " + jitter);
    require(!startupTime.isNegative(), "startup-time must not be negative");
    require(!ttft.isNegative(), "ttft must not be negative");
    require(!tpot.isNegative(), "tpot must not be negative");
    require(keepAlive.toMillis() >= 1, "keep-alive must be at least 1 ms");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** The name of the model in answers. */
  public String modelName() {
    return servedModelNames.getFirst();
  }

  /**
   * Reads command-line arguments as {@code Main} takes them.
   *
   * @throws IllegalArgumentException with a message that names the argument and what it may be
   */
  public static SimulatorOptions parse(String... arguments) {
    return CommandLineOptions.parse(List.of(arguments));
  }

  /** Options for tests: loopback, any free port, no latency, 64 sequences at once, seed 0. */
  public static Builder builder(Engine engine) {
    return new Builder(engine);
  }

  /** Collects options. Not safe for several threads. */
  public static final class Builder {
    private final Engine engine;
    private String host = "127.0.0.1";
    private int port;
    private @Nullable String model;
    private List<String> servedModelNames = List.of();
    private int maxModelLen = 131_072;
    private int vocabSize = 262_144;
    private int maxNumSeqs = 64;
    private Duration startupTime = Duration.ZERO;
    private Duration ttft = Duration.ZERO;
    private Duration tpot = Duration.ZERO;
    private double jitter;
    private @Nullable TokenRange outputTokens;
    private int tokensPerChunk = 1;
    private boolean prefixCaching = true;
    private boolean metrics = true;
    private boolean gatewayMetrics;
    private boolean incrementalStreaming;
    private @Nullable Boolean multimodal;
    private @Nullable String apiKey;
    private Duration keepAlive = Duration.ofSeconds(5);
    private long seed;
    private List<Fault> faults = List.of();
    private RequestObserver observer = RequestObserver.NONE;
    private boolean profiler;
    private @Nullable Path profilerFolder;
    private Map<String, String> engineFlags = Map.of();

    private Builder(Engine engine) {
      this.engine = engine;
    }

    /** The address to listen on. Default 127.0.0.1. */
    public Builder host(String value) {
      host = value;
      return this;
    }

    /** The port; 0, the default, takes any free one. */
    public Builder port(int value) {
      port = value;
      return this;
    }

    /** The model's path or name. Default the served name, or {@code simulated-model}. */
    public Builder model(String value) {
      model = value;
      return this;
    }

    /** The names that requests may use. Default the model. */
    public Builder servedModelName(String... values) {
      servedModelNames = List.of(values);
      return this;
    }

    /** The context length in tokens. Default 131072. */
    public Builder maxModelLen(int value) {
      maxModelLen = value;
      return this;
    }

    /** The number of token ids. Default 262144. */
    public Builder vocabSize(int value) {
      vocabSize = value;
      return this;
    }

    /** How many sequences run at once. Default 64. */
    public Builder maxNumSeqs(int value) {
      maxNumSeqs = value;
      return this;
    }

    /** How long the server is not ready. Default 0. */
    public Builder startupTime(Duration value) {
      startupTime = value;
      return this;
    }

    /** Time to first token. Default 0. */
    public Builder ttft(Duration value) {
      ttft = value;
      return this;
    }

    /** Time per output token after the first. Default 0. */
    public Builder tpot(Duration value) {
      tpot = value;
      return this;
    }

    /** Fraction by which times vary. Default 0. */
    public Builder jitter(double value) {
      jitter = value;
      return this;
    }

    /** The length of answers. Default 64 to 320 tokens, before the request's limits. */
    public Builder outputTokens(@Nullable TokenRange value) {
      outputTokens = value;
      return this;
    }

    /** Tokens in each event of a stream after the first. Default 1. */
    public Builder tokensPerChunk(int value) {
      tokensPerChunk = value;
      return this;
    }

    /** Whether prompts are cached. Default true, as both engines do. */
    public Builder prefixCaching(boolean value) {
      prefixCaching = value;
      return this;
    }

    /** Whether {@code /metrics} answers. Default true. */
    public Builder metrics(boolean value) {
      metrics = value;
      return this;
    }

    /** vLLM: whether {@code /metrics} is a gateway's. Default false. */
    public Builder gatewayMetrics(boolean value) {
      gatewayMetrics = value;
      return this;
    }

    /** SGLang: whether events carry only what is new. Default false. */
    public Builder incrementalStreaming(boolean value) {
      incrementalStreaming = value;
      return this;
    }

    /**
     * Whether messages may hold images. Default whether a name of the model has the part {@code
     * vl}.
     */
    public Builder multimodal(@Nullable Boolean value) {
      multimodal = value;
      return this;
    }

    /** The key that requests must bear. Default none. */
    public Builder apiKey(@Nullable String value) {
      apiKey = value;
      return this;
    }

    /** How long idle connections stay open. Default 5 s. */
    public Builder keepAlive(Duration value) {
      keepAlive = value;
      return this;
    }

    /** What everything random is drawn from. Default 0. */
    public Builder seed(long value) {
      seed = value;
      return this;
    }

    /** What goes wrong. Default nothing. */
    public Builder fail(Fault... values) {
      faults = List.of(values);
      return this;
    }

    /** Is told of each inference request; by default nobody is. */
    public Builder observer(RequestObserver value) {
      observer = value;
      return this;
    }

    /**
     * A profiler that requests start and stop. Default none on vLLM, and on SGLang one that writes
     * nothing.
     *
     * @param folder of its traces; null: it writes none
     */
    public Builder profiler(@Nullable Path folder) {
      profiler = true;
      profilerFolder = folder;
      return this;
    }

    /** Flags of the engine that are shown, not acted on. */
    public Builder engineFlags(Map<String, String> values) {
      engineFlags = values;
      return this;
    }

    /**
     * The options.
     *
     * @throws IllegalArgumentException when a value is out of its bounds
     */
    public SimulatorOptions build() {
      String path =
          model != null
              ? model
              : servedModelNames.isEmpty() ? "simulated-model" : servedModelNames.getFirst();
      List<String> names = servedModelNames.isEmpty() ? List.of(path) : servedModelNames;
      return new SimulatorOptions(
          engine,
          host,
          port,
          path,
          names,
          maxModelLen,
          vocabSize,
          maxNumSeqs,
          startupTime,
          ttft,
          tpot,
          jitter,
          outputTokens,
          tokensPerChunk,
          prefixCaching,
          metrics,
          gatewayMetrics,
          incrementalStreaming,
          multimodal == null ? namesVisionModel(path, names) : multimodal,
          apiKey,
          keepAlive,
          seed,
          faults,
          observer,
          profiler || engine.alwaysProfiles(),
          profilerFolder,
          engineFlags);
    }

    private static boolean namesVisionModel(String path, List<String> names) {
      return Stream.concat(Stream.of(path), names.stream())
          .anyMatch(name -> name.matches("(?i).*(^|[^a-z])vl([^a-z].*|$)"));
    }
  }
}
