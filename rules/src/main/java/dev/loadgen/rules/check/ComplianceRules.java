package dev.loadgen.rules.check;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.check.ComplianceCheck.Outcome;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.ComplianceClaim;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.evidence.LoggedAnswers;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.ScoreRange;
import dev.loadgen.rules.text.Wording;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether a compliance test ran with the settings of its audit, and whether its answers pass. */
final class ComplianceRules {
  /** LoadGen's log has the mode by name, which {@code LogOfOtherTest} looks at. */
  private static final String MODE = "mode";

  private ComplianceRules() {}

  /** Rounds differ in the tests that they ask for. */
  static List<Finding> inRound(Subject test) {
    if (test.audit() != null || test.auditName().isEmpty()) {
      return List.of();
    }
    return List.of(
        new Finding(
            "ComplianceNotInRound",
            "%s has no %s for %s."
                .formatted(test.ruleset().name(), test.auditName(), test.benchmarkId()),
            "Judge by the round that the test was run for."));
  }

  /** An audit's settings are no performance test's. */
  static List<Finding> auditOutsideOfCompliance(Subject test) {
    if (!test.auditName().isEmpty() || !test.log().auditWasRead()) {
      return List.of();
    }
    return List.of(
        new Finding(
            "AuditInEffect",
            "LoadGen read an audit.config, whose settings are not those of a performance test.",
            "Remove audit.config from the folder that LoadGen is started in, and run again; for a"
                + " compliance test set spec.compliance."));
  }

  static List<Finding> audit(Subject test) {
    AuditRules audit = test.audit();
    if (audit == null || test.log().mode().isEmpty()) {
      return List.of();
    }
    if (!test.log().auditWasRead()) {
      return List.of(
          new Finding(
              "AuditNotRead",
              "LoadGen's log does not say that it read the audit.config of "
                  + test.auditName()
                  + ".",
              "Judge the logs of a run with spec.compliance " + test.auditName() + "."));
    }
    List<String> differing = new ArrayList<>();
    audit.audit().forEach((key, wanted) -> compare(test.log(), key, wanted, differing));
    return differing.isEmpty()
        ? List.of()
        : List.of(
            new Finding(
                "AuditSettings",
                "LoadGen ran with other settings than those of %s: %s."
                    .formatted(test.auditName(), String.join(", ", differing)),
                "Use the runner of this version, which hands LoadGen the settings itself."));
  }

  private static void compare(DetailLog log, String key, long wanted, List<String> differing) {
    if (key.equals(MODE)) {
      return;
    }
    String logged = AuditRules.logged(key);
    boolean same =
        log.flag(logged)
            .map(flag -> flag == (wanted != 0))
            .orElseGet(() -> log.integer(logged).orElse(wanted + 1) == wanted);
    if (!same) {
      differing.add(key + " " + log.text(logged).orElse("absent") + ", must be " + wanted);
    }
  }

  /** The samples of a test that has a set of its own. */
  static List<Finding> samples(Subject test) {
    AuditRules audit = test.audit();
    if (audit == null || audit.samples() == null || !test.hasResults()) {
      return List.of();
    }
    long library = test.log().integer("qsl_reported_total_count").orElse(0);
    long used =
        Math.min(test.log().integer("effective_performance_sample_count").orElse(0), library);
    return used == audit.samples() && library == used
        ? List.of()
        : List.of(
            new Finding(
                "PerformanceSampleCount",
                "The test drew on %s of %s; %s is run on its own %s."
                    .formatted(
                        used,
                        Wording.count(library, "sample", "samples"),
                        test.auditName(),
                        audit.samples()),
                "Give spec.dataset the dataset of " + test.auditName() + "."));
  }

  static List<Finding> answers(Subject test) {
    AuditRules audit = test.audit();
    ComplianceEvidence evidence = test.evidence().compliance();
    if (audit == null || evidence == null) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    ComplianceClaim claim = evidence.claim();
    if (claim != null) {
      claimed(test, audit, evidence, claim).ifPresent(findings::add);
    }
    LoggedAnswers answers = evidence.answers();
    if (answers == null) {
      if (claim == null) {
        findings.add(
            new Finding(
                "ComplianceNotVerified",
                "The answers could not be verified: " + evidence.problem(),
                "Fix what the message names, and run again."));
      } else if (audit.accuracy() != null && evidence.scores() != null) {
        accuracy(test, audit.accuracy(), evidence.scores()).ifPresent(findings::add);
      }
      return findings;
    }
    missing(audit, evidence.test(), answers).ifPresent(findings::add);
    offence(
            "AnswersNotTokens",
            "are not int32 token ids",
            answers.notTokens(),
            answers.answers(),
            "Set spec.endpointType of the backend to one that returns token ids.")
        .ifPresent(findings::add);
    if (audit.tokens() != null) {
      tokens(test, answers, findings);
    }
    if (audit.accuracy() != null && (claim == null || evidence.scores() != null)) {
      accuracy(test, audit.accuracy(), evidence.scores()).ifPresent(findings::add);
    }
    if (audit.outputLength() != null) {
      length(evidence.test(), audit.outputLength(), answers).ifPresent(findings::add);
    }
    return findings;
  }

