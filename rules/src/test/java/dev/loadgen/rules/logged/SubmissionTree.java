package dev.loadgen.rules.logged;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.AnswerAudit;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Logs;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import dev.loadgen.rules.ruleset.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files of one system and benchmark, in Offline and Server, as a submission has them. */
final class SubmissionTree {
  static final String SERVER = "Server/performance/run_1";
  static final String SERVER_ACCURACY = "Server/accuracy";
  static final String OFFLINE = "Offline/performance/run_1";
  static final String OFFLINE_ACCURACY = "Offline/accuracy";
  static final String DETAIL = "mlperf_log_detail.txt";
  static final String SUMMARY = "mlperf_log_summary.txt";
  static final String ANSWERS = "mlperf_log_accuracy.json";
  static final int END = 128009;

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Map<String, String> MADE = new ConcurrentHashMap<>();

  private final Path root;
  private final Of of;
  private Path benchmark;

  private SubmissionTree(Path root, Of of) {
    this.root = root;
    this.of = of;
    this.benchmark = root.resolve("closed/org/results/system").resolve(of.benchmark());
  }

  /**
   * What a submission is of.
   *
   * @param benchmark one that the round has
   */
  record Of(String round, String benchmark) {
    static final String LLAMA = "llama3.1-8b";
    static final String GPT_OSS = "gpt-oss-120b";
    static final String QWEN = "qwen3-vl-235b-a22b";

    /** Every benchmark of every round. */
    static List<Of> all() {
      return Ruleset.names().reversed().stream()
          .map(Ruleset::named)
          .filter(Ruleset::official)
          .flatMap(
              round ->
                  Stream.of(LLAMA, GPT_OSS, QWEN)
                      .filter(name -> !round.benchmark(name).scenarios().isEmpty())
                      .map(name -> new Of(round.name(), name)))
          .toList();
    }

    Ruleset ruleset() {
      return Ruleset.named(round);
    }

    boolean any() {
      return true;
    }

    boolean llama() {
      return benchmark.equals(LLAMA);
    }

    boolean gptOss() {
      return benchmark.equals(GPT_OSS);
    }

    boolean qwen() {
      return benchmark.equals(QWEN);
    }

    /** Whether it is measured in tokens. */
    boolean tokens() {
      return !qwen();
    }

    boolean audited() {
      return !audits().isEmpty();
    }

    /** Whether the round has a smaller set in Interactive. */
    boolean countsByScenario() {
      return qwen() && ruleset().benchmark(benchmark).scenarios().containsKey(Scenario.Interactive);
    }

    boolean strictOpen() {
      return ruleset().strictOpen();
    }

    ScenarioRules rules(String scenario) {
      return ruleset().benchmark(benchmark).scenario(Scenario.valueOf(scenario)).orElseThrow();
    }

    Map<String, AuditRules> audits() {
      return ruleset().complianceTests(benchmark);
    }

    @Override
    public String toString() {
      return benchmark + " in " + round;
    }
  }

  /** A tree that breaks no rule, but that its scores and most of its audits are claimed. */
  static SubmissionTree valid(Path root, Of of) throws IOException {
    SubmissionTree tree = new SubmissionTree(root, of);
    for (String scenario : List.of("Offline", "Server")) {
      tree.test(scenario + "/performance/run_1", tree.made("performance", scenario));
      tree.test(scenario + "/accuracy", tree.made("accuracy", scenario));
      tree.write(scenario + "/accuracy", "accuracy.txt", tree.scores() + "\nhash=0123abcd\n");
      tree.write(scenario + "/accuracy", ANSWERS, cut());
      for (String audit : of.audits().keySet()) {
        String folder = scenario + "/" + audit;
        tree.test(folder + "/performance/run_1", tree.made(audit, scenario));
        tree.write(
            folder + "/accuracy", ANSWERS, audit.equals("TEST06") ? hundredAnswers(4) : cut());
        tree.write(folder, tree.verifyFile(audit), tree.verified(audit, scenario));
      }
    }
    return tree;
  }

  private String made(String test, String scenario) {
    return MADE.computeIfAbsent(
        of + " " + test + " " + scenario,
        none ->
            round(
                switch (test) {
                  case "performance" -> performance(scenario);
                  case "accuracy" -> accuracy(scenario);
                  default -> audit(scenario, Objects.requireNonNull(of.audits().get(test)));
                }));
  }

  /** A log with the seeds of the round, and without what nobody reads and is long. */
  private String round(String log) {
    Seeds seeds = Objects.requireNonNull(of.ruleset().seeds());
    String made = log;
    for (String kind : List.of("requested_", "effective_")) {
      made = Logs.with(made, kind + "qsl_rng_seed", seeds.qsl().toString());
      made = Logs.with(made, kind + "sample_index_rng_seed", seeds.sampleIndex().toString());
      made = Logs.with(made, kind + "schedule_rng_seed", seeds.schedule().toString());
    }
    return lines(made, key -> !key.equals("loaded_qsl_set") && !key.startsWith("loadgen_g"));
  }

