package dev.loadgen.rules.logged;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.rules.AccuracyGate;
import dev.loadgen.rules.AccuracyScores;
import dev.loadgen.rules.ComplianceClaim;
import dev.loadgen.rules.ComplianceEvidence;
import dev.loadgen.rules.ComplianceTest;
import dev.loadgen.rules.DetailLog;
import dev.loadgen.rules.Division;
import dev.loadgen.rules.Finding;
import dev.loadgen.rules.Judge;
import dev.loadgen.rules.Judgement;
import dev.loadgen.rules.Limits;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.rules.RunEvidence;
import dev.loadgen.rules.ScenarioRules;
import dev.loadgen.rules.Seeds;
import dev.loadgen.rules.UnreadableLogException;
import dev.loadgen.rules.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
public final class LoggedTest {
  private static final String ACCURACY = "accuracy.txt";

  /** Rules that are broken where a submission's word is all that there is. */
  private static final Set<String> CLAIMS = Set.of("AccuracyClaimed", "ComplianceClaimed");

  /** What the submission checker takes: MAX_ACCURACY_LOG_SIZE in its constants.py. */
  private static final long CUT_BYTES = 10 * 1024;

  /** What truncate_accuracy_log.py puts between the first and the last 4096 characters. */
  private static final String CUT = "\n\n...\n\n";

  /** LoadGen's summary is about 2 KB, accuracy.txt a few KB unless a script prints its progress. */
  private static final int TEXT_BYTES = 4 << 20;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final LoggedFolder folder;
  private final Question question;
  private final DetailLog log;
  private final Ruleset ruleset;
  private final Division division;
  private final List<Finding> findings = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private LoggedTest(LoggedFolder folder, Question question, DetailLog log, Ruleset ruleset) {
    this.folder = folder;
    this.question = question;
    this.log = log;
    this.ruleset = ruleset;
    this.division = folder.division().orElse(Division.CLOSED);
  }

