package dev.loadgen.local;

import dev.loadgen.runner.mlflow.ExportException;
import dev.loadgen.runner.mlflow.MlflowExport;
import dev.loadgen.runner.mlflow.MlflowTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
      "A run that is in the experiment already is not exported again."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:every folder is in MLflow",
      "1:a folder is not, or not wholly",
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
      description = "The experiment; made when it is not there.")
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
  public Integer call() throws InterruptedException {
    MlflowTarget target;
    try {
      target = MlflowTarget.of(url, experiment, description, tags, token());
    } catch (IllegalArgumentException e) {
      surroundings.err().println("loadgen export: " + e.getMessage());
      return LoadgenCommand.BAD_INPUT;
    } catch (IOException e) {
      surroundings.err().println("loadgen export: --token-file " + tokenFile + ": " + e);
      return LoadgenCommand.BAD_INPUT;
    }
    List<Path> missing = new ArrayList<>();
    for (Path folder : folders) {
      try {
        String page = new MlflowExport(target, LIMIT).export(folder);
        surroundings.out().println(folder + "  " + page);
      } catch (ExportException e) {
        surroundings.err().println("loadgen export: " + folder + ": " + e.getMessage());
        missing.add(folder);
      }
    }
    return missing.isEmpty() ? 0 : NOT_EXPORTED;
  }

  private @Nullable String token() throws IOException {
    if (tokenFile != null) {
      return Files.readString(tokenFile).strip();
    }
    return Optional.ofNullable(surroundings.environment().get(TOKEN_VARIABLE))
        .map(String::strip)
        .filter(token -> !token.isEmpty())
        .orElse(null);
  }
}
