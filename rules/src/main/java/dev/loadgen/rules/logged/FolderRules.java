package dev.loadgen.rules.logged;

import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What the place of a test and the files beside its log say, which the log itself does not. */
final class FolderRules {
  private final LoggedFolder folder;
  private final DetailLog log;
  private final Ruleset ruleset;
  private final String benchmark;

  FolderRules(LoggedFolder folder, DetailLog log, Ruleset ruleset, String benchmark) {
    this.folder = folder;
    this.log = log;
    this.ruleset = ruleset;
    this.benchmark = benchmark;
  }

  /** LoadGen's summary beside the log says the same. */
  List<Finding> summary(boolean accuracy) throws IOException {
    Optional<String> summary =
        LoggedFolder.text(folder.log().resolveSibling(LoadGenSummary.FILE_NAME));
    if (summary.isEmpty()) {
      // Of a compliance test the submission checker asks for no log at all.
      return folder.audit() != null
          ? List.of()
          : List.of(
              new Finding(
                  "SummaryDiffers",
                  "There is no " + LoadGenSummary.FILE_NAME + " beside the log.",
                  "Keep all files that LoadGen wrote."));
    }
    if (!log.complete() || log.accuracy() != accuracy) {
      return List.of();
    }
    List<LoadGenSummary.Difference> differences =
        new LoadGenSummary(summary.get()).differences(log);
    if (differences.isEmpty()) {
      return List.of();
    }
    LoadGenSummary.Difference first = differences.getFirst();
    int others = differences.size() - 1;
    return List.of(
        new Finding(
            "SummaryDiffers",
            LoadGenSummary.FILE_NAME
                + " says "
                + first.found()
                + " for "
                + first.name()
                + ", the log says "
                + first.wanted()
                + (others == 0 ? "." : "; and they differ in " + others + " more."),
            "Keep both files of one test together, as LoadGen wrote them.",
            first.found(),
            first.wanted()));
  }

  /** The scenario's folder has a name by which the submission checker finds its rules. */
  List<Finding> place() {
    Path named = folder.scenarioFolder();
    if (named == null || folder.division().isEmpty()) {
      return List.of();
    }
    if (folder.scenario().isEmpty()) {
      return List.of(
          new Finding(
              "FolderName",
              "The folder " + named.getFileName() + " is not named after a scenario.",
              "Move it out of the benchmark's folder, where the submission checker takes every"
                  + " folder as a scenario and rejects them all if one is not."));
    }
    return folder.scenarioIsSpelled() || !countsByScenario()
        ? List.of()
        : List.of(
            new Finding(
                "FolderName",
                ("The scenario's folder is %s, must be %s, by which the submission checker looks up"
                        + " how many samples %s has.")
                    .formatted(named.getFileName(), folder.scenario().get(), benchmark),
                "Rename the folder."));
  }

  /** A note on a spelling that the submission checker accepts; empty: there is nothing to note. */
  Optional<String> spelling() {
    Path named = folder.scenarioFolder();
    return named == null
            || folder.division().isEmpty()
            || folder.scenario().isEmpty()
            || folder.scenarioIsSpelled()
            || countsByScenario()
        ? Optional.empty()
        : Optional.of(
            ("The scenario's folder is %s; submissions are to have %s, and the submission checker"
                    + " takes both.")
                .formatted(named.getFileName(), folder.scenario().get()));
  }

  /** Whether the accuracy set is another one in another scenario. */
  private boolean countsByScenario() {
    return ruleset.benchmark(benchmark).scenarios().values().stream()
            .map(ScenarioRules::accuracySampleCount)
            .distinct()
            .count()
        > 1;
  }

  /**
   * The submission checker asks all of LoadGen's scenarios of a benchmark for the same set, also
   * where the benchmark's own rules have a smaller one for Interactive.
   */
  List<Finding> wholeSet(boolean accuracy) {
    int most =
        ruleset.benchmark(benchmark).scenarios().values().stream()
            .map(ScenarioRules::performanceSampleCount)
            .filter(Objects::nonNull)
            .mapToInt(Integer::intValue)
            .max()
            .orElse(0);
    long used = log.integer("effective_performance_sample_count").orElse(0);
    if (accuracy
        || folder.audit() != null
        || folder.division().isEmpty()
        || !log.complete()
        || !ruleset.official()
        || used >= most) {
      return List.of();
    }
    return List.of(
        new Finding(
            "PerformanceSampleCount",
            ("The test drew on %s samples, and of a submission of LoadGen's logs the submission"
                    + " checker asks %s in every scenario.")
                .formatted(used, most),
            "Submit this scenario with MLCommons endpoints, or run it on the whole set.",
            used + " samples",
            most + " samples"));
  }
}
