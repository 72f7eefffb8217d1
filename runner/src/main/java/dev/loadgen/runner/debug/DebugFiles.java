package dev.loadgen.runner.debug;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.results.Measurement;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.host.DetailedEnvironment;
import dev.loadgen.runner.host.Redaction;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The folder {@code debug} of the results, which a run in debug mode has: {@code
 * token-statistics.json}, {@code phases.csv.gz}, {@code phases.json}, {@code environment.json}, and
 * what tools print.
 */
public final class DebugFiles {
  /** The folder's name. */
  public static final String FOLDER = "debug";

  /** Each tool may take so long, before the test begins. */
  private static final Duration TOOL_LIMIT = Duration.ofSeconds(10);

  private final ResultsFolder folder;

  /** Files of the folder of a run. */
  public DebugFiles(ResultsFolder folder) {
    this.folder = folder;
  }

  /** Writes what the machine is like. Runs tools, so it is not for the time of a test. */
  public void environment(Redaction redaction) throws IOException, InterruptedException {
    folder.write(
        FOLDER + "/environment.json",
        ContractJson.writePretty(DetailedEnvironment.capture(redaction)) + "\n");
    Map<String, String> outputs = DetailedEnvironment.tools(redaction, TOOL_LIMIT);
    for (Map.Entry<String, String> output : outputs.entrySet()) {
      folder.write(FOLDER + "/" + output.getKey(), output.getValue());
    }
  }

  /**
   * Writes what became of the samples.
   *
   * @param inputTokens of a sample by its position in the dataset; null if not known
   */
  public void samples(
      Measurement measurement, List<Replica> replicas, IntFunction<@Nullable Integer> inputTokens)
      throws IOException {
    folder.write(
        FOLDER + "/token-statistics.json",
        ContractJson.writePretty(TokenStatistics.of(measurement.samples(), inputTokens)) + "\n");
    folder.write(
        FOLDER + "/phases.json",
        ContractJson.writePretty(PhaseTable.summary(measurement.samples())) + "\n");
    PhaseTable.write(
        folder.path().resolve(FOLDER).resolve("phases.csv.gz"), measurement.samples(), replicas);
  }
}