  /**
   * What whoever asks says of the tests; null: what the folders tell.
   *
   * @param ruleset the rules; null: those of the round whose seeds the log has
   * @param benchmark id of the benchmark
   * @param scenario Offline, Server, Interactive or SingleStream
   * @param scores what scoring the answers of an accuracy test, or of TEST07, came to
   * @param acceptClaims whether what a submission claims of its scores and of its compliance tests
   *     is taken for true
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
          "it is of MLCommons endpoints, which sums its queries up and logs none of them; only"
              + " LoadGen's logs can be judged");
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
                      ? "its seeds are those of no round that is known here"
                      : "it has no log of LoadGen's, and neither has its scenario, whose seeds would"
                          + " tell the round")
                  + "; name one of "
                  + Ruleset.names()
                  + " with --ruleset")
          : new LoggedTest(folder, question, log, ruleset).judge();
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
    Optional<String> scenario = scenario(benchmark);
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
          "the open division takes any scenario, and there are no rules for "
              + scenario.get()
              + " of "
              + benchmark
              + " here");
    }
    return judged(benchmark, scenario.get());
  }

  private FolderVerdict judged(String benchmark, String scenario) throws IOException {
    boolean accuracy =
        folder.kind() == LoggedFolder.Kind.ACCURACY
            || (folder.kind() == LoggedFolder.Kind.LOOSE && log.accuracy());
    String audit = folder.audit();
    RunEvidence evidence =
        new RunEvidence(
                scenario,
                accuracy ? "Accuracy" : "Performance",
                true,
                null,
                new RunEvidence.Requested(null, null, Limits.NONE),
                RunEvidence.Client.UNKNOWN)
            .in(division)
            .withScores(accuracy ? scores(benchmark, scenario) : null);
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
    if (logged) {
      summary(accuracy);
    }
    place(benchmark);
    wholeSet(benchmark, accuracy);
    judgement = judgement.with(findings);
    List<Finding> claims =
        question.acceptClaims()
            ? judgement.findings().stream().filter(each -> CLAIMS.contains(each.rule())).toList()
            : List.of();
    claims.forEach(claim -> notes.add("Taken as claimed: " + claim.message()));
    judgement =
        Judgement.of(judgement.findings().stream().filter(each -> !claims.contains(each)).toList());
    return new FolderVerdict.Judged(
        folder.path(),
        new FolderVerdict.Test(
            benchmark,
            scenario,
            audit != null ? audit : evidence.mode(),
            ruleset.name(),
            log.loadGenVersion().orElse(null)),
        judgement,
        accuracy || audit != null ? null : log.headlineMetric(scenario).orElse(null),
        !claims.isEmpty() && judgement.verdict() == Verdict.VALID,
        notes);
  }

  /** The benchmark that the place names. */
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
      JsonNode tree = JSON.readTree(text(file).orElse(""));
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
      return "there is no benchmark "
          + question.benchmark()
          + "; name one of "
          + known
          + " with --benchmark";
    }
    return folder.scenario().isPresent() && folder.benchmark().isPresent()
        ? "the benchmark "
            + folder.benchmark().get()
            + ", as its folder says, is not known here; known are "
            + known
            + ", and --benchmark judges it as one of them"
        : "the folder does not tell its benchmark; name one of " + known + " with --benchmark";
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

  /** What a compliance test left, and what the submission claims of it. */
  private ComplianceEvidence compliance(String benchmark, String scenario, String audit)
      throws IOException {
    ComplianceTest test = ruleset.complianceTests(benchmark).get(audit);
    ComplianceClaim claim = null;
    if (test != null) {
      Optional<String> said = text(folder.path().resolve(ComplianceClaim.fileOf(test)));
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
      if (!isCut(file)) {
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
                + " is cut, as a submission's has to be, so that the answers are not there.",
        claim);
  }

  /** Samples of the dataset; without a log those of the test's own set, or of the benchmark's. */
  private int samples(String benchmark, String scenario, @Nullable ComplianceTest test) {
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

  private static boolean isCut(Path file) throws IOException {
    if (Files.size(file) > CUT_BYTES) {
      return false;
    }
    return Files.readString(file, StandardCharsets.ISO_8859_1).contains(CUT);
  }

  private @Nullable AccuracyScores scores(String benchmark, String scenario) throws IOException {
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
    Optional<String> claims = text(folder.path().resolve(ACCURACY));
    if (division != Division.OPEN
        && folder.kind() == LoggedFolder.Kind.ACCURACY
        && (submitted || (claims.isPresent() && question.scores() == null))
        && claims.stream().flatMap(String::lines).noneMatch(line -> line.matches("hash=\\w+"))) {
      findings.add(
          new Finding(
              "HashMissing",
              claims.isPresent()
                  ? ACCURACY + " has no line hash=, so that its scores are those of any log."
                  : "There is no " + ACCURACY + " with the hash of the log.",
              "Run truncate_accuracy_log.py of mlcommons/inference on the whole log, or add the line"
                  + " hash= and the SHA-256 of the log before it is cut."));
    }
    if (question.scores() != null) {
      return question.scores();
    }
    return claims.isEmpty() ? null : claimed(claims.get(), benchmark, scenario);
  }

  private AccuracyScores claimed(String claims, String benchmark, String scenario) {
    Map<String, AccuracyScores.Range> scores = new LinkedHashMap<>();
    if (claims.indexOf('\uFFFD') >= 0) {
      String problem = ACCURACY + " is no UTF-8, at which the submission checker stops.";
      return new AccuracyScores(0, scores, List.of(problem), true);
    }
    for (AccuracyGate gate : ruleset.accuracyGates(benchmark, scenario)) {
      gate.claimed(claims)
          .ifPresent(
              claimed -> scores.put(gate.metric(), new AccuracyScores.Range(claimed, claimed)));
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
                  + " claims; nobody has computed them from the answers.",
              "Score the whole "
                  + LoggedFolder.ACCURACY_LOG
                  + " with loadgen evaluate --output FILE, and judge with --scores FILE; or take the"
                  + " claims with --accept-claimed-scores."));
    }
    return new AccuracyScores(log.issuedSamples().orElse(0), scores, List.of(), true);
  }

  private void summary(boolean accuracy) throws IOException {
    Optional<String> summary = text(folder.log().resolveSibling(LoadGenSummary.FILE_NAME));
    if (summary.isEmpty()) {
      // Of a compliance test the submission checker asks for no log at all.
      if (folder.audit() == null) {
        findings.add(
            new Finding(
                "SummaryDiffers",
                "There is no " + LoadGenSummary.FILE_NAME + " beside the log.",
                "Keep all files that LoadGen wrote."));
      }
      return;
    }
    if (!log.complete() || log.accuracy() != accuracy) {
      return;
    }
    List<LoadGenSummary.Difference> differences =
        new LoadGenSummary(summary.get()).differences(log);
    if (!differences.isEmpty()) {
      LoadGenSummary.Difference first = differences.getFirst();
      int others = differences.size() - 1;
      findings.add(
          new Finding(
              "SummaryDiffers",
              LoadGenSummary.FILE_NAME
                  + " says "
                  + first.found()
                  + " for "
                  + first.name()
                  + ", the log says "
                  + first.wanted()
                  + (others == 0 ? "." : "; and they differ in " + others + " more."),
              "Keep both files of one test together, as LoadGen wrote them.",
              first.found(),
              first.wanted()));
    }
  }

  private void place(String benchmark) {
    Path named = folder.scenarioFolder();
    if (named == null || folder.division().isEmpty()) {
      return;
    }
    if (folder.scenario().isEmpty()) {
      findings.add(
          new Finding(
              "FolderName",
              "The folder " + named.getFileName() + " has the name of no scenario.",
              "Move it out of the benchmark's folder, where every folder counts as a scenario, and"
                  + " one that is none rejects the others."));
    } else if (!folder.scenarioIsSpelled() && countsByScenario(benchmark)) {
      findings.add(
          new Finding(
              "FolderName",
              "The scenario's folder is "
                  + named.getFileName()
                  + ", must be "
                  + folder.scenario().get()
                  + ", by which the submission checker looks up how many samples "
                  + benchmark
                  + " has.",
              "Rename the folder."));
    } else if (!folder.scenarioIsSpelled()) {
      notes.add(
          "The scenario's folder is "
              + named.getFileName()
              + "; submissions are to have "
              + folder.scenario().get()
              + ", and the submission checker takes both.");
    }
  }

  /** Whether the accuracy set is another one in another scenario. */
  private boolean countsByScenario(String benchmark) {
    return ruleset.benchmark(benchmark).scenarios().values().stream()
            .map(ScenarioRules::accuracySampleCount)
            .distinct()
            .count()
        > 1;
  }

  /**
   * The submission checker asks all of LoadGen's scenarios of a benchmark for the same set, also
   * where the benchmark's own rules have a smaller one for Interactive.
   */
  private void wholeSet(String benchmark, boolean accuracy) {
    int most =
        ruleset.benchmark(benchmark).scenarios().values().stream()
            .map(ScenarioRules::performanceSampleCount)
            .filter(Objects::nonNull)
            .mapToInt(Integer::intValue)
            .max()
            .orElse(0);
    long used = log.integer("effective_performance_sample_count").orElse(0);
    if (accuracy
        || folder.audit() != null
        || folder.division().isEmpty()
        || !log.complete()
        || !ruleset.official()
        || used >= most) {
      return;
    }
    findings.add(
        new Finding(
            "PerformanceSampleCount",
            "The test drew on "
                + used
                + " samples, and of a submission of LoadGen's logs the submission checker asks "
                + most
                + " in every scenario.",
            "Submit this scenario with MLCommons endpoints, or run it on the whole set.",
            used + " samples",
            most + " samples"));
  }

  private static Optional<String> text(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try (InputStream in = Files.newInputStream(file)) {
      return Optional.of(new String(in.readNBytes(TEXT_BYTES), StandardCharsets.UTF_8));
    }
  }
}
