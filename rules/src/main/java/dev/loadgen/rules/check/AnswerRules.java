package dev.loadgen.rules.check;

import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.evidence.RunEvidence.FailureCount;
import dev.loadgen.rules.text.Wording;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether what came back is what was asked for. They hold without a round, too: a server that does
 * not do what it is asked for does other work than the one that is measured.
 */
final class AnswerRules {
  private AnswerRules() {}

  static List<Finding> asAsked(Subject test) {
    RunEvidence.Samples samples = test.evidence().samples();
    RunEvidence.Answers answers = samples == null ? null : samples.answers();
    if (samples == null || answers == null) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    answers
        .faults()
        .forEach((fault, seen) -> findings.add(finding(fault, seen, samples, answers.asked())));
    return findings;
  }

  private static Finding finding(
      AskedAnswer.Fault fault, FailureCount seen, RunEvidence.Samples samples, AskedAnswer asked) {
    String some =
        seen.count() + " of " + Wording.count(samples.completed(), "answer", "answers") + " ";
    String example = ", such as one of " + seen.example() + ".";
    String number = String.valueOf(seen.count());
    return switch (fault) {
      case TOO_LONG ->
          new Finding(
              "AnswersTooLong",
              some
                  + "had more tokens than the "
                  + asked.maxNewTokens()
                  + " that were asked for at most"
                  + example,
              "Make the servers, and what stands before them, obey max_tokens: no"
                  + " --override-generation-config and no gateway that changes requests.",
              number,
              "0");
      case CUT ->
          asked.boundless()
              ? new Finding(
                  "AnswersCut",
                  some
                      + "ended for their length, at "
                      + asked.maxNewTokens()
                      + " tokens at most, and the round bounds no answer"
                      + example,
                  "Raise maxNewTokens in spec.sampling until no answer ends by it.",
                  number,
                  "0")
              : new Finding(
                  "AnswersCut",
                  some
                      + "ended for their length with fewer tokens than the "
                      + asked.maxNewTokens()
                      + " that were asked for"
                      + example,
                  "Give the servers a context that holds prompt and answer"
                      + " (spec.engineConfig.maxModelLen), and no limit of their own on new tokens.",
                  number,
                  "0");
      case TOO_SHORT ->
          new Finding(
              "AnswersTooShort",
              some
                  + "had fewer tokens than the "
                  + asked.minTokens()
                  + " that were asked for at least"
                  + example,
              "Use servers that know min_tokens, or remove minTokens from spec.sampling.",
              number,
              "0");
      case OTHER_STOP ->
          new Finding(
              "StopReasons",
              some + "ended for what was not asked for: " + seen.example() + ".",
              "Take stop texts, tool calls and filters out of the servers and of what stands before"
                  + " them; for stop_string ask for the text in spec.sampling.",
              number,
              "0");
    };
  }
}
