package dev.loadgen.rules.logged;

import dev.loadgen.rules.AccuracyGate;
import dev.loadgen.rules.AccuracyScores;
import dev.loadgen.rules.ComplianceEvidence;
import dev.loadgen.rules.DetailLog;
import dev.loadgen.rules.Finding;
import dev.loadgen.rules.Judge;
import dev.loadgen.rules.Judgement;
import dev.loadgen.rules.Limits;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.rules.RunEvidence;
import dev.loadgen.rules.ScenarioRules;
import dev.loadgen.rules.Seeds;
import dev.loadgen.rules.UnreadableLogException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A test of which there are LoadGen's own files alone, whoever ran it. */
public final class LoggedTest {
  private static final String SUMMARY = "mlperf_log_summary.txt";
  private static final String ACCURACY_LOG = "mlperf_log_accuracy.json";
  private static final String ACCURACY = "accuracy.txt";

  private static final Pattern RESULT = Pattern.compile("(?m)^Result is : (\\w+)");

  /** LoadGen's summary is about 2 KB, accuracy.txt a few KB unless a script prints its progress. */
  private static final int TEXT_BYTES = 4 << 20;

  private final LoggedFolder folder;
  private final Question question;
  private final DetailLog log;
  private final Ruleset ruleset;
  private final List<String> notes = new ArrayList<>();

  private LoggedTest(LoggedFolder folder, Question question, DetailLog log, Ruleset ruleset) {
    this.folder = folder;
    this.question = question;
    this.log = log;
    this.ruleset = ruleset;
  }

  /**
   * What whoever asks says of the tests; null: what the folders tell.
   *
   * @param ruleset the rules; null: those of the round whose seeds the log has
   * @param benchmark id of the benchmark
   * @param scenario Offline, Server, Interactive or SingleStream
   * @param scores what scoring the answers of an accuracy test came to
   * @param acceptClaims whether the scores of accuracy.txt are taken for computed
   * @param answers reads the answers of compliance tests
   */
  public record Question(
      @Nullable Ruleset ruleset,
      @Nullable String benchmark,
      @Nullable String scenario,
      @Nullable AccuracyScores scores,
      boolean acceptClaims,
      AnswerReader answers) {}

