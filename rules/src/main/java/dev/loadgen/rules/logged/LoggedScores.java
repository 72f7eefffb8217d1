package dev.loadgen.rules.logged;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScoreRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The scores of an accuracy test: those that were computed, or those that its folder claims. */
final class LoggedScores {
  private static final String ACCURACY = "accuracy.txt";

  /** What the submission checker takes: MAX_ACCURACY_LOG_SIZE in its constants.py. */
  private static final long CUT_BYTES = 10 * 1024;

  /** What truncate_accuracy_log.py puts between the first and the last 4096 characters. */
  private static final String CUT = "\n\n...\n\n";

  private final LoggedFolder folder;
  private final Division division;
  private final DetailLog log;
  private final Ruleset ruleset;
  private final @Nullable AccuracyScores computed;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * Of one folder.
   *
   * @param computed what scoring the answers came to; null: nobody has
   */
  LoggedScores(
      LoggedFolder folder,
      Division division,
      DetailLog log,
      Ruleset ruleset,
      @Nullable AccuracyScores computed) {
    this.folder = folder;
    this.division = division;
    this.log = log;
    this.ruleset = ruleset;
    this.computed = computed;
  }

  List<Finding> findings() {
    return List.copyOf(findings);
  }

  /** Whether an accuracy log was cut for a submission. */
  static boolean isCut(Path file) throws IOException {
    if (Files.size(file) > CUT_BYTES) {
      return false;
    }
    return Files.readString(file, StandardCharsets.ISO_8859_1).contains(CUT);
  }

  /** What scoring came to, or what the folder claims of it; null: neither is there. */
  @Nullable AccuracyScores found(String benchmark, Scenario scenario) throws IOException {
    Path answers = folder.path().resolve(LoggedFolder.ACCURACY_LOG);
    boolean submitted = folder.division().isPresent();
    if (!Files.exists(answers)) {
      findings.add(
          new Finding(
              "AnswersMissing",
              "There is no " + LoggedFolder.ACCURACY_LOG + " beside the log.",
              "Keep all files that LoadGen wrote."));
    } else if (submitted && Files.size(answers) > CUT_BYTES) {
      findings.add(
          new Finding(
              "AccuracyLogNotCut",
              LoggedFolder.ACCURACY_LOG
                  + " has "
                  + Files.size(answers)
                  + " bytes, "
                  + CUT_BYTES
                  + " may be in a submission.",
              "Keep it elsewhere, since MLCommons may ask for it, and cut the submission's with"
                  + " truncate_accuracy_log.py of mlcommons/inference, which adds the hash, too.",
              Files.size(answers) + " bytes",
              CUT_BYTES + " bytes"));
    }
    Optional<String> claims = LoggedFolder.text(folder.path().resolve(ACCURACY));
    if (division != Division.OPEN
        && folder.kind() == LoggedFolder.Kind.ACCURACY
        && (submitted || (claims.isPresent() && computed == null))
        && claims.stream().flatMap(String::lines).noneMatch(line -> line.matches("hash=\\w+"))) {
      findings.add(
          new Finding(
              "HashMissing",
              claims.isPresent()
                  ? ACCURACY + " has no line hash=, so its scores could belong to any log."
                  : "There is no " + ACCURACY + " with the hash of the log.",
              "Run truncate_accuracy_log.py of mlcommons/inference on the whole log, or add the line"
                  + " hash= and the SHA-256 of the log before it is cut."));
    }
    if (computed != null) {
      return computed;
    }
    return claims.isEmpty() ? null : claimed(claims.get(), benchmark, scenario);
  }

  private AccuracyScores claimed(String claims, String benchmark, Scenario scenario) {
    Map<String, ScoreRange> scores = new LinkedHashMap<>();
    if (claims.indexOf('\uFFFD') >= 0) {
      String problem = ACCURACY + " is not UTF-8, and the submission checker stops there.";
      return new AccuracyScores(0, scores, List.of(problem), true);
    }
    for (AccuracyGate gate : ruleset.accuracyGates(benchmark, scenario)) {
      gate.claimed(claims)
          .ifPresent(claimed -> scores.put(gate.metric(), new ScoreRange(claimed, claimed)));
    }
    if (scores.isEmpty()) {
      return new AccuracyScores(
          0, scores, List.of(ACCURACY + " has none of the scores that the round bounds."), true);
    }
    if (division != Division.OPEN) {
      findings.add(
          new Finding(
              "AccuracyClaimed",
              "The scores are those that "
                  + ACCURACY
                  + " claims; they were not computed from the answers.",
              "Score the whole "
                  + LoggedFolder.ACCURACY_LOG
                  + " with loadgen evaluate --output FILE, and judge with --scores FILE; or accept"
                  + " the claims with --accept-claimed-scores."));
    }
    return new AccuracyScores(log.issuedSamples().orElse(0), scores, List.of(), true);
  }
}
