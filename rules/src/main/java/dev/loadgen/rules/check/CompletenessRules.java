package dev.loadgen.rules.check;

import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.text.Wording;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Whether a test ran to its end, and whether all of its samples were answered. */
final class CompletenessRules {
  private CompletenessRules() {}

  static List<Finding> benchmarkNotInRound(Subject test) {
    if (test.rules() != null) {
      return List.of();
    }
    BenchmarkRules rules = test.ruleset().benchmark(test.benchmarkId());
    String why =
        rules.absence() != null
            ? rules.absence()
            : "%s has no scenario %s in %s, only %s"
                .formatted(
                    test.benchmarkId(),
                    test.evidence().scenario(),
                    test.ruleset().name(),
                    rules.scenariosInWords());
    return List.of(
        new Finding(
            "BenchmarkNotInRound",
            why + ".",
            "Change spec.scenario or spec.benchmark, or set spec.ruleset to none."));
  }

  static List<Finding> noSamples(Subject test) {
    RunEvidence.Samples samples = test.evidence().samples();
    if (samples == null || samples.completed() > 0) {
      return List.of();
    }
    return List.of(
        new Finding(
            "NoSamples",
            samples.issued() == 0
                ? "LoadGen issued no sample."
                : "None of "
                    + Wording.count(samples.issued(), "issued sample", "issued samples")
                    + " was answered.",
            "Look at the server's log and the failures of this run; a run without an answer measures nothing."));
  }

  static List<Finding> failedSamples(Subject test) {
    RunEvidence.Samples samples = test.evidence().samples();
    if (samples == null) {
      return List.of();
    }
    long failed =
        Math.max(
            samples.failed(),
            samples.failures().values().stream().mapToLong(RunEvidence.FailureCount::count).sum());
    if (failed == 0) {
      return List.of();
    }
    String kinds =
        samples.failures().entrySet().stream()
            .filter(kind -> kind.getValue().count() > 0)
            .sorted((a, b) -> Long.compare(b.getValue().count(), a.getValue().count()))
            .map(
                kind ->
                    "%s %s (for example: %s)"
                        .formatted(
                            kind.getKey(),
                            kind.getValue().count(),
                            Wording.cut(kind.getValue().example(), 300)))
            .collect(Collectors.joining("; "));
    return List.of(
        new Finding(
            "FailedSamples",
            failed
                + " of "
                + Wording.count(samples.issued(), "sample", "samples")
                + " failed, 0 may"
                + (kinds.isEmpty() ? "." : ": " + kinds + "."),
            "Fix what the examples name; for TIMEOUT raise spec.client.requestTimeout or lower"
                + " spec.load.targetQps or spec.client.maxConcurrency.",
            String.valueOf(failed),
            "0"));
  }

  static List<Finding> logIncomplete(Subject test) {
    DetailLog log = test.log();
    if (log.complete()) {
      return damaged(test);
    }
    String state =
        log.entries() == 0
            ? DetailLog.FILE_NAME + " has no LoadGen entry."
            : DetailLog.FILE_NAME
                + " ends after "
                + Wording.count(log.entries(), "entry", "entries")
                + ", before the end of the test.";
    return List.of(
        new Finding(
            "LogIncomplete",
            state,
            "LoadGen did not finish: look at the runner's log, raise spec.timeouts.run if it was ended, and run again."));
  }

  /** A log that LoadGen has finished lacks nothing that LoadGen writes. */
  private static List<Finding> damaged(Subject test) {
    DetailLog log = test.log();
    if (!test.ruleset().official()) {
      return List.of();
    }
    String fix = "Judge the unmodified log that LoadGen wrote.";
    List<Finding> findings = new ArrayList<>();
    long unreadable = log.unreadableLines() + log.strangeNumbers();
    if (unreadable > 0) {
      findings.add(
          new Finding(
              "LogIncomplete",
              "%s %s cannot be read."
                  .formatted(Wording.count(unreadable, "line of", "lines of"), DetailLog.FILE_NAME),
              fix));
    }
    if (log.foreignStart()) {
      findings.add(
          new Finding(
              "LogIncomplete",
              DetailLog.FILE_NAME + " does not begin with a line of LoadGen's.",
              fix));
    }
    List<String> missing =
        test.evidence().accuracy() || log.accuracy()
            ? List.of()
            : log.missing(test.mustMeasureTokens() && test.tokenLatencies());
    if (!missing.isEmpty()) {
      findings.add(
          new Finding(
              "LogIncomplete",
              DetailLog.FILE_NAME
                  + " lacks what LoadGen writes for every test: "
                  + Wording.cut(String.join(", ", missing), 300)
                  + ".",
              fix));
    }
    return findings;
  }

  /** LoadGen's other logs; whether the detail log is whole, {@link #logIncomplete} says. */
  static List<Finding> logsCut(Subject test) {
    return test.evidence().cutLogs().stream()
        .map(
            cut ->
                new Finding(
                    "LogIncomplete",
                    cut + ".",
                    "A write has failed: make room on the volume of the results, and run again."))
        .toList();
  }

  static List<Finding> logOfOtherTest(Subject test) {
    DetailLog log = test.log();
    if (log.scenario().isEmpty() || log.mode().isEmpty()) {
      return List.of();
    }
    String scenario = DetailLog.nameOf(test.evidence().scenario());
    String mode = test.evidence().accuracy() ? "AccuracyOnly" : "PerformanceOnly";
    String found = log.scenario().get() + " " + log.mode().get();
    if (found.equals(scenario + " " + mode)) {
      return List.of();
    }
    return List.of(
        new Finding(
            "LogOfOtherTest",
            "LoadGen ran " + found + ", the run asks for " + scenario + " " + mode + ".",
            "Remove mode from spec.load.userConf, or judge the folder of the right run."));
  }

