package dev.loadgen.runner;

import dev.loadgen.accuracy.Evaluation;
import dev.loadgen.accuracy.Evaluator;
import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.tokenizer.Tokenizer;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.TestMode;
import dev.loadgen.datasets.Dataset;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.accuracy.Scores;
import dev.loadgen.results.accuracy.Scoring;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.Ruleset;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scores the answers of an Accuracy run, or of a compliance test that asks for a score: prepared
 * before the test, done after it.
 */
final class AccuracyStage {
  private static final Logger LOG = LoggerFactory.getLogger(AccuracyStage.class);

  private final RunPlan plan;
  private final Scoring scoring;

  private AccuracyStage(RunPlan plan, Scoring scoring) {
    this.plan = plan;
    this.scoring = scoring;
  }

  /**
   * The stage of a plan; empty for a plan whose answers are not scored.
   *
   * @param datasets the folder that the plan's paths are below
   * @throws RunFailedException if the answers could not be scored; the message has the cure
   */
  static Optional<AccuracyStage> prepare(RunPlan plan, Path datasets, Dataset dataset)
      throws RunFailedException {
    RunPlan.@Nullable Accuracy accuracy = plan.accuracy();
    Optional<Evaluator> evaluator = Evaluator.of(plan.test().benchmark());
    boolean asked = plan.test().mode() == TestMode.Accuracy || complianceGate(plan) != null;
    if (!asked || accuracy == null || evaluator.isEmpty()) {
      return Optional.empty();
    }
    List<Path> besides = new ArrayList<>();
    Path tokenizer = tokenizer(plan, accuracy, datasets);
    if (plan.dataset().path() != null) {
      besides.add(datasets.resolve(plan.dataset().path()).toAbsolutePath().getParent());
    }
    besides.add(tokenizer.toAbsolutePath().getParent());
    try {
      return Optional.of(
          new AccuracyStage(
              plan,
              Scoring.prepare(
                  evaluator.get(), dataset, plan.test().completionData(), tokenizer, besides)));
    } catch (UnusableInputException e) {
      throw new RunFailedException(
          RunnerExit.DATASET_INVALID,
          e.getMessage() + "; to keep the answers unscored, set spec.accuracy.evaluate to false",
          e);
    }
  }

  /** What a compliance test asks of the score; null: it is none, or asks for no score. */
  private static @Nullable AccuracyGate complianceGate(RunPlan plan) {
    String test = plan.test().compliance();
    return test == null
        ? null
        : Ruleset.named(plan.test().ruleset())
            .complianceTest(plan.test().benchmark(), test)
            .accuracy();
  }

  private static Path tokenizer(RunPlan plan, RunPlan.Accuracy accuracy, Path datasets)
      throws RunFailedException {
    String named = accuracy.tokenizer();
    if (named == null) {
      String dataset = plan.dataset().path();
      if (dataset == null && plan.test().completionData() == RunPlan.CompletionData.TOKEN_IDS) {
        throw new RunFailedException(
            RunnerExit.DATASET_INVALID,
            "spec.dataset.url: answers are scored with the model's tokenizer.json beside the"
                + " dataset, and a URL has no folder beside it; put both on a volume and set"
                + " spec.dataset.claimName, or set spec.accuracy.evaluate to false");
      }
      return datasets.resolve(dataset == null ? "" : dataset).resolveSibling(Tokenizer.FILE_NAME);
    }
    Path tokenizer = datasets.resolve(named).normalize();
    if (!tokenizer.startsWith(datasets.normalize())) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          "spec.accuracy.tokenizerPath: \"" + named + "\" leads out of the dataset's volume");
    }
    return tokenizer;
  }

  /** Scores the log in the folder; what cannot be scored is said, and is no failure of the test. */
  @Nullable List<AccuracyScore> run(ResultsFolder folder) throws IOException {
    LOG.info("scoring the answers");
    try {
      Evaluation evaluation = scoring.score(folder.path().resolve(AccuracyLog.FILE_NAME), Map.of());
      AccuracyGate gate = complianceGate(plan);
      Scores scores =
          gate != null
              ? new Scores(evaluation, Map.of(gate.metric(), gate))
              : Scores.of(
                  evaluation,
                  Ruleset.named(plan.test().ruleset()),
                  plan.test().benchmark(),
                  plan.test().scenario());
      folder.write(Scores.FILE_NAME, scores.json());
      Optional<String> programs = scores.programs();
      if (programs.isPresent()) {
        folder.write(Scores.PROGRAMS_FILE_NAME, programs.get());
      }
      scores.result().forEach(score -> LOG.info("{}: {}", score.name(), score.value()));
      scores.evaluation().notes().forEach(LOG::info);
      return scores.result();
    } catch (UnusableInputException e) {
      LOG.warn("the answers cannot be scored: {}", e.getMessage());
      folder.write(Scores.FILE_NAME, Scores.unscored(e.getMessage() + "."));
      return null;
    }
  }
}
