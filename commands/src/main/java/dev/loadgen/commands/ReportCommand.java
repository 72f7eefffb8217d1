package dev.loadgen.commands;

import dev.loadgen.results.report.HtmlReport;
import dev.loadgen.results.report.StoredRun;
import dev.loadgen.results.report.UnreadableRunException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadgen report}: makes a run's report again from its results folder. */
@Command(
    name = "report",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Write the report of a run again, from its results folder only.",
      "Nothing in the folder is changed: its manifest has a checksum of each file."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {"0:the report is written", "2:the folder cannot be used; nothing was written"})
final class ReportCommand implements Callable<Integer> {
  private final Surroundings surroundings;

  @Parameters(
      paramLabel = "FOLDER",
      description = "The run's results folder, NAMESPACE/RUN/UID below the results.")
  @SuppressWarnings("NullAway.Init") // picocli sets it, or refuses the command line
  private Path folder;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Where the report goes; an existing file is replaced. Default: ${DEFAULT-VALUE} in"
              + " the working directory.")
  private Path output = Path.of(HtmlReport.FILE_NAME);

  ReportCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws UnreadableRunException, BadInputException, IOException {
    StoredRun run = StoredRun.readPublished(folder);
    OutputFile file = OutputFile.of("--output", output).outside(folder);
    file.write(HtmlReport.html(run, file.linkTo(folder)));
    surroundings.out().println("report   " + output);
    return 0;
  }
}
