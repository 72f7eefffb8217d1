package dev.loadgen.rules.logged;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.check.Judge;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.ComplianceClaim;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.Limits;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import dev.loadgen.rules.ruleset.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A test of which there are LoadGen's own files alone, whoever ran it. */
public final class FolderJudge {
  /** Rules that are broken where a submission's word is all that there is. */
  private static final Set<String> CLAIMS = Set.of("AccuracyClaimed", "ComplianceClaimed");

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final LoggedFolder folder;
  private final Question question;
  private final DetailLog log;
  private final Ruleset ruleset;
  private final Division division;
  private final LoggedScores scores;
  private final List<String> notes = new ArrayList<>();

  private FolderJudge(LoggedFolder folder, Question question, DetailLog log, Ruleset ruleset) {
    this.folder = folder;
    this.question = question;
    this.log = log;
    this.ruleset = ruleset;
    this.division = folder.division().orElse(Division.CLOSED);
    this.scores = new LoggedScores(folder, division, log, ruleset, question.scores());
  }

  /**
   * What whoever asks says of the tests; null: what the folders tell.
   *
   * @param ruleset the rules; null: those of the round whose seeds the log has
   * @param benchmark id of the benchmark
   * @param scores what scoring the answers of an accuracy test, or of TEST07, came to
   * @param acceptClaims whether what a submission claims of its scores and of its compliance tests
   *     is taken for true
   * @param answers reads the answers of compliance tests
   */
  public record Question(
      @Nullable Ruleset ruleset,
      @Nullable String benchmark,
      @Nullable Scenario scenario,
      @Nullable AccuracyScores scores,
      boolean acceptClaims,
      AnswerReader answers) {}