  static List<Finding> logOfSeveralTests(Subject test) {
    long tests = test.log().tests();
    if (tests <= 1) {
      return test.log().contradictions().isEmpty()
          ? List.of()
          : List.of(
              new Finding(
                  "LogOfSeveralTests",
                  DetailLog.FILE_NAME
                      + " has several values of "
                      + Wording.cut(String.join(", ", test.log().contradictions()), 300)
                      + ".",
                  "Judge the unmodified log that LoadGen wrote."));
    }
    return List.of(
        new Finding(
            "LogOfSeveralTests",
            DetailLog.FILE_NAME + " contains the starts of " + tests + " tests, 1 may be.",
            "Judge the unmodified log that LoadGen wrote; each test has a folder of its own.",
            String.valueOf(tests),
            "1"));
  }

  static List<Finding> loadGenErrors(Subject test) {
    DetailLog log = test.log();
    if (log.errorCount() == 0 || auditSentAll(test)) {
      return List.of();
    }
    String first =
        log.errors().stream()
            .distinct()
            .limit(3)
            .map(error -> Wording.cut(error, 300))
            .collect(Collectors.joining("; "));
    boolean capped = log.errors().stream().anyMatch(error -> error.contains("Ending early: Max"));
    return List.of(
        new Finding(
            "LoadGenErrors",
            "LoadGen logged "
                + Wording.count(log.errorCount(), "error", "errors")
                + ", 0 may be"
                + (first.isEmpty() ? "." : ": " + first + "."),
            capped
                ? "Remove spec.load.maxDuration and spec.load.maxQueryCount, or raise them above what the run needs."
                : "Fix what the errors name; LoadGen's log has all of them.",
            String.valueOf(log.errorCount()),
            "0"));
  }

  /**
   * Whether LoadGen's only errors are that it ended at {@code max_query_count}, after all queries
   * that a compliance test asks for. An audit's least duration is none, so that a harness bounds
   * the queries instead; nothing is measured that the bound could better.
   */
  private static boolean auditSentAll(Subject test) {
    DetailLog log = test.log();
    Long wanted = test.audit() == null ? null : test.audit().setting("min_query_count");
    return wanted != null
        && log.issuedSamples().orElse(0) >= wanted
        && log.errors().size() == log.errorCount()
        && log.errors().stream()
            .allMatch(error -> error.contains("Ending early: Max query count reached"));
  }

  static List<Finding> loadGenInvalid(Subject test) {
    if (test.log().validity() != DetailLog.Validity.INVALID) {
      return List.of();
    }
    return List.of(
        new Finding(
            "LoadGenInvalid",
            "LoadGen calls the test INVALID: "
                + test.log()
                    .invalidReason()
                    .map(reason -> Wording.cut(reason, 500))
                    .orElse(
                        "it gives no reason, as when only the early-stopping criterion is not"
                            + " met."),
            "See the other reasons; they name the fields to change."));
  }

  static List<Finding> sampleCountMismatch(Subject test) {
    RunEvidence.Samples samples = test.evidence().samples();
    if (samples == null) {
      return List.of();
    }
    if (samples.completed() + samples.failed() != samples.issued()) {
      return List.of(
          new Finding(
              "SampleCountMismatch",
              "%s completed and %s failed samples do not add up to %s issued samples."
                  .formatted(samples.completed(), samples.failed(), samples.issued()),
              "Samples were lost between LoadGen and the server; the run cannot be used."));
    }
    long logged = test.log().issuedSamples().orElse(samples.issued());
    if (logged != samples.issued()) {
      return List.of(
          new Finding(
              "SampleCountMismatch",
              "LoadGen logged %s, the client was handed %s."
                  .formatted(
                      Wording.count(logged, "issued sample", "issued samples"), samples.issued()),
              "Log and client disagree about the test; the run cannot be used.",
              Wording.count(samples.issued(), "samples"),
              Wording.count(logged, "samples")));
    }
    return List.of();
  }

  static List<Finding> unknownTokenCounts(Subject test) {
    RunEvidence.Samples samples = test.evidence().samples();
    long unknown = samples == null ? 0 : samples.unknownTokenCounts();
    if (unknown == 0 || !(test.tokenLatencies() || test.mustMeasureTokens())) {
      return List.of();
    }
    return List.of(
        new Finding(
            "UnknownTokenCounts",
            "Of "
                + Wording.count(unknown, "answer", "answers")
                + " the server gave no token count.",
            "Use a server and an endpoint that return token ids or usage; token rates rest on them.",
            String.valueOf(unknown),
            "0"));
  }

  static List<Finding> shortAnswers(Subject test) {
    RunEvidence.Samples samples = test.evidence().samples();
    long shorts = samples == null ? 0 : samples.shortAnswers();
    if (shorts == 0
        || test.evidence().accuracy()
        || test.offline()
        || !(test.tokenLatencies() || test.mustMeasureTokens())) {
      return List.of();
    }
    return List.of(
        new Finding(
            "ShortAnswers",
            Wording.count(shorts, "answer has", "answers have")
                + " fewer than 2 tokens, so that time per output token is not defined for them.",
            test.ruleset().official()
                ? "Check that prompts, chat template and model fit; "
                    + test.ruleset().name()
                    + " does not let minTokens make answers longer."
                : "Set spec.sampling.performance.minTokens to 2, or check that prompts and model fit.",
            String.valueOf(shorts),
            "0"));
  }
}
