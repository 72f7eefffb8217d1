package dev.loadgen.simulator;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a simulator behaves. Made with a {@link #builder} or from command-line arguments by {@link
 * #parse}.
 *
 * @param engine whose wire format is spoken
 * @param host the address to listen on
 * @param port the port, 0 for any free one
 * @param model the model's path or name, as the engine would load it; built from an empty text: the
 *     first served name
 * @param servedModelNames the names that requests may use; the first is the one in answers; built
 *     from none: the model
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
 * @param multimodal whether chat messages may hold images; built from null: whether a name of the
 *     model has the part {@code vl}
 * @param apiKey the key that requests must bear, or null
 * @param keepAlive how long idle connections stay open; uvicorn, which serves both engines, takes 5
 *     s
 * @param seed what everything random is drawn from
 * @param faults what goes wrong, the first that applies to a request
 * @param observer is told of each inference request, its path and its body, as it arrives
 * @param profiler whether the server has a profiler that requests start and stop; SGLang always has
 * @param profilerFolder where its traces go; null: it writes none
 * @param engineFlags flags of the engine that the simulator does not act on, without dashes, with
 *     their value
 */
@RecordBuilder
public record SimulatorOptions(
    SimulatedEngine engine,
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
    @Nullable Boolean multimodal,
    @Nullable String apiKey,
    Duration keepAlive,
    long seed,
    List<Fault> faults,
    BiConsumer<String, byte[]> observer,
    boolean profiler,
    @Nullable Path profilerFolder,
    Map<String, String> engineFlags) {
  /** Fills in what follows from other options, and checks what can be checked without starting. */
  public SimulatorOptions {
    if (model.isEmpty()) {
      model = servedModelNames.isEmpty() ? "simulated-model" : servedModelNames.getFirst();
    }
    servedModelNames = servedModelNames.isEmpty() ? List.of(model) : List.copyOf(servedModelNames);
    if (multimodal == null) {
      multimodal =
          Stream.concat(Stream.of(model), servedModelNames.stream())
              .anyMatch(name -> name.matches("(?i).*(^|[^a-z])vl([^a-z].*|$)"));
    }
    profiler |= engine.alwaysProfiles();
    faults = List.copyOf(faults);
    engineFlags = Map.copyOf(engineFlags);
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

  /**
   * Options for tests: loopback, any free port, no latency, 64 sequences at once, no faults, seed
   * 0; prompts are cached and metrics told, as both engines can.
   */
  public static SimulatorOptionsBuilder builder(SimulatedEngine engine) {
    return SimulatorOptionsBuilder.builder()
        .engine(engine)
        .host("127.0.0.1")
        .model("")
        .servedModelNames(List.of())
        .maxModelLen(131_072)
        .vocabSize(262_144)
        .maxNumSeqs(64)
        .startupTime(Duration.ZERO)
        .ttft(Duration.ZERO)
        .tpot(Duration.ZERO)
        .tokensPerChunk(1)
        .prefixCaching(true)
        .metrics(true)
        .keepAlive(Duration.ofSeconds(5))
        .faults(List.of())
        .observer((path, body) -> {})
        .engineFlags(Map.of());
  }
}