  /** What a submission's own file makes of the verdict, where it fails or is all that there is. */
  private static Optional<Finding> claimed(
      Subject test, AuditRules audit, ComplianceEvidence evidence, ComplianceClaim claim) {
    if (claim.fault() != null) {
      return Optional.of(
          new Finding(
              "VerificationFailed",
              claim.fault(),
              "Put the file there that run_verification.py of "
                  + evidence.test()
                  + " writes, or a run with spec.compliance, of a test that passes."));
    }
    return unverified(test, audit, evidence)
        .map(
            why ->
                new Finding(
                    "ComplianceClaimed",
                    claim.file()
                        + " claims that "
                        + evidence.test()
                        + " passes, and it cannot be computed: "
                        + why,
                    "Accept the claim with --accept-claimed-scores; or judge a folder that still"
                        + " has"
                        + " LoadGen's log and the whole mlperf_log_accuracy.json"
                        + (audit.accuracy() == null
                            ? "."
                            : ", with --scores FILE of loadgen evaluate --output FILE.")));
  }

  /** Why the outcome cannot be recomputed; empty if it can. */
  private static Optional<String> unverified(
      Subject test, AuditRules audit, ComplianceEvidence evidence) {
    if (test.log().entries() == 0) {
      return Optional.of("LoadGen's log is missing.");
    }
    AccuracyScores scores = evidence.scores();
    if (audit.accuracy() != null) {
      boolean scored = scores != null && scores.samples() >= audit.answers();
      return scored
          ? Optional.empty()
          : Optional.of(
              evidence.problem() == null
                  ? "the answers have not been scored."
                  : evidence.problem());
    }
    return Optional.ofNullable(evidence.problem());
  }

  private static boolean enough(AuditRules audit, LoggedAnswers answers) {
    return answers.answers() >= audit.answers()
        && (!audit.sendsEachSampleOnce() || answers.samples() >= audit.answers());
  }

  private static Optional<Finding> missing(AuditRules audit, String name, LoggedAnswers answers) {
    return enough(audit, answers)
        ? Optional.empty()
        : Optional.of(
            new Finding(
                "AnswersNotLogged",
                "LoadGen logged %s to %s, %s asks for %s."
                    .formatted(
                        Wording.count(answers.answers(), "answer", "answers"),
                        Wording.count(answers.samples(), "sample", "samples"),
                        name,
                        audit.answers()),
                "Remove spec.load.maxDuration, spec.load.maxQueryCount and spec.load.userConf, which"
                    + " ended the test early, and look at LoadGen's errors."));
  }

  private static void tokens(Subject test, LoggedAnswers answers, List<Finding> findings) {
    if (!test.offline()) {
      offence(
              "FirstTokenDiffers",
              "do not begin with the first token that was reported",
              answers.otherFirstTokens(),
              answers.answers(),
              "The server must stream the tokens that its answer consists of, with their ids.")
          .ifPresent(findings::add);
    }
    offence(
            "EosRepeated",
            "end with more than one end-of-sequence token",
            answers.repeatedEnds(),
            answers.answers(),
            "Remove spec.sampling.performance.ignoreEos and whatever makes the server go on after"
                + " the end; an answer ends with its first end-of-sequence token.")
        .ifPresent(findings::add);
    offence(
            "TokenCountDiffers",
            "have another number of tokens than was reported",
            answers.otherTokenCounts(),
            answers.answers(),
            "The server's count and its token ids disagree; token rates rest on the count.")
        .ifPresent(findings::add);
  }

  private static Optional<Finding> offence(
      String rule, String what, LoggedAnswers.Offences found, long answers, String fix) {
    return found.count() == 0
        ? Optional.empty()
        : Optional.of(
            new Finding(
                rule,
                "%s of %s %s, 0 may: %s."
                    .formatted(
                        found.count(),
                        Wording.count(answers, "answer", "answers"),
                        what,
                        found.example()),
                fix,
                found.count() + " answers",
                "0 answers"));
  }

