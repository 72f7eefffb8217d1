package dev.loadgen.commands;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.accuracy.Evaluator;
import dev.loadgen.accuracy.Score;
import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.tokenizer.Tokenizer;
import dev.loadgen.commands.console.TextTable;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.Scenario;
import dev.loadgen.datasets.Dataset;
import dev.loadgen.datasets.DatasetException;
import dev.loadgen.datasets.DatasetOptions;
import dev.loadgen.results.accuracy.ProgramResults;
import dev.loadgen.results.accuracy.Scores;
import dev.loadgen.results.accuracy.Scoring;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.AccuracyGate.Outcome;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScoreRange;
import dev.loadgen.rules.ruleset.UnknownRulesetException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
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
      "In a results folder, plan.json provides what the options leave out."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:every score that the ruleset bounds is within its bounds",
      "1:a score is out of bounds, or is not known exactly enough",
      "2:a file or option cannot be used"
    })
final class EvaluateCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PLAN = "plan.json";
  private static final int NOT_MET = 1;

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
      description = "The ruleset with the scores' bounds. Default: the plan's, or none.")
  private @Nullable String ruleset;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description =
          "Offline, Server, Interactive or SingleStream. Default: the plan's, or Offline.")
  private @Nullable Scenario scenario;

  @Option(
      names = "--data",
      paramLabel = "KIND",
      description =
          "What the log contains: TOKEN_IDS or TEXT. Default: what the benchmark prescribes.")
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
      description = "Also write the scores to this file, as JSON.")
  private @Nullable Path output;

  EvaluateCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws BadInputException, UnusableInputException, DatasetException {
    if (!Files.isDirectory(folder)) {
      throw new BadInputException(folder + ": is not a folder");
    }
    OutputFile scoresFile =
        output == null ? null : OutputFile.of("--output", output).outside(folder);
    OutputFile programsFile =
        programs == null ? null : OutputFile.of("--programs", programs).outside(folder);
    Scores scores = scores();
    if (scoresFile != null) {
      scoresFile.write(scores.json());
    }
    if (programsFile != null) {
      programsFile.write(scores.programs().orElse(""));
    }
    return print(scores);
  }

  private Scores scores() throws BadInputException, UnusableInputException, DatasetException {
    JsonNode plan = plan();
    JsonNode test = plan.path("test");
    String id = benchmark != null ? benchmark : test.path("benchmark").asText("");
    if (id.isEmpty()) {
      throw new BadInputException(
          folder + " has no plan.json that names the benchmark; name it with --benchmark");
    }
    Evaluator evaluator =
        Evaluator.of(id)
            .orElseThrow(
                () ->
                    new BadInputException(
                        "--benchmark: there is no evaluator for "
                            + id
                            + "; there are llama3.1-8b, gpt-oss-120b and qwen3-vl-235b-a22b"));
    Ruleset rules = rules(ruleset != null ? ruleset : test.path("ruleset").asText(Ruleset.NONE));
    Scenario tested =
        scenario != null
            ? scenario
            : planned(test, "scenario", "--scenario", Scenario.values(), Scenario.Offline);
    CompletionData logged =
        data != null
            ? data
            : planned(
                test,
                "completionData",
                "--data",
                CompletionData.values(),
                evaluator.takesTokenIds() ? CompletionData.TOKEN_IDS : CompletionData.TEXT);
    String column =
        targetColumn != null
            ? targetColumn
            : plan.path("dataset").path("columns").path("target").asText(null);
    Dataset read =
        Dataset.read(
            InputFile.option("--dataset", dataset).existing(),
            DatasetOptions.DEFAULTS.withoutPrompt().withColumns(null, null, column));
    Path vocabulary = tokenizer != null ? tokenizer : dataset.resolveSibling(Tokenizer.FILE_NAME);
    Scoring scoring = Scoring.prepare(evaluator, read, logged, vocabulary, besides(vocabulary));
    Map<Integer, Boolean> results = executed == null ? Map.of() : ProgramResults.read(executed);
    return Scores.of(
        scoring.score(folder.resolve(AccuracyLog.FILE_NAME), results), rules, id, tested);
  }

  private static Ruleset rules(String name) throws BadInputException {
    try {
      return Ruleset.named(name);
    } catch (UnknownRulesetException e) {
      throw new BadInputException(String.valueOf(e.getMessage()), e);
    }
  }

  private JsonNode plan() throws BadInputException {
    Path file = folder.resolve(PLAN);
    try {
      return Files.exists(file) ? JSON.readTree(file.toFile()) : JSON.createObjectNode();
    } catch (IOException e) {
      throw new BadInputException(
          file
              + " cannot be read: "
              + (e instanceof JsonProcessingException json ? JsonWords.of(json) : e.getMessage()),
          e);
    }
  }

  /** What the plan says, or a default where it says nothing. */
  private <E extends Enum<E>> E planned(
      JsonNode test, String field, String option, E[] known, E otherwise) throws BadInputException {
    String value = test.path(field).asText("");
    if (value.isEmpty()) {
      return otherwise;
    }
    return Arrays.stream(known)
        .filter(each -> each.name().equals(value))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInputException(
                    "%s: test.%s: \"%s\" is not one of %s; set it with %s"
                        .formatted(
                            folder.resolve(PLAN), field, value, Arrays.toString(known), option)));
  }

  private List<Path> besides(Path vocabulary) throws BadInputException {
    if (punkt != null) {
      if (Scoring.punktIn(punkt).isEmpty()) {
        throw new BadInputException(
            "--punkt " + punkt + ": is not a folder with punkt_tab.zip or punkt_tab");
      }
      return List.of(punkt);
    }
    Set<Path> folders = new LinkedHashSet<>();
    folders.add(Optional.ofNullable(dataset.toAbsolutePath().getParent()).orElse(dataset));
    folders.add(Optional.ofNullable(vocabulary.toAbsolutePath().getParent()).orElse(vocabulary));
    return List.copyOf(folders);
  }

  private int print(Scores scores) {
    Map<String, ScoreRange> known = scores.evidence().scores();
    TextTable table = new TextTable().row("SCORE", "VALUE", "BOUND", "OUTCOME");
    for (Score score : scores.evaluation().scores()) {
      AccuracyGate gate = scores.gates().get(score.name());
      table.row(
          score.name(),
          score.known()
              ? String.valueOf(score.atLeast())
              : score.atLeast() + " to " + score.atMost(),
          gate == null ? "-" : gate.bounds(),
          gate == null ? "-" : inWords(outcome(gate, known)));
    }
    boolean met = true;
    for (AccuracyGate gate : scores.gates().values()) {
      if (!known.containsKey(gate.metric())) {
        table.row(gate.metric(), "not scored", gate.bounds(), inWords(Outcome.UNKNOWN));
      }
      met &= outcome(gate, known) == Outcome.MET;
    }
    PrintWriter out = surroundings.out();
    table.print(out, 0);
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
    return met ? 0 : NOT_MET;
  }

  private static Outcome outcome(AccuracyGate gate, Map<String, ScoreRange> known) {
    ScoreRange score = known.get(gate.metric());
    return score == null ? Outcome.UNKNOWN : gate.check(score);
  }

  private static String inWords(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }
}
