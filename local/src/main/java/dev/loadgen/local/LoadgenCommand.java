package dev.loadgen.local;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code loadgen}: MLPerf inference benchmarks of LLM servers on one machine. */
@Command(
    name = "loadgen",
    mixinStandardHelpOptions = true,
    version = "loadgen 0.1.0",
    description =
        "MLPerf inference benchmarks of LLM servers, on this machine and without a cluster.",
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true)
final class LoadgenCommand implements Runnable {
  /** Something that the user gave cannot be used; nothing was started. */
  static final int BAD_INPUT = 2;

  @Spec private @Nullable CommandSpec spec; // set by picocli before run

  private LoadgenCommand() {}

  /** Runs a command line and returns its exit status. */
  static int execute(Surroundings surroundings, String... args) {
    CommandLine line =
        new CommandLine(new LoadgenCommand())
            .addSubcommand(new RunCommand(surroundings))
            .addSubcommand(new ReportCommand(surroundings))
            .addSubcommand(new CompareCommand(surroundings))
            .addSubcommand(new EvaluateCommand(surroundings))
            .addSubcommand(new SimulateCommand())
            .addSubcommand(new PrimeCommand());
    line.setOut(surroundings.out());
    line.setErr(surroundings.err());
    line.getSubcommands()
        .values()
        .forEach(command -> command.setOut(surroundings.out()).setErr(surroundings.err()));
    line.setExecutionExceptionHandler(
        (exception, command, parsed) -> {
          exception.printStackTrace(surroundings.err());
          return CommandLine.ExitCode.SOFTWARE;
        });
    return line.execute(args);
  }

  @Override
  public void run() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getOut());
  }
}