  /** Judges the test in a folder. Never throws for what the folder holds. */
  public static FolderVerdict judge(LoggedFolder folder, Question question) {
    if (folder.isAside()) {
      return new FolderVerdict.NotAsked(
          folder.path(),
          "a submission has its tests in performance/run_1, accuracy and the folders of"
              + " compliance tests");
    }
    if (folder.audit() != null && folder.division().filter(Division.OPEN::equals).isPresent()) {
      return new FolderVerdict.NotAsked(
          folder.path(), "the open division asks for no compliance tests");
    }
    Path scenario = folder.scenarioFolder();
    if (folder.audit() != null
        && scenario != null
        && folder.division().isPresent()
        && folder
            .resultsFolder()
            .map(results -> results.resolve(scenario.getFileName()))
            .filter(Files::isDirectory)
            .isEmpty()) {
      return new FolderVerdict.NotAsked(
          folder.path(), "the results have no " + scenario.getFileName() + " of this benchmark");
    }
    boolean logged = Files.exists(folder.log());
    if (!logged && LoggedFolder.ofEndpoints(folder.path()).isPresent()) {
      return unknown(
          folder,
          "it is from MLCommons endpoints, which logs only totals and no queries; only LoadGen's"
              + " logs can be judged");
    }
    try {
      DetailLog log =
          logged || folder.audit() == null ? DetailLog.read(folder.log()) : DetailLog.parse("");
      if (logged && log.entries() == 0) {
        return unknown(folder, DetailLog.FILE_NAME + " holds no line of LoadGen's");
      }
      Ruleset ruleset = question.ruleset() != null ? question.ruleset() : round(folder, log);
      return ruleset == null
          ? unknown(
              folder,
              (logged
                      ? "its seeds do not belong to a known round"
                      : "neither it nor its scenario has a LoadGen log, whose seeds would show the"
                          + " round")
                  + "; name one of "
                  + Ruleset.names()
                  + " with --ruleset")
          : new FolderJudge(folder, question, log, ruleset).judge();
    } catch (UnreadableLogException e) {
      return unknown(folder, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return unknown(folder, "cannot be read: " + e.getMessage());
    }
  }

  /** The round whose seeds the log has; of a compliance test else that of its scenario's tests. */
  private static @Nullable Ruleset round(LoggedFolder folder, DetailLog log)
      throws UnreadableLogException {
    Ruleset own = bySeedsOf(log);
    Path named = folder.scenarioFolder();
    if (own != null || folder.audit() == null || named == null) {
      return own;
    }
    Path scenario =
        folder.resultsFolder().map(tests -> tests.resolve(named.getFileName())).orElse(named);
    for (String test : List.of("performance/run_1", "accuracy")) {
      Path file = scenario.resolve(test).resolve(DetailLog.FILE_NAME);
      Ruleset found = Files.isRegularFile(file) ? bySeedsOf(DetailLog.read(file)) : null;
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static @Nullable Ruleset bySeedsOf(DetailLog log) {
    for (String name : Ruleset.names()) {
      Ruleset round = Ruleset.named(name);
      Seeds seeds = round.seeds();
      if (seeds != null
          && log.unsigned("effective_schedule_rng_seed")
              .filter(seeds.schedule()::equals)
              .isPresent()) {
        return round;
      }
    }
    return null;
  }

  private static FolderVerdict unknown(LoggedFolder folder, String problem) {
    return new FolderVerdict.Unknown(folder.path(), problem);
  }

  private FolderVerdict judge() throws IOException {
    String benchmark = question.benchmark();
    if (benchmark == null) {
      benchmark = benchmark().orElse(null);
    }
    if (benchmark == null || !ruleset.benchmarks().containsKey(benchmark)) {
      return unknown(folder, unknownBenchmark());
    }
    Optional<Scenario> scenario = scenario(benchmark);
    if (scenario.isEmpty()) {
      return unknown(
          folder,
          "the scenario "
              + log.scenario().orElse("of the log is not known, and that")
              + " cannot be judged; name one with --scenario");
    }
    if (division == Division.OPEN
        && ruleset.benchmark(benchmark).scenario(scenario.get()).isEmpty()) {
      return unknown(
          folder,
          "the open division takes any scenario, and there are no rules for %s of %s here"
              .formatted(scenario.get(), benchmark));
    }
    return judged(benchmark, scenario.get());
  }

  private FolderVerdict judged(String benchmark, Scenario scenario) throws IOException {
    boolean accuracy =
        folder.kind() == LoggedFolder.Kind.ACCURACY
            || (folder.kind() == LoggedFolder.Kind.LOOSE && log.accuracy());
    String audit = folder.audit();
    RunEvidence evidence =
        new RunEvidence(
                scenario,
                accuracy ? TestMode.Accuracy : TestMode.Performance,
                true,
                null,
                new RunEvidence.Requested(null, null, Limits.NONE),
                RunEvidence.Client.UNKNOWN)
            .withDivision(division)
            .withScores(accuracy ? scores.found(benchmark, scenario) : null);
    boolean logged = log.entries() > 0;
    Judgement judgement;
    if (audit == null) {
      judgement = Judge.judge(ruleset, benchmark, evidence, log);
    } else {
      ComplianceEvidence compliance = compliance(benchmark, scenario, audit);
      judgement =
          logged
              ? Judge.judge(ruleset, benchmark, evidence.withCompliance(compliance), log)
              : Judge.judgeWithoutLog(ruleset, benchmark, evidence, compliance);
    }
    FolderRules rules = new FolderRules(folder, log, ruleset, benchmark);
    judgement =
        judgement.with(
            Stream.of(
                    scores.findings(),
                    logged ? rules.summary(accuracy) : List.<Finding>of(),
                    rules.place(),
                    rules.wholeSet(accuracy))
                .flatMap(List::stream)
                .toList());
    rules.spelling().ifPresent(notes::add);
    List<Finding> claims =
        question.acceptClaims()
            ? judgement.findings().stream().filter(each -> CLAIMS.contains(each.rule())).toList()
            : List.of();
    claims.forEach(claim -> notes.add("Accepted as claimed: " + claim.message()));
    judgement =
        Judgement.of(judgement.findings().stream().filter(each -> !claims.contains(each)).toList());
    return new FolderVerdict.Judged(
        folder.path(),
        new FolderVerdict.Test(
            benchmark,
            scenario,
            audit != null ? audit : evidence.mode().name(),
            ruleset.name(),
            log.loadGenVersion().orElse(null)),
        judgement,
        accuracy || audit != null ? null : log.headlineMetric(scenario).orElse(null),
        !claims.isEmpty() && judgement.verdict() == Verdict.Valid,
        notes);
  }

  private Optional<String> benchmark() {
    Optional<String> named =
        folder
            .benchmark()
            .flatMap(
                name ->
                    ruleset
                        .benchmarkOf(name)
                        .or(() -> ruleset.benchmarkOf(mapped().getOrDefault(name, ""))));
    if (named.isPresent() || folder.scenario().isPresent()) {
      return named;
    }
    return elements().stream().flatMap(name -> ruleset.benchmarkOf(name).stream()).findFirst();
  }

  private List<String> elements() {
    return Stream.iterate(folder.path(), Objects::nonNull, Path::getParent)
        .map(Path::getFileName)
        .filter(Objects::nonNull)
        .map(Path::toString)
        .toList();
  }

  /** In the open division a submitter says of which benchmark a model of his own is. */
  private Map<String, String> mapped() {
    Path file =
        folder.submitter().map(submitter -> submitter.resolve("model_mapping.json")).orElse(null);
    if (division != Division.OPEN || file == null || !Files.isRegularFile(file)) {
      return Map.of();
    }
    Map<String, String> mapped = new LinkedHashMap<>();
    try {
      JsonNode tree = JSON.readTree(LoggedFolder.text(file).orElse(""));
      tree.properties().forEach(each -> mapped.put(each.getKey(), each.getValue().asText()));
    } catch (JsonProcessingException e) {
      notes.add(file.getFileName() + " cannot be read: " + e.getOriginalMessage());
    } catch (IOException e) {
      notes.add(file.getFileName() + " cannot be read: " + e.getMessage());
    }
    return mapped;
  }

  private String unknownBenchmark() {
    String known = ruleset.benchmarks().keySet().toString();
    if (question.benchmark() != null) {
      return "there is no benchmark %s; name one of %s with --benchmark"
          .formatted(question.benchmark(), known);
    }
    return folder.scenario().isPresent() && folder.benchmark().isPresent()
        ? "the benchmark "
            + folder.benchmark().get()
            + ", as its folder says, is not known here; known are "
            + known
            + ", and --benchmark judges it as one of them"
        : "the folder does not name its benchmark; name one of " + known + " with --benchmark";
  }

  private Optional<Scenario> scenario(String benchmark) {
    if (question.scenario() != null) {
      return Optional.of(question.scenario());
    }
    return folder
        .scenario()
        .or(() -> log.scenario().map(logged -> interactiveOr(logged, benchmark)))
        .flatMap(FolderJudge::known);
  }

  /** Empty of a scenario of LoadGen's that no benchmark has. */
  private static Optional<Scenario> known(String name) {
    return Arrays.stream(Scenario.values()).filter(each -> each.name().equals(name)).findFirst();
  }

  /** LoadGen knows no Interactive; it is Server with limits of its own. */
  private String interactiveOr(String logged, String benchmark) {
    Optional<ScenarioRules> interactive =
        ruleset.benchmark(benchmark).scenario(Scenario.Interactive);
    OptionalDouble limit = log.number("requested_server_ttft_latency");
    if (!logged.equals(Scenario.Server.name())
        || interactive.isEmpty()
        || limit.isEmpty()
        || interactive.get().limits().ttftMs() == null
        || interactive.get().limits().ttftMs() != limit.getAsDouble() / 1e6) {
      return logged;
    }
    notes.add(
        "It is judged as Interactive, since LoadGen ran with Interactive's limit of the time to"
            + " first token; override it with --scenario.");
    return Scenario.Interactive.name();
  }

  /** What a compliance test left, and what the submission claims of it. */
  private ComplianceEvidence compliance(String benchmark, Scenario scenario, String audit)
      throws IOException {
    AuditRules test = ruleset.complianceTests(benchmark).get(audit);
    ComplianceClaim claim = null;
    if (test != null) {
      Optional<String> said =
          LoggedFolder.text(folder.path().resolve(ComplianceClaim.fileOf(test)));
      // Outside of a submission nobody asks for the file.
      if (said.isPresent() || folder.scenario().isPresent()) {
        claim = ComplianceClaim.of(test, scenario, said.orElse(null));
      }
    }
    List<Path> answers =
        Stream.of("accuracy", "performance/run_1", "")
            .map(below -> folder.path().resolve(below).resolve(LoggedFolder.ACCURACY_LOG))
            .filter(Files::isRegularFile)
            .toList();
    for (Path file : answers) {
      if (!LoggedScores.isCut(file)) {
        return question
            .answers()
            .read(file, audit, test, samples(benchmark, scenario, test), question.scores())
            .withClaim(claim);
      }
    }
    return new ComplianceEvidence(
        audit,
        null,
        question.scores(),
        answers.isEmpty()
            ? "there is no " + LoggedFolder.ACCURACY_LOG + "."
            : LoggedFolder.ACCURACY_LOG
                + " is cut, as submissions require, so the answers are missing.",
        claim);
  }

  /** Samples of the dataset; without a log those of the test's own set, or of the benchmark's. */
  private int samples(String benchmark, Scenario scenario, @Nullable AuditRules test) {
    Integer own =
        test != null && test.samples() != null
            ? test.samples()
            : ruleset
                .benchmark(benchmark)
                .scenario(scenario)
                .map(ScenarioRules::performanceSampleCount)
                .orElse(0);
    return Math.clamp(
        log.integer("qsl_reported_total_count").orElse(own == null ? 0 : own),
        0,
        Integer.MAX_VALUE);
  }
}