  private String performance(String scenario) {
    String log = set(Logs.text("v61-" + scenario.toLowerCase(Locale.ROOT)), performanceSet());
    return limited(log, scenario);
  }

  private int performanceSet() {
    return Objects.requireNonNull(of.rules("Server").performanceSampleCount());
  }

  private int accuracySet() {
    return Objects.requireNonNull(of.rules("Server").accuracySampleCount());
  }

  private static String set(String log, int samples) {
    String made = Logs.with(log, "qsl_reported_total_count", String.valueOf(samples));
    made = Logs.with(made, "qsl_reported_performance_count", String.valueOf(samples));
    made = Logs.with(made, "effective_performance_sample_count", String.valueOf(samples));
    return made;
  }

  /** With the limits of the benchmark, and token latencies if it has them. */
  private String limited(String log, String scenario) {
    String made = log;
    if (scenario.equals("Offline")) {
      int least = Math.max(2 * performanceSet(), 30_000);
      made = Logs.with(made, "effective_samples_per_query", String.valueOf(least));
    }
    if (!of.tokens()) {
      made =
          lines(
              made,
              key ->
                  !key.contains("token_latenc")
                      && !key.contains("_ttft_")
                      && !key.contains("_tpot_")
                      && !key.contains("first_token")
                      && !key.contains("_token_")
                      && !key.contains("tokens_per_second")
                      && !key.contains("token_throughput"));
      Double limit = of.rules("Server").limits().latencyMs();
      return Logs.with(
          made,
          "effective_target_latency_ns",
          scenario.equals("Server") ? nanoseconds(Objects.requireNonNull(limit)) : "0");
    }
    return scenario.equals("Server") ? interactiveOrServer(made, "Server") : made;
  }

  /** With the limits of Server or Interactive, which LoadGen logs in Server alone. */
  private String interactiveOrServer(String log, String scenario) {
    Double ttft = Objects.requireNonNull(of.rules(scenario).limits().ttftMs());
    Double tpot = Objects.requireNonNull(of.rules(scenario).limits().tpotMs());
    return Logs.with(
        Logs.with(log, "requested_server_ttft_latency", nanoseconds(ttft)),
        "requested_server_tpot_latency",
        nanoseconds(tpot));
  }

  static String nanoseconds(double ms) {
    return String.valueOf(Math.round(ms * 1e6));
  }

  private String accuracy(String scenario) {
    String samples = String.valueOf(accuracySet());
    String log = set(Logs.text("v61-accuracy"), accuracySet());
    log = Logs.with(log, "effective_accuracy_sample_count", samples);
    log = Logs.with(log, "effective_scenario", '"' + scenario + '"');
    boolean offline = scenario.equals("Offline");
    log = Logs.with(log, "generated_query_count", offline ? "1" : samples);
    return Logs.with(log, "generated_samples_per_query", offline ? samples : "1");
  }

  private String audit(String scenario, AuditRules audit) {
    String log = Logs.text("audit-test06-" + scenario.toLowerCase(Locale.ROOT));
    for (Map.Entry<String, Long> setting : audit.audit().entrySet()) {
      String key =
          "requested_"
              + (setting.getKey().equals("min_duration") ? "min_duration_ms" : setting.getKey());
      DetailLog found = DetailLog.parse(log);
      if (!setting.getKey().equals("mode")) {
        log =
            Logs.with(
                log,
                key,
                found.flag(key).isPresent()
                    ? String.valueOf(setting.getValue() != 0)
                    : setting.getValue().toString());
      }
    }
    String queries = Objects.requireNonNull(audit.setting("min_query_count")).toString();
    boolean offline = scenario.equals("Offline");
    log = Logs.with(log, "result_query_count", offline ? "1" : queries);
    log = Logs.with(log, "generated_query_count", offline ? "1" : queries);
    log = Logs.with(log, "generated_samples_per_query", offline ? queries : "1");
    return set(log, audit.samples() == null ? performanceSet() : audit.samples());
  }

  /** What the reference's own script prints, but for its progress. */
  private String scores() {
    return switch (of.benchmark()) {
      case Of.LLAMA ->
          "{'rouge1': '38.7792', 'rouge2': '15.9075', 'rougeL': '24.4957', 'rougeLsum': '35.793',"
              + " 'gen_len': 8167644, 'gen_num': 13368}";
      case Of.GPT_OSS -> "Printing for submission_checker:\n\n'exact_match': 83.130";
      default -> "{\"f1\": 0.7903}";
    };
  }

