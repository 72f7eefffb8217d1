package dev.loadgen.simulator;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The command line: the engines' own flags where the simulator acts on them, its own beside them,
 * and all others passed over.
 */
@Command(
    name = "simulator",
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "A server that answers as vLLM or SGLang would, with no model behind it.",
    customSynopsis = {
      "simulator vllm serve [MODEL] [FLAG]...",
      "       simulator python3 -m sglang.launch_server [FLAG]...",
      "       simulator --engine vllm|sglang|openai [FLAG]..."
    },
    footer = "Flags of the engines that are not listed are accepted and have no effect.")
final class CommandLineOptions {
  private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*(us|ms|s|m)");

  @Option(
      names = "--engine",
      paramLabel = "vllm|sglang|openai",
      description =
          "Whose wire format to speak; openai: OpenAI's API alone, below /openai. Default vllm, or by the command.")
  @Nullable SimulatedEngine engine;

  @Option(
      names = {"--model", "--model-path"},
      paramLabel = "PATH",
      description = "The model's path or name.")
  @Nullable String model;

  @Option(
      names = "--served-model-name",
      arity = "1..*",
      description = "Names that requests may use. Default the model.")
  List<String> servedModelNames = new ArrayList<>();

  @Option(names = "--host", description = "Address to listen on. Default ${DEFAULT-VALUE}.")
  String host = "127.0.0.1";

  @Option(
      names = "--port",
      description = "Port, 0 for a free one. Default 8000 (vllm, openai), 30000 (sglang).")
  @Nullable Integer port;

  @Option(
      names = {"--max-model-len", "--context-length"},
      description = "Context length in tokens. Default ${DEFAULT-VALUE}.")
  int maxModelLen = 131_072;

  @Option(
      names = {"--max-num-seqs", "--max-running-requests"},
      description = "Sequences that run at once; others wait. Default ${DEFAULT-VALUE}.")
  int maxNumSeqs = 64;

  @Option(
      names = {"--tokens-per-chunk", "--stream-interval"},
      description = "Tokens per event of a stream after the first. Default ${DEFAULT-VALUE}.")
  int tokensPerChunk = 1;

  @Option(
      names = {"--no-enable-prefix-caching", "--disable-radix-cache"},
      description = "Do not cache prompts.")
  boolean noPrefixCaching;

  @Option(names = "--enable-metrics", description = "SGLang: answer /metrics. vLLM always does.")
  boolean enableMetrics;

  @Option(
      names = "--incremental-streaming-output",
      description = "SGLang: events of /generate carry only what is new.")
  boolean incrementalStreaming;

  @Option(
      names = "--api-key",
      description =
          "Refuse requests that do not bear this key. vLLM: default is the variable VLLM_API_KEY.")
  @Nullable String apiKey;

  @Option(
      names = "--multimodal",
      negatable = true,
      description = "Accept images. Default by the model's name (a part 'vl').")
  @Nullable Boolean multimodal;

  @Option(names = "--vocab-size", description = "Number of token ids. Default ${DEFAULT-VALUE}.")
  int vocabSize = 262_144;

  @Option(names = "--startup-time", description = "How long the server is not ready. Default 0ms.")
  Duration startupTime = Duration.ZERO;

  @Option(names = "--ttft", description = "Time to the first token. Default 40ms.")
  Duration ttft = Duration.ofMillis(40);

  @Option(names = "--tpot", description = "Time per token after the first. Default 5ms.")
  Duration tpot = Duration.ofMillis(5);

  @Option(
      names = "--jitter",
      description = "How much each time varies, 0 to 1. Default ${DEFAULT-VALUE}.")
  double jitter;

  @Option(
      names = "--output-tokens",
      paramLabel = "N|A..B",
      description =
          "Length of answers, within max_tokens; not for requests with ignore_eos. Default 64..320.")
  @Nullable TokenRange outputTokens;

  @Option(names = "--keep-alive", description = "How long idle connections stay open. Default 5s.")
  Duration keepAlive = Duration.ofSeconds(5);

