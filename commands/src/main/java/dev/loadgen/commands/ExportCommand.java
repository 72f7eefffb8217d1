package dev.loadgen.commands;

import dev.loadgen.mlflow.ExportException;
import dev.loadgen.mlflow.MlflowExport;
import dev.loadgen.mlflow.MlflowTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadgen export}: puts results into MLflow that are there already. */
@Command(
    name = "export",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Export the results of runs to an MLflow server: parameters, metrics, tags and all files.",
      "Runs that are already in the experiment are not exported again."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:every folder is in MLflow",
      "1:a folder is missing there, or incomplete",
      "2:the options cannot be used; nothing was sent"
    })
final class ExportCommand implements Callable<Integer> {
  /** MLflow's own variable for a bearer token. */
  private static final String TOKEN_VARIABLE = "MLFLOW_TRACKING_TOKEN";

  /** Of one folder; a server that does not answer at all is left much earlier. */
  private static final Duration LIMIT = Duration.ofHours(2);

  private static final int NOT_EXPORTED = 1;

  private final Surroundings surroundings;

  @Parameters(
      arity = "1..*",
      paramLabel = "FOLDER",
      description = "Results of a run, such as results/NAMESPACE/RUN/UID.")
  private List<Path> folders = List.of();

  @Option(
      names = "--mlflow-url",
      required = true,
      paramLabel = "URL",
      description = "The tracking server, such as http://mlflow:5000.")
  private String url = "";

  @Option(
      names = "--experiment",
      required = true,
      paramLabel = "NAME",
      description = "The experiment; created if it does not exist.")
  private String experiment = "";

  @Option(
      names = "--description",
      paramLabel = "TEXT",
      description = "Description of the MLflow run. Default: what was tested.")
  private @Nullable String description;

  @Option(
      names = "--tag",
      paramLabel = "NAME=VALUE",
      description = "A tag of the MLflow run; may be given several times.")
  private Map<String, String> tags = new TreeMap<>();

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = {
        "A file with the bearer token.",
        "Default: the environment variable " + TOKEN_VARIABLE + "."
      })
  private @Nullable Path tokenFile;

  ExportCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws BadInputException, InterruptedException {
    MlflowTarget target = target();
    boolean all = true;
    for (Path folder : folders) {
      try {
        String page = new MlflowExport(target, LIMIT).export(folder);
        surroundings.out().println(folder + "  " + page);
      } catch (ExportException e) {
        surroundings.err().println("loadgen: " + folder + ": " + e.getMessage());
        all = false;
      }
    }
    surroundings.out().flush();
    surroundings.err().flush();
    return all ? 0 : NOT_EXPORTED;
  }

  private MlflowTarget target() throws BadInputException {
    String token = token();
    try {
      return MlflowTarget.of(url, experiment, description, tags, token);
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()), e);
    }
  }

  private @Nullable String token() throws BadInputException {
    if (tokenFile != null) {
      try {
        return Files.readString(tokenFile).strip();
      } catch (IOException e) {
        throw new BadInputException("--token-file", tokenFile, e);
      }
    }
    return Optional.ofNullable(surroundings.environment().get(TOKEN_VARIABLE))
        .map(String::strip)
        .filter(token -> !token.isEmpty())
        .orElse(null);
  }
}
