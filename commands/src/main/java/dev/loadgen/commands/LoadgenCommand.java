package dev.loadgen.commands;

import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.datasets.DatasetException;
import dev.loadgen.results.report.UnreadableRunException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code loadgen}: MLPerf inference benchmarks of LLM servers, on one machine or in a cluster. */
@Command(
    name = "loadgen",
    mixinStandardHelpOptions = true,
    version = "loadgen 0.1.0",
    description =
        "MLPerf inference benchmarks of LLM servers, on this machine and without a cluster.",
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true)
public final class LoadgenCommand implements Runnable {
  /** Something that the user gave cannot be used; nothing was started. */
  private static final int BAD_INPUT = 2;

  /** A fault of the program itself; no command ends so otherwise. */
  private static final int FAULT = 70;

  @Spec private @Nullable CommandSpec spec; // set by picocli before run

  private LoadgenCommand() {}

  /** The commands that read files alone: they need neither LoadGen nor a cluster. */
  public static List<Object> ofFiles(Surroundings surroundings) {
    return List.of(
        new ReportCommand(surroundings),
        new CompareCommand(surroundings),
        new EvaluateCommand(surroundings),
        new JudgeCommand(surroundings),
        new VerifyCommand(surroundings),
        new InspectCommand(surroundings),
        new ExportCommand(surroundings));
  }

  /**
   * Runs a command line and returns its exit status.
   *
   * @param commands those that there are, in the order of the help
   */
  public static int execute(Surroundings surroundings, List<?> commands, String... args) {
    CommandLine line = new CommandLine(new LoadgenCommand());
    commands.forEach(line::addSubcommand);
    line.setOut(surroundings.out());
    line.setErr(surroundings.err());
    line.getSubcommands()
        .values()
        .forEach(
            command -> {
              command.setOut(surroundings.out()).setErr(surroundings.err());
              command.getCommandSpec().version(line.getCommandSpec().version());
            });
    // Else an option after -f FILE that is misspelt would be taken for another file.
    line.setUnmatchedOptionsAllowedAsOptionParameters(false);
    line.setExecutionExceptionHandler((exception, command, parsed) -> end(surroundings, exception));
    try {
      return line.execute(args);
    } catch (StackOverflowError | OutOfMemoryError e) {
      // nothing handles these, and the JVM would end with 1, which in most commands is a verdict
      e.printStackTrace(surroundings.err());
      surroundings.err().flush();
      return FAULT;
    }
  }

  /** Says why a command could not do its work, and returns its exit status. */
  private static int end(Surroundings surroundings, Exception exception) {
    boolean userCanCure =
        switch (exception) {
          case BadInputException bad -> true;
          case DatasetException bad -> true;
          case UnreadableRunException bad -> true;
          case UnusableInputException bad -> true;
          default -> false;
        };
    if (userCanCure) {
      surroundings.err().println("loadgen: " + exception.getMessage());
    } else {
      exception.printStackTrace(surroundings.err());
    }
    surroundings.err().flush();
    return userCanCure ? BAD_INPUT : FAULT;
  }

  @Override
  public void run() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getOut());
  }
}