  @Option(
      names = "--fail",
      paramLabel = "FAULT",
      description = {
        "What goes wrong; may be given several times, the first that applies to a request strikes. Example: status=503,every=10"
      })
  List<Fault> faults = new ArrayList<>();

  @Option(
      names = "--profiler-config.profiler",
      paramLabel = "torch|cuda",
      description =
          "vLLM: answer /start_profile and /stop_profile, which SGLang always does; with torch, write a trace of the requests.")
  @Nullable String profiler;

  @Option(
      names = "--profiler-config.torch_profiler_dir",
      description = "Where traces go. SGLang: the variable SGLANG_TORCH_PROFILER_DIR, else /tmp.")
  @Nullable Path profilerFolder;

  @Option(
      names = "--seed",
      description = "What everything random is drawn from. Default ${DEFAULT-VALUE}.")
  long seed;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  private CommandLineOptions() {}

  static boolean asksForHelp(List<String> arguments) {
    return arguments.contains("--help") || arguments.contains("-h");
  }

  static String usage() {
    return commandLine(new CommandLineOptions()).getUsageMessage();
  }

  static SimulatorOptions parse(List<String> arguments) {
    return parse(arguments, Map.of());
  }

  /** Reads arguments and what engines read of their environment. */
  static SimulatorOptions parse(List<String> arguments, Map<String, String> environment) {
    CommandLineOptions options = new CommandLineOptions();
    CommandLine command = commandLine(options);
    Started started = Started.of(arguments);
    try {
      command.parseArgs(started.flags().toArray(String[]::new));
    } catch (CommandLine.ParameterException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    return options.build(started, command.getUnmatchedArguments(), environment);
  }

  private static CommandLine commandLine(CommandLineOptions options) {
    CommandLine command = new CommandLine(options);
    command.setUnmatchedArgumentsAllowed(true);
    command.setOverwrittenOptionsAllowed(true); // as argparse does: the last one counts
    command.setPosixClusteredShortOptionsAllowed(false); // -tp is one flag of vLLM
    command.registerConverter(Duration.class, converter(CommandLineOptions::duration));
    command.registerConverter(TokenRange.class, converter(TokenRange::parse));
    command.registerConverter(SimulatedEngine.class, converter(CommandLineOptions::engine));
    command.registerConverter(Fault.class, converter(Fault::parse));
    command.getCommandSpec().usageMessage().width(110);
    return command;
  }

  private SimulatorOptions build(
      Started started, List<String> rest, Map<String, String> environment) {
    SimulatedEngine kind = engine == null ? started.engine() : engine;
    SimulatorOptionsBuilder builder =
        SimulatorOptions.builder(kind)
            .host(host)
            .port(port == null ? kind.defaultPort() : port)
            .model(model != null ? model : started.model())
            .servedModelNames(servedModelNames)
            .maxModelLen(maxModelLen)
            .vocabSize(vocabSize)
            .maxNumSeqs(maxNumSeqs)
            .startupTime(startupTime)
            .ttft(ttft)
            .tpot(tpot)
            .jitter(jitter)
            .outputTokens(outputTokens)
            .tokensPerChunk(tokensPerChunk)
            .prefixCaching(!noPrefixCaching)
            .metrics(kind.alwaysMeters() || enableMetrics)
            .incrementalStreaming(incrementalStreaming)
            .multimodal(multimodal)
            .apiKey(
                apiKey == null && kind.apiKeyVariable() != null
                    ? environment.get(kind.apiKeyVariable())
                    : apiKey)
            .keepAlive(keepAlive)
            .seed(seed)
            .faults(faults)
            .engineFlags(engineFlags(rest));
    profiler(builder, kind, environment);
    return builder.build();
  }

  private void profiler(
      SimulatorOptionsBuilder builder, SimulatedEngine kind, Map<String, String> environment) {
    if (kind.alwaysProfiles()) {
      builder.profilerFolder(
          Path.of(environment.getOrDefault("SGLANG_TORCH_PROFILER_DIR", "/tmp")));
    } else if ("torch".equals(profiler)) {
      if (profilerFolder == null) {
        throw new IllegalArgumentException(
            "--profiler-config.torch_profiler_dir must be set when the profiler is torch");
      }
      builder.profiler(true).profilerFolder(profilerFolder);
    } else if ("cuda".equals(profiler)) {
      builder.profiler(true);
    } else if (profiler != null) {
      throw new IllegalArgumentException(
          "Invalid value for option '--profiler-config.profiler': '"
              + profiler
              + "' is not torch or cuda");
    }
  }

  private static SimulatedEngine engine(String name) {
    try {
      return SimulatedEngine.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("'" + name + "' is not vllm, sglang or openai", e);
    }
  }

  /** Flags that nobody took, without dashes, and the word after each as its value. */
  private static Map<String, String> engineFlags(List<String> rest) {
    Map<String, String> flags = new LinkedHashMap<>();
    for (int i = 0; i < rest.size(); i++) {
      String word = rest.get(i);
      if (!isFlag(word)) {
        throw new IllegalArgumentException(
            "'" + word + "' belongs to no flag; the model comes right after 'serve' or as --model");
      }
      int equals = word.indexOf('=');
      String name = (equals < 0 ? word : word.substring(0, equals)).replaceFirst("^--?", "");
      if (equals >= 0) {
        flags.put(name, word.substring(equals + 1));
        continue;
      }
      List<String> values = new ArrayList<>();
      while (i + 1 < rest.size() && !isFlag(rest.get(i + 1))) {
        values.add(rest.get(++i));
      }
      flags.put(name, values.isEmpty() ? "true" : String.join(" ", values));
    }
    return flags;
  }

  private static boolean isFlag(String word) {
    return word.startsWith("-") && word.length() > 1 && !Character.isDigit(word.charAt(1));
  }

  /** The words before the flags: which engine is started, and its model. */
  private record Started(SimulatedEngine engine, String model, List<String> flags) {
    static Started of(List<String> words) {
      String program = words.isEmpty() ? "" : words.getFirst().replaceFirst("^.*/", "");
      if (program.matches("vllm|sglang")) {
        if (words.size() < 2 || !words.get(1).equals("serve")) {
          throw new IllegalArgumentException("of the engines' commands only 'serve' is simulated");
        }
        SimulatedEngine engine = CommandLineOptions.engine(program);
        boolean named = words.size() > 2 && !words.get(2).startsWith("-");
        return named
            ? new Started(engine, words.get(2), words.subList(3, words.size()))
            : new Started(engine, "", words.subList(2, words.size()));
      }
      if (program.matches("python[0-9.]*")) {
        String module = words.size() > 2 && words.get(1).equals("-m") ? words.get(2) : "";
        SimulatedEngine engine =
            switch (module) {
              case "sglang.launch_server" -> SimulatedEngine.SGLANG;
              case "vllm.entrypoints.openai.api_server" -> SimulatedEngine.VLLM;
              default ->
                  throw new IllegalArgumentException(
                      "of python's modules only -m sglang.launch_server and"
                          + " -m vllm.entrypoints.openai.api_server are simulated");
            };
        return new Started(engine, "", words.subList(3, words.size()));
      }
      return new Started(SimulatedEngine.VLLM, "", words);
    }
  }

  /** Reads times such as 40ms. */
  private static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a time; write a number and us, ms, s or m, for example 40ms");
    }
    double nanos =
        Double.parseDouble(matcher.group(1))
            * switch (matcher.group(2)) {
              case "us" -> 1e3;
              case "ms" -> 1e6;
              case "s" -> 1e9;
              default -> 60e9;
            };
    return Duration.ofNanos(Math.round(nanos));
  }

  /** A converter whose messages stand as they are. */
  private static <T> ITypeConverter<T> converter(Function<String, T> read) {
    return text -> {
      try {
        return read.apply(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    };
  }
}
