package dev.loadgen.runner;

import dev.loadgen.contract.Excerpt;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.results.TerminationMessage;
import dev.loadgen.results.report.StoredSummary;
import dev.loadgen.results.report.StoredSummary.Found;
import dev.loadgen.results.report.UnreadableRunException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Reads the summary of a run whose runner has gone without a word, for the operator: {@link
 * RunnerInterface#READ_RESULT}.
 */
@Command(
    name = RunnerInterface.READ_RESULT,
    mixinStandardHelpOptions = true,
    description = "Reads the summary that an earlier runner has left in the results volume.",
    sortOptions = false)
final class ReadResultCommand implements Callable<Integer> {
  private static final int UNREADABLE = 1;
  private static final int MESSAGE_LENGTH = 1_000;

  @Option(
      names = RunnerInterface.RUN_OPTION,
      required = true,
      paramLabel = "NAME/UID",
      description = "The run's folder below the root of the results volume.")
  @SuppressWarnings("NullAway.Init") // picocli sets it, or refuses the command line
  private String run;

  @Option(
      names = RunnerInterface.RESULTS_OPTION,
      required = true,
      paramLabel = "FOLDER",
      description = "The root of the results volume.")
  @SuppressWarnings("NullAway.Init") // picocli sets it, or refuses the command line
  private Path results;

  @Option(
      names = RunnerInterface.TERMINATION_LOG_OPTION,
      required = true,
      paramLabel = "FILE",
      description = "Where the summary goes, cut to 4096 bytes, or why there is none.")
  @SuppressWarnings("NullAway.Init") // picocli sets it, or refuses the command line
  private Path terminationLog;

  @Override
  public Integer call() throws IOException {
    try {
      return switch (StoredSummary.find(results, run)) {
        case Found.Summary(var summary) -> end(0, TerminationMessage.of(summary));
        case Found.None(String why) -> end(RunnerInterface.NO_RESULT, why);
      };
    } catch (UnreadableRunException e) {
      return end(UNREADABLE, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return end(UNREADABLE, run + " cannot be read: " + e);
    }
  }

  private int end(int code, String message) throws IOException {
    TerminationMessage.write(
        terminationLog, code == 0 ? message : Excerpt.of(message, MESSAGE_LENGTH));
    return code;
  }
}