  /** Judges the test in a folder. Never throws for what the folder holds. */
  public static FolderVerdict judge(LoggedFolder folder, Question question) {
    Path file = folder.path().resolve(DetailLog.FILE_NAME);
    if (!Files.exists(file) && LoggedFolder.ofEndpoints(folder.path()).isPresent()) {
      return unknown(
          folder,
          "it is of MLCommons endpoints, which sums its queries up and logs none of them; only"
              + " LoadGen's logs can be judged");
    }
    try {
      DetailLog log = DetailLog.read(file);
      if (log.entries() == 0) {
        return unknown(folder, DetailLog.FILE_NAME + " holds no line of LoadGen's");
      }
      Ruleset ruleset = question.ruleset();
      if (ruleset == null) {
        ruleset = byVersionOf(log).orElse(null);
      }
      return ruleset == null
          ? unknown(
              folder,
              "its seeds are those of no round that is known here; name one of "
                  + Ruleset.names()
                  + " with --ruleset")
          : new LoggedTest(folder, question, log, ruleset).judge();
    } catch (UnreadableLogException e) {
      return unknown(folder, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return unknown(folder, "cannot be read: " + e.getMessage());
    }
  }

  /** The round whose seeds the log has. */
  private static Optional<Ruleset> byVersionOf(DetailLog log) {
    return Ruleset.names().stream()
        .map(Ruleset::named)
        .filter(
            round -> {
              Seeds seeds = round.seeds();
              return seeds != null
                  && log.unsigned("effective_schedule_rng_seed")
                      .filter(seeds.schedule()::equals)
                      .isPresent();
            })
        .findFirst();
  }

  private static FolderVerdict unknown(LoggedFolder folder, String problem) {
    return new FolderVerdict.Unknown(folder.path(), problem);
  }

  private FolderVerdict judge() throws IOException {
    String benchmark = question.benchmark();
    if (benchmark == null) {
      benchmark = folder.benchmark(ruleset.benchmarks().keySet()).orElse(null);
    }
    if (benchmark == null || !ruleset.benchmarks().containsKey(benchmark)) {
      return unknown(
          folder,
          (benchmark == null
                  ? "the folder does not tell its benchmark"
                  : "there is no benchmark " + benchmark)
              + "; name one of "
              + ruleset.benchmarks().keySet()
              + " with --benchmark");
    }
    Optional<String> scenario = scenario(benchmark);
    if (scenario.isEmpty()) {
      return unknown(
          folder,
          "the scenario "
              + log.scenario().orElse("of the log is not known, and that")
              + " cannot be judged; name one with --scenario");
    }
    boolean accuracy =
        folder.kind() == LoggedFolder.Kind.ACCURACY
            || (folder.kind() == LoggedFolder.Kind.LOOSE && log.accuracy());
    List<Finding> findings = new ArrayList<>();
    AccuracyScores scores = accuracy ? scores(benchmark, scenario.get(), findings) : null;
    summary(accuracy, findings);
    spelling(findings);
    RunEvidence evidence =
        new RunEvidence(
                scenario.get(),
                accuracy ? "Accuracy" : "Performance",
                true,
                null,
                new RunEvidence.Requested(null, null, Limits.NONE),
                RunEvidence.Client.UNKNOWN)
            .withScores(scores)
            .withCompliance(accuracy ? null : compliance(benchmark));
    Judgement judgement = Judge.judge(ruleset, benchmark, evidence, log);
    return new FolderVerdict.Judged(
        folder.path(),
        new FolderVerdict.Test(
            benchmark,
            scenario.get(),
            evidence.mode(),
            ruleset.name(),
            log.loadGenVersion().orElse(null)),
        judgement.with(findings),
        accuracy ? null : log.headlineMetric(scenario.get()).orElse(null),
        notes);
  }

  /** What an audit left; null of a test that is none. */
  private @Nullable ComplianceEvidence compliance(String benchmark) {
    String audit = folder.audit();
    Path scenario = folder.scenarioFolder();
    if (audit == null || scenario == null) {
      return null;
    }
    Path beside = folder.path().resolve(ACCURACY_LOG);
    return question
        .answers()
        .read(
            Files.exists(beside)
                ? beside
                : scenario.resolve(audit).resolve("accuracy").resolve(ACCURACY_LOG),
            audit,
            ruleset.complianceTests(benchmark).get(audit),
            Math.clamp(log.integer("qsl_reported_total_count").orElse(0), 0, Integer.MAX_VALUE),
            question.scores());
  }

  private Optional<String> scenario(String benchmark) {
    if (question.scenario() != null) {
      return Optional.of(question.scenario());
    }
    return folder
        .scenario()
        .or(() -> log.scenario().map(logged -> interactiveOr(logged, benchmark)))
        .filter(RunEvidence.SCENARIOS::contains);
  }

  /** LoadGen knows no Interactive; it is Server with limits of its own. */
  private String interactiveOr(String logged, String benchmark) {
    Optional<ScenarioRules> interactive = ruleset.benchmark(benchmark).scenario("Interactive");
    OptionalDouble limit = log.number("requested_server_ttft_latency");
    if (!logged.equals("Server")
        || interactive.isEmpty()
        || limit.isEmpty()
        || interactive.get().limits().ttftMs() == null
        || interactive.get().limits().ttftMs() != limit.getAsDouble() / 1e6) {
      return logged;
    }
    notes.add(
        "It is taken for Interactive, since LoadGen ran with Interactive's limit of the time to"
            + " first token; --scenario says otherwise.");
    return "Interactive";
  }

  private @Nullable AccuracyScores scores(String benchmark, String scenario, List<Finding> findings)
      throws IOException {
    Path answers = folder.path().resolve(ACCURACY_LOG);
    if (!Files.exists(answers)) {
      findings.add(
          new Finding(
              "AnswersMissing",
              "There is no " + ACCURACY_LOG + " beside the log.",
              "Keep all files that LoadGen wrote."));
    }
    if (question.scores() != null) {
      return question.scores();
    }
    Optional<String> claims = text(ACCURACY);
    if (claims.isEmpty()) {
      return null;
    }
    Map<String, AccuracyScores.Range> scores = new LinkedHashMap<>();
    for (AccuracyGate gate : ruleset.accuracyGates(benchmark, scenario)) {
      gate.claimed(claims.get())
          .ifPresent(
              claimed -> scores.put(gate.metric(), new AccuracyScores.Range(claimed, claimed)));
    }
    if (scores.isEmpty()) {
      return new AccuracyScores(
          0, scores, List.of(ACCURACY + " has none of the scores that the round bounds."));
    }
    if (question.acceptClaims()) {
      notes.add("Scores are those that " + ACCURACY + " claims.");
    } else {
      findings.add(
          new Finding(
              "AccuracyClaimed",
              "The scores are those that "
                  + ACCURACY
                  + " claims; nobody has computed them from the answers.",
              "Score the whole "
                  + ACCURACY_LOG
                  + " with loadgen evaluate --output FILE, and judge with --scores FILE; or take the"
                  + " claims with --accept-claimed-scores."));
    }
    return new AccuracyScores(log.issuedSamples().orElse(0), scores, List.of());
  }

  private void summary(boolean accuracy, List<Finding> findings) throws IOException {
    Optional<String> summary = text(SUMMARY);
    if (summary.isEmpty()) {
      findings.add(
          new Finding(
              "SummaryDiffers",
              "There is no " + SUMMARY + " beside the log.",
              "Keep all files that LoadGen wrote."));
      return;
    }
    Matcher said = RESULT.matcher(summary.get());
    String found = said.find() ? said.group(1) : "nothing";
    String wanted = log.validity().name();
    if (!accuracy && log.complete() && !found.equals(wanted)) {
      findings.add(
          new Finding(
              "SummaryDiffers",
              SUMMARY + " says that the result is " + found + ", the log says " + wanted + ".",
              "Keep both files of one test together, as LoadGen wrote them.",
              found,
              wanted));
    }
  }

  private void spelling(List<Finding> findings) {
    Path named = folder.scenarioFolder();
    if (named != null && !folder.scenarioIsSpelled()) {
      findings.add(
          new Finding(
              "FolderName",
              "The scenario's folder is "
                  + named.getFileName()
                  + ", must be "
                  + folder.scenario().orElse("the name of a scenario")
                  + ".",
              "Rename the folder."));
    }
  }

  private Optional<String> text(String name) throws IOException {
    Path file = folder.path().resolve(name);
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try (InputStream in = Files.newInputStream(file)) {
      return Optional.of(new String(in.readNBytes(TEXT_BYTES), StandardCharsets.UTF_8));
    }
  }
}
