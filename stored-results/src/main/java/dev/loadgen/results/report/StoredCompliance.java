package dev.loadgen.results.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.Verdict;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.accuracy.Scores;
import dev.loadgen.rules.check.ComplianceCheck;
import dev.loadgen.rules.check.ComplianceVerification;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.AnswerAudit;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.Ruleset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the answers that a compliance test has logged come to, by the files of its folder. */
public final class StoredCompliance {
  private StoredCompliance() {}

  /**
   * Reads the answers; null of a run that is no compliance test.
   *
   * @param environment {@code environment.json}, which knows the size of the dataset
   * @throws UnreadableRunException if {@code accuracy.json} is damaged
   */
  static @Nullable ComplianceEvidence evidence(
      Path folder, RunPlan plan, Ruleset ruleset, JsonNode environment)
      throws UnreadableRunException {
    String name = plan.test().compliance();
    if (name == null) {
      return null;
    }
    Path scores = folder.resolve(Scores.FILE_NAME);
    return read(
        folder.resolve(AccuracyLog.FILE_NAME),
        name,
        ruleset.complianceTests(plan.test().benchmark()).get(name),
        environment.path("dataset").path("samples").asInt(),
        Files.exists(scores) ? Scores.evidence(StoredRun.json(scores)) : null);
  }

  /** Reads the answers of an audit, as {@code AnswerReader} asks for. */
  public static ComplianceEvidence read(
      Path log,
      String name,
      @Nullable AuditRules test,
      int samples,
      @Nullable AccuracyScores scores) {
    AuditRules.Tokens tokens = test == null ? null : test.tokens();
    AnswerAudit audit = new AnswerAudit(tokens == null ? List.of() : tokens.endOfSequence());
    try {
      AccuracyLog.readAll(
          log,
          samples,
          entry ->
              audit.add(
                  entry.answer().sampleIndex(),
                  entry.answer().data(),
                  entry.firstToken(),
                  entry.tokenCount()));
    } catch (UnusableInputException e) {
      return new ComplianceEvidence(name, null, scores, e.getMessage() + ".");
    }
    return new ComplianceEvidence(name, audit.logged(), scores, null);
  }

  /**
   * What a compliance test came to, with the file for a submission written to its folder.
   *
   * @param verdict of the whole test
   * @throws UnreadableRunException if a file of the folder is missing or damaged
   */
  public static RunResult.Compliance conclude(ResultsFolder folder, RunPlan plan, Verdict verdict)
      throws UnreadableRunException, IOException {
    Ruleset ruleset = Ruleset.named(plan.test().ruleset());
    ComplianceEvidence evidence =
        evidence(
            folder.path(),
            plan,
            ruleset,
            StoredRun.json(folder.path().resolve(ResultsFolder.ENVIRONMENT)));
    if (evidence == null) {
      throw new IllegalArgumentException("the run is not a compliance test");
    }
    ComplianceVerification verification =
        ComplianceVerification.of(
            ruleset.complianceTest(plan.test().benchmark(), evidence.test()),
            evidence,
            plan.test().scenario(),
            verdict == Verdict.Valid);
    Optional<ComplianceVerification.File> file = verification.file();
    if (file.isPresent()) {
      folder.write(file.get().name(), file.get().text());
    }
    return new RunResult.Compliance(
        evidence.test(),
        verification.passed(),
        verification.checks().isEmpty()
            ? null
            : verification.checks().stream().map(StoredCompliance::check).toList());
  }

  private static RunResult.ComplianceCheck check(ComplianceCheck check) {
    return new RunResult.ComplianceCheck(
        check.name(), check.outcome().name(), check.found(), check.limit());
  }
}
