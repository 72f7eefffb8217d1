package dev.loadgen.commands;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.commands.console.TextTable;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.results.accuracy.Scores;
import dev.loadgen.results.report.StoredCompliance;
import dev.loadgen.results.report.StoredRun;
import dev.loadgen.results.report.StoredSystem;
import dev.loadgen.results.report.StoredVerdict;
import dev.loadgen.results.report.UnreadableRunException;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.check.OneSystem;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.TestedSystem;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Metric;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.logged.FolderJudge;
import dev.loadgen.rules.logged.FolderVerdict;
import dev.loadgen.rules.logged.LoggedFolder;
import dev.loadgen.rules.logged.LoggedFolders;
import dev.loadgen.rules.logged.Submission;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.UnknownRulesetException;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadgen judge}: judges stored logs, of this program or of anybody's LoadGen. */
@Command(
    name = "judge",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Judge stored logs by the rules of an MLPerf round.",
      "The folder may be a run's results folder, a folder that another harness's LoadGen wrote, or a"
          + " submission tree or any part of it; all tests below it are judged."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:every test is Valid, and nothing is missing",
      "1:a test is Invalid, or a required one is missing",
      "2:nothing is Invalid, but a test is Inconclusive or cannot be read, or there is none"
    })
final class JudgeCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int INVALID = 1;
  private static final int UNKNOWN = 2;

  private final Surroundings surroundings;

  @Parameters(paramLabel = "FOLDER", description = "A folder with LoadGen's logs at any depth.")
  @SuppressWarnings("NullAway.Init") // picocli sets it, or refuses the command line
  private Path folder;

  @Option(
      names = "--ruleset",
      paramLabel = "NAME",
      description =
          "The rules. Default: those that a run of this program asked for; else the round whose"
              + " seeds the log has.")
  private @Nullable String ruleset;

  @Option(
      names = "--benchmark",
      paramLabel = "ID",
      description =
          "llama3.1-8b, gpt-oss-120b, qwen3-vl-235b-a22b or custom. Default: what plan or folders"
              + " say.")
  private @Nullable String benchmark;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description =
          "Offline, Server, Interactive or SingleStream. Default: what plan, folders or log say.")
  private @Nullable Scenario scenario;

  @Option(
      names = "--scores",
      paramLabel = "FILE",
      description =
          "Scores of an accuracy test, or of TEST07, as loadgen evaluate --output FILE writes them.")
  private @Nullable Path scores;

  @Option(
      names = "--accept-claimed-scores",
      description =
          "Accept what a submission claims: the scores of accuracy.txt and the outcomes in"
              + " verify_accuracy.txt and verify_output_len.txt; verdicts that rest on a claim are"
              + " marked \"claimed\".")
  private boolean acceptClaims;

  @Option(
      names = "--one-system",
      description =
          "The runs of this program below FOLDER are the tests of one system: also compare their"
              + " models, servers, datasets and sampling with each other.")
  private boolean oneSystem;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private OutputFormat output = OutputFormat.table;

  JudgeCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws BadInputException {
    Ruleset rules = ruleset();
    AccuracyScores evidence = scores();
    LoggedFolders found = found();
    if (evidence != null && found.folders().size() != 1) {
      throw new BadInputException(
          "--scores "
              + scores
              + ": has the scores of one test, but "
              + folder
              + " has "
              + found.folders().size());
    }
    FolderJudge.Question question =
        new FolderJudge.Question(
            rules, benchmark, scenario, evidence, acceptClaims, StoredCompliance::read);
    List<FolderVerdict> verdicts = new ArrayList<>();
    for (LoggedFolder each : found.folders()) {
      verdicts.add(
          each.kind() == LoggedFolder.Kind.OWN
              ? judgeOwn(each.path(), rules)
              : FolderJudge.judge(each, question));
    }
    found
        .problems()
        .forEach((path, problem) -> verdicts.add(new FolderVerdict.Unknown(path, problem)));
    List<Submission> submissions = Submission.of(found, verdicts);
    Judgement system = oneSystem ? system(found, rules) : Judgement.of(List.of());
    Outcome outcome = Outcome.of(verdicts, submissions, system);
    PrintWriter out = surroundings.out();
    switch (output) {
      case json -> out.println(json(outcome, verdicts, submissions, system));
      case table -> print(out, outcome, verdicts, submissions, system);
    }
    out.flush();
    return switch (outcome) {
      case Valid -> 0;
      case Invalid -> INVALID;
      case Inconclusive, Unknown -> UNKNOWN;
    };
  }

  /** What all of it comes to. */
  enum Outcome {
    Valid,
    Invalid,
    Inconclusive,
    Unknown;

    static Outcome of(
        List<FolderVerdict> verdicts, List<Submission> submissions, Judgement system) {
      Set<Outcome> found =
          Stream.concat(
                  verdicts.stream().flatMap(Outcome::of),
                  submissions.stream().map(all -> of(all.judgement().verdict())))
              .collect(Collectors.toCollection(TreeSet::new));
      if (!system.findings().isEmpty()) {
        found.add(of(system.verdict()));
      }
      for (Outcome worse : List.of(Invalid, Unknown, Inconclusive)) {
        if (found.contains(worse)) {
          return worse;
        }
      }
      return found.isEmpty() ? Unknown : Valid;
    }

    /** Empty of what nobody asks for. */
    private static Stream<Outcome> of(FolderVerdict verdict) {
      return switch (verdict) {
        case FolderVerdict.Judged judged -> Stream.of(of(judged.judgement().verdict()));
        case FolderVerdict.Unknown unknown -> Stream.of(Unknown);
        case FolderVerdict.NotAsked none -> Stream.empty();
      };
    }

    static Outcome of(Verdict verdict) {
      return valueOf(verdict.name());
    }
  }

  private @Nullable Ruleset ruleset() throws BadInputException {
    try {
      return ruleset == null ? null : Ruleset.named(ruleset);
    } catch (UnknownRulesetException e) {
      throw new BadInputException("--ruleset: " + e.getMessage(), e);
    }
  }

  private @Nullable AccuracyScores scores() throws BadInputException {
    if (scores == null) {
      return null;
    }
    try {
      JsonNode tree = JSON.readTree(Files.readAllBytes(scores));
      if (!tree.path("scores").isArray() || !tree.path("samples").isInt()) {
        throw new BadInputException(
            "--scores " + scores + ": is not what loadgen evaluate --output writes");
      }
      return Scores.evidence(tree);
    } catch (IOException e) {
      throw new BadInputException("--scores", scores, e);
    }
  }

  private LoggedFolders found() throws BadInputException {
    try {
      LoggedFolders found = LoggedFolders.below(folder);
      if (found.folders().isEmpty() && found.problems().isEmpty()) {
        throw new BadInputException(
            folder + ": has no " + DetailLog.FILE_NAME + ", neither itself nor below");
      }
      return found;
    } catch (UnreadableLogException e) {
      throw new BadInputException(String.valueOf(e.getMessage()), e);
    }
  }

  private FolderVerdict judgeOwn(Path path, @Nullable Ruleset asked) {
    try {
      StoredRun run = StoredRun.readPublished(path);
      if (run.summary().failure() != null || run.summary().result() == null) {
        return new FolderVerdict.Unknown(
            path,
            "its run did not end: "
                + (run.summary().failure() == null
                    ? "there is no result"
                    : run.summary().failure().message()));
      }
      Ruleset rules = asked == null ? Ruleset.named(run.plan().test().ruleset()) : asked;
      DetailLog log = DetailLog.read(path.resolve(DetailLog.FILE_NAME));
      return new FolderVerdict.Judged(
          path,
          new FolderVerdict.Test(
              run.plan().test().benchmark(),
              run.plan().test().scenario(),
              run.plan().test().mode().name(),
              rules.name(),
              log.loadGenVersion().orElse(null)),
          StoredVerdict.judge(path, run.plan(), run.summary().result(), rules, log),
          log.headlineMetric(run.plan().test().scenario()).orElse(null),
          false,
          notUsed());
    } catch (UnreadableRunException | UnreadableLogException | IllegalArgumentException e) {
      return new FolderVerdict.Unknown(path, String.valueOf(e.getMessage()));
    }
  }

  /** The runs of each ruleset, held against each other; what cannot be read is told elsewhere. */
  private Judgement system(LoggedFolders found, @Nullable Ruleset asked) {
    Map<String, List<TestedSystem>> byRuleset = new TreeMap<>();
    for (LoggedFolder each : found.folders()) {
      if (each.kind() != LoggedFolder.Kind.OWN) {
        continue;
      }
      try {
        StoredRun run = StoredRun.readPublished(each.path());
        byRuleset
            .computeIfAbsent(
                asked == null ? run.plan().test().ruleset() : asked.name(),
                name -> new ArrayList<>())
            .add(StoredSystem.test(relative(each.path()), run));
      } catch (UnreadableRunException e) {
        // Its own verdict says so.
      }
    }
    List<Finding> findings = new ArrayList<>();
    byRuleset.forEach(
        (name, tests) -> {
          if (Ruleset.names().contains(name)) {
            findings.addAll(OneSystem.judge(Ruleset.named(name), tests).findings());
          }
        });
    return Judgement.of(findings);
  }

  /** What was said of a test that its own folder says. */
  private List<String> notUsed() {
    List<String> options = new ArrayList<>();
    if (benchmark != null) {
      options.add("--benchmark");
    }
    if (scenario != null) {
      options.add("--scenario");
    }
    if (scores != null) {
      options.add("--scores");
    }
    return options.isEmpty()
        ? List.of()
        : List.of(
            "not used: "
                + String.join(", ", options)
                + "; the folder's plan.json and accuracy.json say it.");
  }

  private void print(
      PrintWriter out,
      Outcome outcome,
      List<FolderVerdict> verdicts,
      List<Submission> submissions,
      Judgement system) {
    TextTable table =
        new TextTable()
            .row("FOLDER", "BENCHMARK", "SCENARIO", "MODE", "RULESET", "VERDICT", "RESULT");
    for (FolderVerdict verdict : verdicts) {
      switch (verdict) {
        case FolderVerdict.Judged judged ->
            table.row(
                relative(judged.folder()),
                judged.test().benchmark(),
                judged.test().scenario().name(),
                judged.test().mode(),
                judged.test().ruleset(),
                word(Outcome.of(judged.judgement().verdict()), judged.claimed()),
                result(judged.metric()));
        case FolderVerdict.Unknown unknown ->
            table.row(relative(unknown.folder()), "-", "-", "-", "-", Outcome.Unknown.name());
        case FolderVerdict.NotAsked none ->
            table.row(relative(none.folder()), "-", "-", "-", "-", "not asked");
      }
    }
    table.print(out, 0);
    for (FolderVerdict verdict : verdicts) {
      switch (verdict) {
        case FolderVerdict.Judged judged -> {
          reasons(out, relative(judged.folder()), judged.judgement().findings());
          if (judged.judgement().findings().isEmpty() && !judged.notes().isEmpty()) {
            out.printf("%n%s%n", relative(judged.folder()));
          }
          judged.notes().forEach(note -> out.println("  note: " + note));
        }
        case FolderVerdict.Unknown unknown ->
            out.printf("%n%s%n  %s%n", relative(unknown.folder()), unknown.problem());
        case FolderVerdict.NotAsked none ->
            out.printf("%n%s%n  note: %s%n", relative(none.folder()), none.why());
      }
    }
    submissions.forEach(all -> reasons(out, relative(all.folder()), all.judgement().findings()));
    reasons(out, "the system", system.findings());
    out.printf("%n%s%n", word(outcome, claimed(outcome, verdicts)));
  }

  /** Whether the outcome rests on what a submission claims. */
  private static boolean claimed(Outcome outcome, List<FolderVerdict> verdicts) {
    return outcome == Outcome.Valid
        && verdicts.stream()
            .anyMatch(each -> each instanceof FolderVerdict.Judged judged && judged.claimed());
  }

  private static String word(Outcome outcome, boolean claimed) {
    return outcome + (claimed ? " (claimed)" : "");
  }

  private static void reasons(PrintWriter out, String of, List<Finding> findings) {
    if (findings.isEmpty()) {
      return;
    }
    out.printf("%n%s%n", of);
    for (Finding finding : findings) {
      out.printf(
          "  %s: %s%n    fix:    %s%n    source: %s%n",
          finding.rule(), finding.message(), finding.fix(), finding.source());
    }
  }

  private static String result(@Nullable Metric metric) {
    return metric == null
        ? "-"
        : String.format(Locale.ROOT, "%.2f %s", metric.value(), metric.unit());
  }

  private String relative(Path path) {
    try {
      Path shown = folder.toRealPath().relativize(path);
      return shown.toString().isEmpty() ? "." : shown.toString();
    } catch (IOException | IllegalArgumentException e) {
      return path.toString();
    }
  }

  private String json(
      Outcome outcome,
      List<FolderVerdict> verdicts,
      List<Submission> submissions,
      Judgement system) {
    return ContractJson.writePretty(
        new Document(
            outcome,
            claimed(outcome, verdicts),
            verdicts.stream().map(this::test).toList(),
            submissions.stream()
                .map(
                    all ->
                        new DocumentSubmission(
                            relative(all.folder()),
                            List.copyOf(all.scenarios()),
                            Outcome.of(all.judgement().verdict()),
                            reasons(all.judgement().findings())))
                .toList(),
            oneSystem ? reasons(system.findings()) : null));
  }

  private DocumentTest test(FolderVerdict verdict) {
    return switch (verdict) {
      case FolderVerdict.Judged judged ->
          JudgeCommandDocumentTestBuilder.builder()
              .folder(relative(judged.folder()))
              .benchmark(judged.test().benchmark())
              .scenario(judged.test().scenario().name())
              .mode(judged.test().mode())
              .ruleset(judged.test().ruleset())
              .loadGen(judged.test().loadGen())
              .verdict(Outcome.of(judged.judgement().verdict()).name())
              .claimed(judged.claimed())
              .metric(judged.metric())
              .reasons(reasons(judged.judgement().findings()))
              .notes(judged.notes())
              .build();
      case FolderVerdict.Unknown unknown ->
          JudgeCommandDocumentTestBuilder.builder()
              .folder(relative(unknown.folder()))
              .verdict(Outcome.Unknown.name())
              .reasons(List.of())
              .notes(List.of())
              .problem(unknown.problem())
              .build();
      case FolderVerdict.NotAsked none ->
          JudgeCommandDocumentTestBuilder.builder()
              .folder(relative(none.folder()))
              .verdict("NotAsked")
              .reasons(List.of())
              .notes(List.of(none.why()))
              .build();
    };
  }

  private static List<ExplainedFinding> reasons(List<Finding> findings) {
    return findings.stream().map(ExplainedFinding::of).toList();
  }

  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Document(
      Outcome verdict,
      boolean claimed,
      List<DocumentTest> tests,
      List<DocumentSubmission> submissions,
      @Nullable List<ExplainedFinding> system) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  record DocumentTest(
      String folder,
      @Nullable String benchmark,
      @Nullable String scenario,
      @Nullable String mode,
      @Nullable String ruleset,
      @Nullable String loadGen,
      String verdict,
      boolean claimed,
      @Nullable Metric metric,
      List<ExplainedFinding> reasons,
      List<String> notes,
      @Nullable String problem) {}

  private record DocumentSubmission(
      String folder, List<String> scenarios, Outcome verdict, List<ExplainedFinding> reasons) {}
}
