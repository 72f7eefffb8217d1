package dev.loadgen.simulator;

import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Runs a simulator as a process that is started as the engine would be. Ends with status 0 after a
 * signal or for help, 1 after a simulated crash, 2 for arguments that are wrong.
 */
public final class Main {
  private static final int CRASHED = 1;
  private static final int USAGE = 2;

  private Main() {}

  /** Starts a simulator and stays until it ends. */
  public static void main(String[] arguments) throws InterruptedException {
    int status = run(List.of(arguments), System.out, System.err);
    if (status != 0) {
      System.exit(status);
    }
  }

  static int run(List<String> arguments, PrintStream out, PrintStream err)
      throws InterruptedException {
    if (CommandLineOptions.asksForHelp(arguments)) {
      out.print(CommandLineOptions.usage());
      return 0;
    }
    SimulatorOptions options;
    try {
      options = CommandLineOptions.parse(arguments, System.getenv());
    } catch (IllegalArgumentException e) {
      err.println("simulator: " + e.getMessage());
      return USAGE;
    }
    if (!options.engineFlags().isEmpty()) {
      out.println("without effect here: " + flags(options.engineFlags()));
    }
    if (options.engine().tellsArguments()) {
      out.println("non-default args: " + arguments(options));
    }
    try (Simulator simulator = Simulator.start(options, TimeSource.system(), err)) {
      Runtime.getRuntime().addShutdownHook(new Thread(simulator::close));
      out.println("listening " + simulator.url());
      return simulator.awaitEnd() == Simulator.Ending.CRASHED ? CRASHED : 0;
    } catch (IOException e) {
      err.println("simulator: " + e.getMessage());
      return CRASHED;
    }
  }

  /** As vLLM says at its start what it was given. */
  private static String arguments(SimulatorOptions options) {
    Map<String, String> arguments = new LinkedHashMap<>();
    arguments.put("model_tag", quoted(options.model()));
    arguments.put(
        "served_model_name",
        options.servedModelNames().stream()
            .map(Main::quoted)
            .collect(Collectors.joining(", ", "[", "]")));
    arguments.put("max_num_seqs", String.valueOf(options.maxNumSeqs()));
    new TreeMap<>(options.engineFlags())
        .forEach((name, value) -> arguments.put(name.replace('-', '_'), quoted(value)));
    return arguments.entrySet().stream()
        .map(argument -> quoted(argument.getKey()) + ": " + argument.getValue())
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }

  private static String flags(Map<String, String> flags) {
    return new TreeMap<>(flags)
        .entrySet().stream()
            .map(flag -> "--" + flag.getKey() + " " + flag.getValue())
            .collect(Collectors.joining(" "));
  }
}
