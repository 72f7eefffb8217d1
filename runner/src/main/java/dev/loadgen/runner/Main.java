package dev.loadgen.runner;

import dev.loadgen.commands.wait.WaitCommand;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.RunnerInterface;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs one LoadGen test as a plan says. Exit codes: {@link RunnerExit}. */
@Command(
    name = "runner",
    mixinStandardHelpOptions = true,
    description = {
      "Runs one MLPerf LoadGen test against LLM servers, as a plan file says.",
      "`runner wait br/NAME` waits for runs of the cluster instead: see `runner wait --help`."
    },
    sortOptions = false)
public final class Main implements Callable<Integer> {
  @Option(
      names = RunnerInterface.PLAN_OPTION,
      required = true,
      paramLabel = "FILE",
      description = "The plan, as JSON.")
  @SuppressWarnings("NullAway.Init") // picocli sets it, or refuses the command line
  private Path plan;

  @Option(
      names = RunnerInterface.DATASETS_OPTION,
      defaultValue = ".",
      paramLabel = "FOLDER",
      description = "What dataset.path is relative to. Default: the working directory.")
  @SuppressWarnings("NullAway.Init") // it has a default
  private Path datasets;

  @Option(
      names = RunnerInterface.RESULTS_OPTION,
      defaultValue = "results",
      paramLabel = "FOLDER",
      description = "Where the run's folder NAME/UID is made. Default: results.")
  @SuppressWarnings("NullAway.Init") // it has a default
  private Path results;

  @Option(
      names = RunnerInterface.SECRETS_OPTION,
      paramLabel = "FOLDER",
      description =
          "API key, headers and certificates for the servers, as the plan asks for. Default: none.")
  private @Nullable Path secrets;

  @Option(
      names = RunnerInterface.TERMINATION_LOG_OPTION,
      paramLabel = "FILE",
      description = "Where the summary goes besides the run's folder, cut to 4096 bytes.")
  private @Nullable Path terminationLog;

  @Option(
      names = RunnerInterface.LISTEN_OPTION,
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description =
          "Where progress (/progress) and metrics (/metrics) are served. Default: nowhere.")
  private @Nullable InetSocketAddress listen;

  private Main() {}

  /** Runs the test, or the command that the first word names, and ends the process. */
  public static void main(String[] args) {
    Object command =
        switch (args.length == 0 ? "" : args[0]) {
          case "wait" -> WaitCommand.inPod();
          case RunnerInterface.READ_RESULT -> new ReadResultCommand();
          default -> new Main();
        };
    String[] rest = command instanceof Main ? args : Arrays.copyOfRange(args, 1, args.length);
    int code = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(false).execute(rest);
    System.exit(code);
  }

  @Override
  public Integer call() {
    return new RunProcess(new RunOptions(plan, datasets, results, secrets, terminationLog, listen))
        .run();
  }

  /** HOST:PORT. */
  static final class AddressConverter implements CommandLine.ITypeConverter<InetSocketAddress> {
    @Override
    public InetSocketAddress convert(String text) {
      int colon = text.lastIndexOf(':');
      try {
        return new InetSocketAddress(
            text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
      } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
        throw new CommandLine.TypeConversionException("\"" + text + "\" is not HOST:PORT");
      }
    }
  }
}
