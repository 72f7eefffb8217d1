package dev.loadgen.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.accuracy.Evaluator;
import dev.loadgen.accuracy.Score;
import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.tokenizer.Tokenizer;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.rules.AccuracyGate;
import dev.loadgen.rules.AccuracyScores;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.runner.accuracy.ProgramResults;
import dev.loadgen.runner.accuracy.Scores;
import dev.loadgen.runner.accuracy.Scoring;
import dev.loadgen.runner.dataset.Dataset;
import dev.loadgen.runner.dataset.DatasetException;
import dev.loadgen.runner.dataset.DatasetOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadgen evaluate}: scores a stored accuracy log, whoever ran the test. */
@Command(
    name = "evaluate",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Score the answers in a folder's mlperf_log_accuracy.json.",
      "In a folder of this program, plan.json says what the options leave out."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:every score that the ruleset bounds is within its bounds",
      "1:a score is outside, or is not known well enough",
      "2:a file or option cannot be used"
    })
final class EvaluateCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Surroundings surroundings;

  @Parameters(paramLabel = "FOLDER", description = "A folder with mlperf_log_accuracy.json.")
  @SuppressWarnings("NullAway.Init") // picocli sets it, or refuses the command line
  private Path folder;

  @Option(
      names = "--dataset",
      required = true,
      paramLabel = "FILE",
      description = "The dataset that the test was run with.")
  @SuppressWarnings("NullAway.Init") // picocli sets it, or refuses the command line
  private Path dataset;

  @Option(
      names = "--tokenizer",
      paramLabel = "FILE",
      description = "The model's tokenizer.json. Default: the one beside the dataset.")
  private @Nullable Path tokenizer;

  @Option(
      names = "--punkt",
      paramLabel = "FOLDER",
      description =
          "The folder of NLTK's punkt_tab.zip or punkt_tab, for ROUGELSUM. Default: that of the"
              + " dataset, then that of the tokenizer.")
  private @Nullable Path punkt;

  @Option(
      names = "--target-column",
      paramLabel = "NAME",
      description = "The dataset's column with reference summaries. Default: the usual one.")
  private @Nullable String targetColumn;

  @Option(
      names = "--benchmark",
      paramLabel = "ID",
      description = "llama3.1-8b, gpt-oss-120b or qwen3-vl-235b-a22b.")
  private @Nullable String benchmark;

  @Option(
      names = "--ruleset",
      paramLabel = "NAME",
      description = "Whose bounds the scores are held against. Default: the plan's, or none.")
  private @Nullable String ruleset;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description =
          "Offline, Server, Interactive or SingleStream. Default: the plan's, or Offline.")
  private @Nullable String scenario;

  @Option(
      names = "--data",
      paramLabel = "KIND",
      description =
          "What the log holds: TOKEN_IDS or TEXT. Default: what the benchmark prescribes.")
  private @Nullable CompletionData data;

  @Option(
      names = "--executed",
      paramLabel = "FILE",
      description =
          "Which programs passed their tests: lines of {\"sample\": ROW, \"passed\": true}.")
  private @Nullable Path executed;

  @Option(
      names = "--programs",
      paramLabel = "FILE",
      description = "Where programs go that were not executed.")
  private @Nullable Path programs;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "Where the scores go as JSON, beside the table.")
  private @Nullable Path output;

  EvaluateCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    try {
      Scores scores = scores();
      if (output != null) {
        Files.writeString(output, scores.json());
      }
      if (programs != null) {
        Files.writeString(programs, scores.programs().orElse(""));
      }
      return print(scores);
    } catch (UnusableInputException | DatasetException | IllegalArgumentException e) {
      PrintWriter err = surroundings.err();
      err.println("loadgen: " + e.getMessage());
      err.flush();
      return LoadgenCommand.BAD_INPUT;
    }
  }

  private Scores scores() throws UnusableInputException, DatasetException {
    JsonNode plan = plan();
    JsonNode test = plan.path("test");
    String id = benchmark != null ? benchmark : test.path("benchmark").asText("");
    if (id.isEmpty()) {
      throw new UnusableInputException(
          folder + " has no plan.json that names the benchmark; name it with --benchmark");
    }
    Evaluator evaluator =
        Evaluator.of(id)
            .orElseThrow(
                () ->
                    new UnusableInputException(
                        "--benchmark: there is no evaluator for "
                            + id
                            + "; there are llama3.1-8b, gpt-oss-120b and qwen3-vl-235b-a22b"));
    Ruleset rules =
        Ruleset.named(ruleset != null ? ruleset : test.path("ruleset").asText(Ruleset.NONE));
    String column =
        targetColumn != null
            ? targetColumn
            : plan.path("dataset").path("columns").path("target").asText(null);
    Dataset read =
        Dataset.read(
            dataset, DatasetOptions.DEFAULTS.withoutPrompt().withColumns(null, null, column));
    Path vocabulary = tokenizer != null ? tokenizer : dataset.resolveSibling(Tokenizer.FILE_NAME);
    Scoring scoring =
        Scoring.prepare(evaluator, read, data(evaluator, test), vocabulary, besides(vocabulary));
    Map<Integer, Boolean> results = executed == null ? Map.of() : ProgramResults.read(executed);
    return Scores.of(
        scoring.score(folder.resolve(AccuracyLog.FILE_NAME), results),
        rules,
        id,
        scenario != null ? scenario : test.path("scenario").asText("Offline"));
  }

  private JsonNode plan() throws UnusableInputException {
    Path file = folder.resolve("plan.json");
    try {
      return Files.exists(file) ? JSON.readTree(file.toFile()) : JSON.createObjectNode();
    } catch (IOException e) {
      throw new UnusableInputException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private CompletionData data(Evaluator evaluator, JsonNode test) {
    if (data != null) {
      return data;
    }
    String planned = test.path("completionData").asText("");
    if (!planned.isEmpty()) {
      return CompletionData.valueOf(planned);
    }
    return evaluator.takesTokenIds() ? CompletionData.TOKEN_IDS : CompletionData.TEXT;
  }

  private List<Path> besides(Path vocabulary) {
    if (punkt != null) {
      return List.of(punkt);
    }
    Set<Path> folders = new LinkedHashSet<>();
    folders.add(Optional.ofNullable(dataset.toAbsolutePath().getParent()).orElse(dataset));
    folders.add(Optional.ofNullable(vocabulary.toAbsolutePath().getParent()).orElse(vocabulary));
    return List.copyOf(folders);
  }

  private int print(Scores scores) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("SCORE", "VALUE", "BOUND", "OUTCOME"));
    AccuracyScores evidence = scores.evidence();
    for (Score score : scores.evaluation().scores()) {
      AccuracyGate gate = scores.gates().get(score.name());
      rows.add(
          List.of(
              score.name(),
              score.known()
                  ? String.valueOf(score.atLeast())
                  : score.atLeast() + " to " + score.atMost(),
              gate == null ? "-" : gate.bounds(),
              gate == null ? "-" : outcome(gate, evidence.scores().get(score.name()))));
    }
    for (AccuracyGate gate : scores.gates().values()) {
      if (!evidence.scores().containsKey(gate.metric())) {
        rows.add(List.of(gate.metric(), "not scored", gate.bounds(), outcome(gate, null)));
      }
    }
    PrintWriter out = surroundings.out();
    table(out, rows);
    out.println();
    out.println(scores.evaluation().samples() + " samples, " + scores.evaluation().evaluator());
    scores
        .evaluation()
        .parts()
        .forEach(
            part ->
                out.printf(
                    "  %s: %d of %d right, %d not scored, asked %d times each%n",
                    part.name(), part.correct(), part.total(), part.unknown(), part.repeats()));
    scores.evaluation().notes().forEach(note -> out.println("note: " + note));
    out.flush();
    boolean met =
        scores.gates().values().stream()
            .allMatch(gate -> outcome(gate, evidence.scores().get(gate.metric())).equals("met"));
    return met ? 0 : 1;
  }

  private static String outcome(AccuracyGate gate, AccuracyScores.@Nullable Range score) {
    return score == null
        ? "unknown"
        : switch (gate.check(score)) {
          case MET -> "met";
          case MISSED -> "missed";
          case UNKNOWN -> "unknown";
        };
  }

  private static void table(PrintWriter out, List<List<String>> rows) {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      Arrays.setAll(widths, column -> Math.max(widths[column], row.get(column).length()));
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < widths.length; column++) {
        String cell = row.get(column);
        line.append(cell).append(" ".repeat(widths[column] - cell.length() + 2));
      }
      out.println(line.toString().stripTrailing());
    }
  }
}
