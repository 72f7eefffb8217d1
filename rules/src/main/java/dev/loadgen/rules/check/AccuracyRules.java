package dev.loadgen.rules.check;

import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.ScoreRange;
import dev.loadgen.rules.text.Wording;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether the answers of an accuracy test were scored, and are good enough. */
final class AccuracyRules {
  private AccuracyRules() {}

  static List<Finding> notScored(Subject test) {
    AccuracyScores scores = test.evidence().scores();
    if (!test.evidence().accuracy()) {
      return List.of();
    }
    if (scores == null) {
      return test.ruleset().official()
          ? List.of(
              new Finding(
                  "AccuracyNotScored",
                  "The answers were stored but not scored, and "
                      + test.ruleset().name()
                      + " requires a score.",
                  "Leave spec.accuracy.evaluate true, or score the folder with loadgen evaluate."))
          : List.of();
    }
    if (scores.scores().isEmpty()) {
      return List.of(
          new Finding(
              "AccuracyNotScored",
              "The answers could not be scored: " + String.join(" ", scores.notes()),
              "Fix what the message names, and score the folder with loadgen evaluate."));
    }
    return List.of();
  }

  static List<Finding> answersMissing(Subject test) {
    AccuracyScores scores = scores(test);
    RunEvidence.Samples samples = test.evidence().samples();
    long issued = samples != null ? samples.issued() : test.log().issuedSamples().orElse(0);
    if (scores == null || scores.samples() >= issued) {
      return List.of();
    }
    return List.of(
        new Finding(
            "AnswersMissing",
            "LoadGen's accuracy log has answers to "
                + scores.samples()
                + " of "
                + Wording.count(issued, "sample", "samples")
                + ".",
            "Check LoadGen's errors; scores of some of the samples do not count.",
            Wording.count(scores.samples(), "samples"),
            Wording.count(issued, "samples")));
  }

  static List<Finding> gates(Subject test) {
    AccuracyScores scores = scores(test);
    return scores == null || test.open()
        ? List.of()
        : test.ruleset().accuracyGates(test.benchmarkId(), test.evidence().scenario()).stream()
            .flatMap(gate -> gate(test, gate, scores).stream())
            .toList();
  }

  /** Null unless something was scored. */
  private static @Nullable AccuracyScores scores(Subject test) {
    AccuracyScores scores = test.evidence().scores();
    return !test.evidence().accuracy() || scores == null || scores.scores().isEmpty()
        ? null
        : scores;
  }

  private static List<Finding> gate(Subject test, AccuracyGate gate, AccuracyScores scores) {
    ScoreRange score = scores.scores().get(gate.metric());
    String asked =
        test.ruleset().name() + " asks for " + gate.bounds() + " (" + gate.source() + ")";
    if (score == null && scores.claimed() && gate.min() == null) {
      // The submission checker holds a score against an upper bound only where it stands, and the
      // reference of gpt-oss-120b does not print this one.
      return List.of();
    }
    if (score == null) {
      return List.of(
          new Finding(
              "AccuracyPartlyScored",
              gate.metric() + " was not scored, and " + asked + "." + notes(scores),
              "Provide what is missing, and score the folder with loadgen evaluate."));
    }
    return switch (gate.check(score)) {
      case MET -> List.of();
      case MISSED ->
          List.of(
              new Finding(
                  "AccuracyMissed",
                  gate.metric() + " is " + value(score) + ", " + asked + ".",
                  "Check the model, quantization, chat template and spec.sampling.accuracy;"
                      + " accuracy.json and mlperf_log_accuracy.json have the details.",
                  value(score),
                  gate.bounds()));
      case UNKNOWN ->
          List.of(
              new Finding(
                  "AccuracyPartlyScored",
                  gate.metric() + " is " + value(score) + ", " + asked + "." + notes(scores),
                  "Provide what is missing, and score the folder with loadgen evaluate."));
    };
  }

  private static String value(ScoreRange score) {
    if (Double.isNaN(score.atLeast()) || Double.isNaN(score.atMost())) {
      return "not a number"; // as others claim it
    }
    return score.atLeast() == score.atMost()
        ? Wording.number(score.atLeast())
        : "between " + Wording.number(score.atLeast()) + " and " + Wording.number(score.atMost());
  }

  private static String notes(AccuracyScores scores) {
    return scores.notes().isEmpty() ? "" : " " + String.join(" ", scores.notes());
  }
}