  String verifyFile(String audit) {
    return audit.equals("TEST09") ? "verify_output_len.txt" : "verify_accuracy.txt";
  }

  private String verified(String audit, String scenario) {
    return switch (audit) {
      case "TEST06" ->
          "First token check pass: %s\nEOS check pass: True\nSample length check pass: True\nTEST06 verification complete\n"
              .formatted(scenario.equals("Offline") ? "Skipped" : "True");
      case "TEST07" ->
          "Total samples evaluated: 990\n'exact_match': 61.616\n\nAccuracy score: 61.616\nAccuracy threshold: 60.698\nAccuracy check pass: True\nTEST PASS\n";
      default ->
          "Total samples: 6396\nMean output tokens: 1383.41\nMin check pass: True\nMax check pass: True\n\nTEST PASS\n";
    };
  }

  /** An accuracy log as truncate_accuracy_log.py leaves it. */
  static String cut() {
    String half = "0A".repeat(2048);
    return half + "\n\n...\n\n" + half;
  }

  /** A hundred answers of three tokens, the last of which ends them. */
  static String hundredAnswers(int bytes) {
    return IntStream.range(0, 100)
        .mapToObj(
            i -> {
              String data = hex(bytes, 10 + i, 7, END);
              return "{ \"seq_id\" : %d, \"qsl_idx\" : %d, \"data\" : \"%s\", \"token_data\" : \"%s\", \"token_count\" : 3 }"
                  .formatted(i, i, data, data.substring(0, 2 * bytes));
            })
        .collect(Collectors.joining(",\n", "[\n", "\n]\n"));
  }

  static String hex(int bytes, int... tokens) {
    ByteBuffer data = ByteBuffer.allocate(bytes * tokens.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int token : tokens) {
      data.putInt(token).put(new byte[bytes - Integer.BYTES]);
    }
    return HexFormat.of().withUpperCase().formatHex(data.array());
  }