  private static Optional<Finding> accuracy(
      Subject test, AccuracyGate gate, @Nullable AccuracyScores scores) {
    String asked = test.auditName() + " asks for " + gate.bounds() + " (" + gate.source() + ")";
    ScoreRange score = scores == null ? null : scores.scores().get(gate.metric());
    String notes =
        scores == null || scores.notes().isEmpty() ? "" : " " + String.join(" ", scores.notes());
    if (score == null) {
      return Optional.of(
          new Finding(
              "ComplianceNotScored",
              gate.metric() + " was not scored, and " + asked + "." + notes,
              "Fix what the message names, and run again."));
    }
    return switch (gate.check(score)) {
      case MET -> Optional.empty();
      case MISSED ->
          Optional.of(
              new Finding(
                  "ComplianceAccuracyMissed",
                  gate.metric() + " is " + value(score) + ", " + asked + ".",
                  "Check the model, quantization, reasoning effort of the prompts and"
                      + " spec.sampling.performance; accuracy.json and mlperf_log_accuracy.json have"
                      + " the details.",
                  value(score),
                  gate.bounds()));
      case UNKNOWN ->
          Optional.of(
              new Finding(
                  "ComplianceNotScored",
                  gate.metric() + " is " + value(score) + ", " + asked + "." + notes,
                  "Give spec.dataset the dataset of " + test.auditName() + "."));
    };
  }

  private static String value(ScoreRange score) {
    return score.atLeast() == score.atMost()
        ? Wording.number(score.atLeast())
        : "between " + Wording.number(score.atLeast()) + " and " + Wording.number(score.atMost());
  }

  private static Optional<Finding> length(
      String name, AuditRules.OutputLength bounds, LoggedAnswers answers) {
    double mean = answers.lengths().mean();
    return bounds.holds(mean)
        ? Optional.empty()
        : Optional.of(
            new Finding(
                "OutputLengthOutOfBounds",
                "The mean length of an answer is %s tokens, %s asks for %s (%s)."
                    .formatted(Wording.hundredths(mean), name, bounds.bounds(), bounds.source()),
                mean < bounds.min()
                    ? "Check that answers are not cut (spec.sampling.performance.maxNewTokens and the"
                        + " server's context length) and that the prompts are the benchmark's."
                    : "Check spec.sampling.performance, that the model stops at its end-of-sequence"
                        + " token, and that the prompts are the benchmark's.",
                Wording.hundredths(mean) + " tokens",
                bounds.bounds()));
  }

  /** All that a test asks of its answers, in its order; empty if there was nothing to verify. */
  static List<ComplianceCheck> checks(
      AuditRules audit, ComplianceEvidence evidence, Scenario scenario) {
    LoggedAnswers answers = evidence.answers();
    if (answers == null) {
      return List.of();
    }
    List<ComplianceCheck> checks = new ArrayList<>();
    checks.add(
        ComplianceCheck.of(
            "answers logged",
            enough(audit, answers),
            audit.sendsEachSampleOnce()
                ? answers.answers() + " to " + answers.samples() + " samples"
                : Long.toString(answers.answers()),
            "at least " + audit.answers()));
    if (audit.tokens() != null) {
      String none = "none";
      checks.add(
          scenario == Scenario.Offline
              ? new ComplianceCheck("other first token", Outcome.Skipped, "not reported", none)
              : offences("other first token", answers.otherFirstTokens()));
      checks.add(offences("repeated end of sequence", answers.repeatedEnds()));
      checks.add(offences("other token count", answers.otherTokenCounts()));
    }
    AccuracyGate gate = audit.accuracy();
    if (gate != null) {
      AccuracyScores scores = evidence.scores();
      ScoreRange score = scores == null ? null : scores.scores().get(gate.metric());
      Outcome outcome =
          score == null
              ? Outcome.Unknown
              : switch (gate.check(score)) {
                case MET -> Outcome.Passed;
                case MISSED -> Outcome.Failed;
                case UNKNOWN -> Outcome.Unknown;
              };
      checks.add(
          new ComplianceCheck(
              gate.metric(), outcome, score == null ? "not scored" : value(score), gate.bounds()));
    }
    AuditRules.OutputLength bounds = audit.outputLength();
    if (bounds != null) {
      double mean = answers.lengths().mean();
      checks.add(
          ComplianceCheck.of(
              "mean output tokens", bounds.holds(mean), Wording.hundredths(mean), bounds.bounds()));
    }
    return List.copyOf(checks);
  }

  private static ComplianceCheck offences(String name, LoggedAnswers.Offences found) {
    return ComplianceCheck.of(
        name, found.count() == 0, found.count() == 0 ? "none" : found.count() + "", "none");
  }
}
