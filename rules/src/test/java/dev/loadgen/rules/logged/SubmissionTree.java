package dev.loadgen.rules.logged;

import dev.loadgen.rules.AccuracyScores;
import dev.loadgen.rules.AnswerAudit;
import dev.loadgen.rules.ComplianceEvidence;
import dev.loadgen.rules.ComplianceTest;
import dev.loadgen.rules.Logs;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.rules.UnreadableLogException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The logs of one system and benchmark, llama3.1-8b in v6.1, as a submission has them. */
final class SubmissionTree {
  static final String SERVER = "Server/performance/run_1";
  static final String SERVER_ACCURACY = "Server/accuracy";
  static final String SERVER_AUDIT = "Server/TEST06/performance/run_1";
  static final String OFFLINE = "Offline/performance/run_1";
  static final String OFFLINE_AUDIT = "Offline/TEST06/performance/run_1";
  static final String OFFLINE_ACCURACY = "Offline/accuracy";

  private static final int END = 128009;
  private static final String DETAIL = "mlperf_log_detail.txt";
  private static final String SCORES =
      "{'rouge1': '38.7792', 'rouge2': '15.9075', 'rougeL': '24.4957', 'rougeLsum': '35.793',"
          + " 'gen_len': 8167644, 'gen_num': 13368}\nhash=0123\n";

  private final Path root;
  private final Path benchmark;

  private SubmissionTree(Path root) {
    this.root = root;
    this.benchmark = root.resolve("closed/org/results/system/llama3.1-8b");
  }

  /** A tree that breaks no rule, but that its scores are claimed. */
  static SubmissionTree valid(Path root) throws IOException {
    SubmissionTree tree = new SubmissionTree(root);
    tree.performance(SERVER, Logs.text("v61-server"));
    tree.performance(OFFLINE, Logs.text("v61-offline"));
    tree.performance(SERVER_AUDIT, wholeSet(Logs.text("audit-test06-server")));
    tree.performance(OFFLINE_AUDIT, wholeSet(Logs.text("audit-test06-offline")));
    String accuracy = Logs.text("v61-accuracy");
    tree.accuracy(OFFLINE_ACCURACY, accuracy);
    tree.accuracy(
        SERVER_ACCURACY,
        Logs.with(
            Logs.with(
                Logs.with(accuracy, "effective_scenario", "\"Server\""),
                "generated_query_count",
                "13368"),
            "generated_samples_per_query",
            "1"));
    return tree;
  }

  /** The audits' logs are of a small dataset. */
  private static String wholeSet(String log) {
    return Logs.with(
        Logs.with(log, "effective_performance_sample_count", "13368"),
        "qsl_reported_total_count",
        "13368");
  }

  Path root() {
    return root;
  }

  Path folder(String below) {
    return benchmark.resolve(below);
  }

  /** Changes a file of a folder. */
  SubmissionTree change(String folder, String file, UnaryOperator<String> change)
      throws IOException {
    Path path = folder(folder).resolve(file);
    Files.writeString(path, change.apply(Files.readString(path)));
    return this;
  }

  /** Changes a value of a detail log. */
  SubmissionTree with(String folder, String key, String value) throws IOException {
    return change(folder, DETAIL, text -> Logs.with(text, key, value));
  }

  private void performance(String folder, String detail) throws IOException {
    log(folder, detail);
    // An audit is too short for LoadGen's own criteria, which do not count for it.
    boolean invalid = detail.contains("\"result_validity\", \"value\": \"INVALID\"");
    write(
        folder,
        "mlperf_log_summary.txt",
        "MLPerf Results Summary\nResult is : " + (invalid ? "INVALID" : "VALID") + "\n");
  }

  private void accuracy(String folder, String detail) throws IOException {
    log(folder, detail);
    write(folder, "mlperf_log_summary.txt", "No errors encountered during test.\n");
    write(folder, "accuracy.txt", SCORES);
    write(folder, "mlperf_log_accuracy.json", "[\n]\n");
  }

  private void log(String folder, String detail) throws IOException {
    write(folder, DETAIL, detail);
  }

  private void write(String folder, String file, String text) throws IOException {
    Files.createDirectories(folder(folder));
    Files.writeString(folder(folder).resolve(file), text);
  }

  /** Judges all of it. */
  Judged judge(@Nullable String ruleset, boolean acceptClaims) throws UnreadableLogException {
    return judge(
        root,
        new LoggedTest.Question(
            ruleset == null ? null : Ruleset.named(ruleset),
            null,
            null,
            null,
            acceptClaims,
            SubmissionTree::answersThatPass));
  }

  /** A hundred answers of three tokens that end once, as if they had been read. */
  static ComplianceEvidence answersThatPass(
      Path log,
      String name,
      @Nullable ComplianceTest test,
      int samples,
      @Nullable AccuracyScores scores) {
    AnswerAudit audit = new AnswerAudit(List.of(END));
    for (int i = 0; i < 100; i++) {
      byte[] first = token(10 + i);
      byte[] answer = new byte[3 * Integer.BYTES];
      System.arraycopy(first, 0, answer, 0, Integer.BYTES);
      System.arraycopy(token(7), 0, answer, Integer.BYTES, Integer.BYTES);
      System.arraycopy(token(END), 0, answer, 2 * Integer.BYTES, Integer.BYTES);
      audit.add(i, answer, first, 3L);
    }
    return new ComplianceEvidence(name, audit.logged(), scores, null);
  }

  private static byte[] token(int id) {
    return ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(id).array();
  }

  static Judged judge(Path root, LoggedTest.Question question) throws UnreadableLogException {
    LoggedFolders found = LoggedFolders.below(root);
    List<FolderVerdict> verdicts = new ArrayList<>();
    for (LoggedFolder folder : found.folders()) {
      verdicts.add(LoggedTest.judge(folder, question));
    }
    return new Judged(verdicts, Submission.of(found.folders(), verdicts));
  }

  /** What was judged. */
  record Judged(List<FolderVerdict> verdicts, List<Submission> submissions) {
    /** The rules that the test of a folder, or the whole, breaks. */
    List<String> broken() {
      List<String> rules = new ArrayList<>();
      for (FolderVerdict verdict : verdicts) {
        if (verdict instanceof FolderVerdict.Judged judged) {
          judged.judgement().findings().forEach(finding -> rules.add(finding.rule()));
        } else {
          rules.add("unknown");
        }
      }
      submissions.forEach(
          all -> all.judgement().findings().forEach(finding -> rules.add(finding.rule())));
      return rules;
    }
  }
}