  private static String lines(String log, Predicate<String> kept) {
    return log.lines()
        .filter(line -> kept.test(line.replaceFirst(".*?\"key\": \"([^\"]*)\".*", "$1")))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  Of of() {
    return of;
  }

  Path root() {
    return root;
  }

  /** A folder below the benchmark's; compliance tests are where the round has them. */
  Path folder(String below) {
    String tree = of.ruleset().auditsFolder();
    Path here = benchmark.resolve(below);
    if (tree == null || !below.contains("/TEST")) {
      return here;
    }
    Path results = Objects.requireNonNull(benchmark.getParent()).getParent();
    return Objects.requireNonNull(results).resolveSibling(tree).resolve(results.relativize(here));
  }

  /** Moves all of it into another division. */
  SubmissionTree in(Division division) throws IOException {
    String name = division.name().toLowerCase(Locale.ROOT);
    Files.move(root.resolve("closed"), root.resolve(name));
    benchmark = root.resolve(name).resolve(root.resolve("closed").relativize(benchmark));
    return this;
  }

  /** Gives the benchmark's folder another name. */
  SubmissionTree named(String name) throws IOException {
    Path audits = audits();
    Files.move(benchmark, benchmark.resolveSibling(name));
    if (!audits.equals(benchmark)) {
      Files.move(audits, audits.resolveSibling(name));
    }
    benchmark = benchmark.resolveSibling(name);
    return this;
  }

  /** The benchmark's folder in the tree that has the compliance tests. */
  private Path audits() {
    return Objects.requireNonNull(
        Objects.requireNonNull(folder("Server/TEST").getParent()).getParent());
  }

  /** Changes a file of a folder. */
  SubmissionTree change(String folder, String file, UnaryOperator<String> change)
      throws IOException {
    Path path = folder(folder).resolve(file);
    Files.writeString(path, change.apply(Files.readString(path)));
    return this;
  }

  /** Changes a detail log, and its summary with it, as LoadGen would have written them. */
  SubmissionTree log(String folder, UnaryOperator<String> change) throws IOException {
    change(folder, DETAIL, change);
    String log = Files.readString(folder(folder).resolve(DETAIL));
    write(folder, SUMMARY, SummaryText.of(DetailLog.parse(log)));
    return this;
  }

  /** Changes a value of a detail log. */
  SubmissionTree with(String folder, String key, String value) throws IOException {
    return log(folder, text -> Logs.with(text, key, value));
  }

  /** Removes entries of a detail log. */
  SubmissionTree without(String folder, String... keys) throws IOException {
    for (String key : keys) {
      log(folder, text -> Logs.without(text, key));
    }
    return this;
  }

  SubmissionTree delete(String below) throws IOException {
    try (Stream<Path> files = Files.walk(folder(below))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    prune(folder(below).getParent());
    return this;
  }

  SubmissionTree rename(String from, String to) throws IOException {
    Files.createDirectories(Objects.requireNonNull(folder(to).getParent()));
    Files.move(folder(from), folder(to));
    prune(folder(from).getParent());
    return this;
  }

  /** Removes folders that have become empty. */
  private void prune(@Nullable Path folder) throws IOException {
    for (Path each = folder; each != null && !each.equals(root); each = each.getParent()) {
      try (Stream<Path> files = Files.list(each)) {
        if (files.findAny().isPresent()) {
          return;
        }
      }
      Files.delete(each);
    }
  }

  /** Gives a scenario's folder another name. */
  SubmissionTree renamed(String from, String to) throws IOException {
    if (!audits().equals(benchmark) && Files.exists(audits().resolve(from))) {
      Files.move(audits().resolve(from), audits().resolve(to));
    }
    Files.move(benchmark.resolve(from), benchmark.resolve(to));
    return this;
  }

  /** Makes Interactive of Server, with the limits that LoadGen has for it. */
  SubmissionTree interactive() throws IOException {
    log(SERVER, text -> interactiveOrServer(text, "Interactive"));
    return renamed("Server", "Interactive");
  }

  private void test(String folder, String detail) throws IOException {
    write(folder, DETAIL, detail);
    write(folder, SUMMARY, SummaryText.of(DetailLog.parse(detail)));
  }

  void write(String folder, String file, String text) throws IOException {
    Path path = folder(folder).resolve(file);
    Files.createDirectories(Objects.requireNonNull(path.getParent()));
    Files.writeString(path, text);
  }

  /** Judges all of it. */
  Judged judge(@Nullable String ruleset, boolean acceptClaims) throws UnreadableLogException {
    return judge(root, ruleset, acceptClaims);
  }

  /** Judges a part of it. */
  static Judged judge(Path part, @Nullable String ruleset, boolean acceptClaims)
      throws UnreadableLogException {
    return judge(
        part,
        new FolderJudge.Question(
            ruleset == null ? null : Ruleset.named(ruleset),
            null,
            null,
            null,
            acceptClaims,
            SubmissionTree::answers));
  }

  /** Reads answers, as the runner does for the command. */
  static ComplianceEvidence answers(
      Path log,
      String name,
      @Nullable AuditRules test,
      int samples,
      @Nullable AccuracyScores scores) {
    AnswerAudit audit =
        new AnswerAudit(
            test == null || test.tokens() == null ? List.of() : test.tokens().endOfSequence());
    try {
      for (JsonNode entry : JSON.readTree(Files.readString(log))) {
        audit.add(
            entry.path("qsl_idx").asInt(),
            HexFormat.of().parseHex(entry.path("data").asText()),
            HexFormat.of().parseHex(entry.path("token_data").asText()),
            entry.path("token_count").asLong());
      }
    } catch (IOException e) {
      return new ComplianceEvidence(name, null, scores, "it cannot be read.");
    }
    return new ComplianceEvidence(name, audit.logged(), scores, null);
  }

  static Judged judge(Path root, FolderJudge.Question question) throws UnreadableLogException {
    LoggedFolders found = LoggedFolders.below(root);
    List<FolderVerdict> verdicts = new ArrayList<>();
    for (LoggedFolder folder : found.folders()) {
      verdicts.add(FolderJudge.judge(folder, question));
    }
    found
        .problems()
        .forEach((path, problem) -> verdicts.add(new FolderVerdict.Unknown(path, problem)));
    return new Judged(verdicts, Submission.of(found, verdicts));
  }

  /** What was judged. */
  record Judged(List<FolderVerdict> verdicts, List<Submission> submissions) {
    /** The rules that a test, or the whole, breaks, and those that it cannot be held against. */
    List<String> broken() {
      List<String> rules = new ArrayList<>();
      for (FolderVerdict verdict : verdicts) {
        switch (verdict) {
          case FolderVerdict.Judged judged ->
              judged.judgement().objections().forEach(finding -> rules.add(finding.rule()));
          case FolderVerdict.Unknown none -> rules.add("unknown");
          case FolderVerdict.NotAsked none -> {}
        }
      }
      submissions.forEach(
          all -> all.judgement().objections().forEach(finding -> rules.add(finding.rule())));
      return rules;
    }

    /** All that is said, a line for each. */
    String said() {
      List<String> lines = new ArrayList<>();
      for (FolderVerdict verdict : verdicts) {
        switch (verdict) {
          case FolderVerdict.Judged judged -> {
            judged.judgement().findings().forEach(found -> lines.add(found.message()));
            lines.addAll(judged.notes());
          }
          case FolderVerdict.Unknown unknown -> lines.add(unknown.problem());
          case FolderVerdict.NotAsked none -> lines.add(none.why());
        }
      }
      submissions.forEach(
          all -> all.judgement().findings().forEach(found -> lines.add(found.message())));
      return String.join("\n", lines);
    }
  }
}
