package dev.loadgen.rules.logged;

import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.ruleset.AuditRules;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the answers that the audit of a compliance test has logged. */
@FunctionalInterface
public interface AnswerReader {
  /**
   * Reads them.
   *
   * @param log LoadGen's {@code mlperf_log_accuracy.json}, which need not be there
   * @param test null: the round does not have it, so that nothing is asked of the tokens
   * @param samples of the dataset
   * @param scores what scoring the answers came to; null: they were not scored
   * @return what was found; a log that cannot be read is a problem in it
   */
  ComplianceEvidence read(
      Path log,
      String name,
      @Nullable AuditRules test,
      int samples,
      @Nullable AccuracyScores scores);
}
