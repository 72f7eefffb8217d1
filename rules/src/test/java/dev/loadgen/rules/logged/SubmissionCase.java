package dev.loadgen.rules.logged;

import static dev.loadgen.rules.logged.SubmissionTree.ANSWERS;
import static dev.loadgen.rules.logged.SubmissionTree.DETAIL;
import static dev.loadgen.rules.logged.SubmissionTree.OFFLINE;
import static dev.loadgen.rules.logged.SubmissionTree.OFFLINE_ACCURACY;
import static dev.loadgen.rules.logged.SubmissionTree.SERVER;
import static dev.loadgen.rules.logged.SubmissionTree.SERVER_ACCURACY;
import static dev.loadgen.rules.logged.SubmissionTree.SUMMARY;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Logs;
import dev.loadgen.rules.logged.SubmissionTree.Of;
import dev.loadgen.rules.ruleset.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A submission that is valid but for one thing, or valid in an unusual way.
 *
 * @param title what it is
 * @param rule the rule that it breaks, {@code unknown} for what cannot be judged; empty: none
 * @param applies to what
 * @param change what makes it so
 */
record SubmissionCase(String title, String rule, Predicate<Of> applies, Change change) {
  private static final String ACCURACY = "accuracy.txt";
  private static final Predicate<Of> ANY = Of::any;
  private static final Predicate<Of> TOKENS = Of::tokens;
  private static final Predicate<Of> LLAMA = Of::llama;
  private static final Predicate<Of> GPT_OSS = Of::gptOss;
  private static final Predicate<Of> QWEN = Of::qwen;
  private static final Predicate<Of> AUDITED = Of::audited;

  /** Of which the round has a smaller set in Interactive. */
  private static final Predicate<Of> BY_SCENARIO = Of::countsByScenario;

  private static final Predicate<Of> STRICT_OPEN = Of::strictOpen;

  /** Changes a submission. */
  @FunctionalInterface
  interface Change {
    void in(SubmissionTree tree) throws IOException;
  }

  @Override
  public String toString() {
    return title;
  }

  /** Makes it, and judges it; what is claimed is taken for true. */
  SubmissionTree.Judged judge(Of of, @Nullable String ruleset, Path temporary) throws IOException {
    String kept = System.getProperty("submissions.out");
    Path folder =
        kept == null
            ? temporary
            : Path.of(kept, of.round(), of.benchmark(), title.replaceAll("\\W+", "-"));
    SubmissionTree tree = SubmissionTree.valid(folder.resolve("tree"), of);
    change.in(tree);
    SubmissionTree.Judged judged = tree.judge(ruleset, true);
    if (kept != null) {
      // For hack/checker/agree.py.
      Files.writeString(
          folder.resolve("case.json"),
          JsonMapper.builder()
              .build()
              .writeValueAsString(
                  Map.of("title", title, "rule", rule, "broken", new TreeSet<>(judged.broken()))));
    }
    return judged;
  }

  /** Those that no rule is broken by. */
  static List<SubmissionCase> accepted() {
    return Stream.of(closed(), otherDivisions()).flatMap(List::stream).toList();
  }

  /** Those that break a rule. */
  static List<SubmissionCase> broken() {
    return Stream.of(
            settings(), results(), logs(), scores(), places(), audits(), brokenInOtherDivisions())
        .flatMap(List::stream)
        .toList();
  }

  private static List<SubmissionCase> closed() {
    return List.of(
        accepted("nothing", ANY, tree -> {}),
        accepted("the other name of the folder", LLAMA, tree -> tree.named("llama3_1-8b")),
        accepted("a scenario in lower case", BY_SCENARIO.negate(), lowerCase()),
        accepted("Interactive in place of Server", TOKENS, SubmissionTree::interactive),
        accepted(
            "tokens_per_sample within its bound",
            GPT_OSS,
            score("'exact_match': 83.130", "{'exact_match': 83.13, 'tokens_per_sample': 10998.9}")),
        accepted(
            "verify files alone",
            AUDITED,
            ofAudits(
                (tree, folder) -> {
                  tree.delete(folder + "/performance");
                  tree.delete(folder + "/accuracy");
                })),
        accepted(
            "logs of an audit beside its verify file",
            AUDITED,
            ofAudits(
                (tree, folder) -> {
                  for (String file : List.of(DETAIL, SUMMARY)) {
                    tree.rename(folder + "/performance/run_1/" + file, folder + "/" + file);
                  }
                })),
        accepted(
            "an audit that ended at its last query",
            AUDITED,
            ofAudits((tree, folder) -> endedAtLastQuery(tree, folder))),
        accepted(
            "token ids of 64 bits",
            LLAMA,
            ofAudits(
                (tree, folder) ->
                    tree.write(folder + "/accuracy", ANSWERS, SubmissionTree.hundredAnswers(8)))),
        accepted(
            "a second run",
            ANY,
            tree -> {
              String log = Files.readString(tree.folder(SERVER).resolve(DETAIL));
              tree.write("Server/performance/run_2", DETAIL, log.substring(0, log.length() / 2));
            }));
  }

  private static void endedAtLastQuery(SubmissionTree tree, String folder) throws IOException {
    String error =
        Logs.text("server-capped")
            .lines()
            .filter(line -> line.contains("Ending early: Max query count reached"))
            .findFirst()
            .orElseThrow();
    tree.log(
        folder + "/performance/run_1",
        log ->
            Logs.with(log, "num_errors", "1")
                .replaceFirst("(?m)^(:::MLLOG .\"key\": \"power_begin\")", error + "\n$1"));
  }

  private static List<SubmissionCase> otherDivisions() {
    Change networked =
        tree -> {
          for (String folder : List.of(SERVER, OFFLINE)) {
            tree.with(folder, "sut_name", "\"Network SUT of org\"");
          }
          tree.in(Division.NETWORK);
        };
    return List.of(
        accepted("network", ANY, networked),
        open("as closed", ANY, tree -> {}),
        open("without compliance tests", AUDITED, ofAudits(SubmissionTree::delete)),
        open(
            "a compliance test that says FAIL",
            AUDITED,
            ofAudits((tree, folder) -> fail(tree, folder))),
        open("Offline alone", ANY, tree -> tree.delete("Server")),
        open("a score below its bound", ANY, below()),
        open("no hash", ANY, noHash()),
        open("few samples in Offline", STRICT_OPEN.negate(), fewSamples()),
        open(
            "a model of another name",
            ANY,
            tree -> {
              String benchmark = tree.of().benchmark();
              tree.named("our-own");
              Files.writeString(
                  tree.root().resolve("closed/org/model_mapping.json"),
                  "{\"our-own\": \"" + benchmark + "\"}");
            }),
        open(
            "Interactive within the limits of Server",
            TOKENS.and(STRICT_OPEN.negate()),
            slowInteractive()));
  }

  private static Change fewSamples() {
    return with(OFFLINE, "effective_samples_per_query", "100");
  }

  private static Change slowInteractive() {
    return tree -> {
      tree.interactive();
      tree.with(
          "Interactive/performance/run_1",
          "result_first_token_99.00_percentile_latency_ns",
          SubmissionTree.nanoseconds(
              Objects.requireNonNull(tree.of().rules("Interactive").limits().ttftMs()) + 1));
    };
  }

  private static List<SubmissionCase> brokenInOtherDivisions() {
    return List.of(
        new SubmissionCase(
            "network: another name of the system under test",
            "NetworkName",
            ANY,
            tree -> tree.in(Division.NETWORK)),
        openBroken("few samples in Offline", "MinSamples", STRICT_OPEN, fewSamples()),
        openBroken(
            "Interactive within the limits of Server",
            "Ttft",
            TOKENS.and(STRICT_OPEN),
            slowInteractive()),
        openBroken(
            "no score",
            "AccuracyNotScored",
            ANY,
            tree -> tree.write(SERVER_ACCURACY, ACCURACY, "hash=0123\n")),
        openBroken("TTFT at the limit", "Ttft", TOKENS, limit("ttft")),
        openBroken("another seed", "SeedsDiffer", ANY, with(SERVER, "effective_qsl_rng_seed", "1")),
        openBroken("no accuracy test", "TestMissing", ANY, tree -> tree.delete(SERVER_ACCURACY)),
        openBroken("an accuracy log that is not cut", "AccuracyLogNotCut", ANY, notCut()),
        openBroken(
            "a model of an unknown benchmark", "unknown", ANY, tree -> tree.named("our-own")));
  }

  private static List<SubmissionCase> settings() {
    return List.of(
        broken(
            "samples are not issued equally often",
            "EqualIssue",
            ANY,
            with(SERVER, "effective_sample_concatenate_permutation", "false")),
        broken("another qsl seed", "SeedsDiffer", ANY, with(SERVER, "effective_qsl_rng_seed", "1")),
        broken(
            "another sample index seed",
            "SeedsDiffer",
            ANY,
            with(OFFLINE, "effective_sample_index_rng_seed", "1")),
        broken(
            "another schedule seed",
            "SeedsDiffer",
            ANY,
            with(SERVER, "effective_schedule_rng_seed", "1")),
        broken(
            "another seed of an accuracy test",
            "SeedsDiffer",
            ANY,
            with(OFFLINE_ACCURACY, "effective_qsl_rng_seed", "18446744073709551615")),
        broken(
            "a smaller performance set",
            "PerformanceSampleCount",
            ANY,
            tree ->
                tree.with(
                    SERVER,
                    "effective_performance_sample_count",
                    String.valueOf(need(tree.of().rules("Server").performanceSampleCount()) - 1))),
        broken(
            "a shorter least duration",
            "MinDuration",
            ANY,
            with(SERVER, "effective_min_duration_ms", "599999")),
        broken(
            "no least queries in Offline",
            "MinQueryCount",
            ANY,
            with(OFFLINE, "effective_min_query_count", "0")),
        broken(
            "too few Offline samples",
            "MinSamples",
            ANY,
            tree ->
                tree.with(
                    OFFLINE,
                    "effective_samples_per_query",
                    String.valueOf(need(tree.of().rules("Offline").minSampleCount()) - 1))),
        broken(
            "Offline without token latencies",
            "TokenLatencies",
            TOKENS,
            tree ->
                tree.without(OFFLINE, "requested_use_token_latencies", "result_tokens_per_second")),
        broken(
            "Server without token latencies",
            "TokenLatencies",
            TOKENS,
            tree -> tree.without(SERVER, "requested_use_token_latencies")),
        broken(
            "a looser TTFT limit in LoadGen",
            "Ttft",
            TOKENS,
            with(SERVER, "requested_server_ttft_latency", "9000000000")),
        broken(
            "a looser latency limit in LoadGen",
            "Latency",
            QWEN,
            with(SERVER, "effective_target_latency_ns", "12000000001")),
        broken(
            "a target latency above the bound",
            "TargetLatency",
            ANY,
            tree ->
                tree.with(
                    SERVER,
                    "effective_target_latency_ns",
                    SubmissionTree.nanoseconds(
                        need(tree.of().rules("Server").maxTargetLatencyMs()) + 1000.0))),
        broken(
            "a lower percentile in LoadGen",
            "EarlyStopping",
            ANY,
            with(SERVER, "effective_target_latency_percentile", "0.9")),
        broken(
            "unique samples without an audit",
            "SampleChoice",
            ANY,
            with(SERVER, "effective_performance_issue_unique", "true")),
        broken(
            "the same sample without an audit",
            "SampleChoice",
            ANY,
            with(OFFLINE, "effective_performance_issue_same", "true")),
        broken(
            "an audit's settings in a performance test",
            "AuditInEffect",
            AUDITED,
            tree -> {
              String audit = tree.of().audits().keySet().iterator().next();
              tree.log(
                  SERVER,
                  log -> {
                    try {
                      return Files.readString(
                          tree.folder("Server/" + audit + "/performance/run_1").resolve(DETAIL));
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
            }));
  }

  private static List<SubmissionCase> results() {
    return List.of(
        broken(
            "LoadGen says INVALID",
            "LoadGenInvalid",
            ANY,
            with(SERVER, "result_validity", "\"INVALID\"")),
        broken(
            "errors in a performance log", "LoadGenErrors", ANY, with(SERVER, "num_errors", "3")),
        broken(
            "an error in an accuracy log",
            "LoadGenErrors",
            ANY,
            tree ->
                tree.log(
                    OFFLINE_ACCURACY,
                    text -> text.replaceFirst("\"is_error\": false", "\"is_error\": true"))),
        broken(
            "a test that was too short",
            "MinDuration",
            ANY,
            with(OFFLINE, "result_min_duration_met", "false")),
        broken(
            "too few queries",
            "MinQueryCount",
            ANY,
            with(SERVER, "result_min_queries_met", "false")),
        broken("TTFT at the limit", "Ttft", TOKENS, limit("ttft")),
        broken("TPOT at the limit", "Tpot", TOKENS, limit("tpot")),
        broken("latency at the limit", "Latency", QWEN, limit("latency")),
        broken(
            "early stopping not met",
            "EarlyStopping",
            ANY,
            with(SERVER, "early_stopping_met", "false")),
        broken(
            "a smaller accuracy set",
            "AccuracySampleCount",
            ANY,
            tree -> accuracySet(tree, need(tree.of().rules("Offline").accuracySampleCount()) - 1)),
        broken(
            "a greater accuracy set",
            "AccuracySampleCount",
            ANY,
            tree -> accuracySet(tree, need(tree.of().rules("Offline").accuracySampleCount()) + 1)));
  }

  private static void accuracySet(SubmissionTree tree, long samples) throws IOException {
    for (String key :
        List.of(
            "generated_samples_per_query",
            "effective_accuracy_sample_count",
            "qsl_reported_total_count")) {
      tree.with(OFFLINE_ACCURACY, key, String.valueOf(samples));
    }
  }

  private static List<SubmissionCase> logs() {
    return List.of(
        broken(
            "another scenario in the log",
            "LogOfOtherTest",
            ANY,
            with(SERVER, "effective_scenario", "\"Offline\"")),
        broken(
            "an accuracy log in place of a performance test's",
            "LogOfOtherTest",
            ANY,
            with(OFFLINE, "effective_test_mode", "\"AccuracyOnly\"")),
        broken(
            "a performance log in place of an accuracy test's",
            "LogOfOtherTest",
            ANY,
            with(SERVER_ACCURACY, "effective_test_mode", "\"PerformanceOnly\"")),
        broken(
            "half a log", "LogIncomplete", ANY, log(text -> text.substring(0, text.length() / 2))),
        broken(
            "an accuracy log without its end",
            "LogIncomplete",
            ANY,
            tree -> tree.without(OFFLINE_ACCURACY, "power_end")),
        broken("two logs in one", "LogOfSeveralTests", ANY, log(text -> text + text)),
        broken(
            "a setting twice",
            "LogOfSeveralTests",
            ANY,
            log(
                text ->
                    text.replaceFirst(
                        "(?m)^(.*\"effective_min_duration_ms\", \"value\": )600000(.*\\n)",
                        "$1600$2$1600000$2"))),
        broken(
            "a line that is no JSON",
            "LogIncomplete",
            ANY,
            log(text -> text + ":::MLLOG {\"key\":\n")),
        broken(
            "a line in another spelling",
            "LoadGenErrors",
            ANY,
            tree ->
                tree.change(
                    SERVER_ACCURACY,
                    DETAIL,
                    text ->
                        text
                            + ":::MLLOG{\"key\": \"error_runtime\", \"value\": \"lost\","
                            + " \"metadata\": {\"is_error\": true}}\n")),
        broken(
            "a log that is no UTF-8",
            "LogIncomplete",
            ANY,
            tree -> {
              Path log = tree.folder(SERVER).resolve(DETAIL);
              byte[] bytes = Files.readAllBytes(log);
              bytes[Files.readString(log).indexOf("PySUT")] = (byte) 0xff;
              Files.write(log, bytes);
            }),
        broken(
            "a number that is none",
            "LogIncomplete",
            ANY,
            with(SERVER, "result_scheduled_samples_per_sec", "nan")),
        broken(
            "a log that begins with something else",
            "LogIncomplete",
            ANY,
            log(text -> "\n" + text)),
        broken(
            "no early stopping in the log",
            "LogIncomplete",
            ANY,
            tree -> tree.without(SERVER, "early_stopping_met")),
        broken(
            "no target latency in the log",
            "LogIncomplete",
            ANY,
            tree -> tree.without(SERVER, "effective_target_latency_ns")),
        broken(
            "no least duration in the log",
            "LogIncomplete",
            ANY,
            tree -> tree.without(SERVER, "effective_min_duration_ms")),
        broken(
            "no rate of samples in the log",
            "LogIncomplete",
            ANY,
            tree -> tree.without(OFFLINE, "result_samples_per_second")),
        broken(
            "no rate of tokens in the log",
            "LogIncomplete",
            TOKENS,
            tree -> tree.without(SERVER, "result_completed_tokens_per_second")),
        broken(
            "no TTFT in the log",
            "Ttft",
            TOKENS,
            tree -> tree.without(SERVER, "result_first_token_99.00_percentile_latency_ns")),
        broken(
            "no summary of a performance test",
            "SummaryDiffers",
            ANY,
            tree -> tree.delete(SERVER + "/" + SUMMARY)),
        broken(
            "no summary of an accuracy test",
            "SummaryDiffers",
            ANY,
            tree -> tree.delete(SERVER_ACCURACY + "/" + SUMMARY)),
        broken(
            "the summary of another test",
            "SummaryDiffers",
            ANY,
            tree -> {
              String other =
                  Logs.with(
                      Files.readString(tree.folder(SERVER).resolve(DETAIL)),
                      "result_completed_samples_per_sec",
                      "44.4663");
              tree.change(SERVER, SUMMARY, none -> SummaryText.of(DetailLog.parse(other)));
            }),
        broken(
            "a summary of errors that the log has not",
            "SummaryDiffers",
            ANY,
            tree ->
                tree.change(
                    SERVER_ACCURACY,
                    SUMMARY,
                    text -> text.replace("No errors encountered", "2 ERRORS encountered"))));
  }

  private static List<SubmissionCase> scores() {
    return List.of(
        broken("a score below its bound", "AccuracyMissed", ANY, below()),
        broken(
            "one score of several below its bound",
            "AccuracyMissed",
            GPT_OSS,
            score("'exact_match': 83.130", "'exact_match': 82.298\n'exact_match': 83.130")),
        broken("answers that are too long", "AccuracyMissed", LLAMA, score("8167644", "8984409")),
        broken(
            "tokens_per_sample above its bound",
            "AccuracyMissed",
            GPT_OSS,
            score("'exact_match': 83.130", "{'exact_match': 83.13, 'tokens_per_sample': 10999.0}")),
        broken("a score is missing", "AccuracyPartlyScored", LLAMA, score("'rouge2'", "'rouge3'")),
        broken(
            "a score in another spelling",
            "AccuracyPartlyScored",
            LLAMA,
            score("'gen_len': 8167644", "'gen_len': np.int64(8167644)")),
        broken(
            "the score in another spelling",
            "AccuracyNotScored",
            LLAMA.negate(),
            tree ->
                tree.change(
                    OFFLINE_ACCURACY,
                    ACCURACY,
                    text -> text.replace("': 83", "':  83").replace("{\"f1\"", "{\n\"f1\""))),
        broken(
            "no scores",
            "AccuracyNotScored",
            ANY,
            tree -> tree.write(SERVER_ACCURACY, ACCURACY, "hash=0123\n")),
        broken(
            "no accuracy.txt",
            "AccuracyNotScored",
            ANY,
            tree -> tree.delete(OFFLINE_ACCURACY + "/" + ACCURACY)),
        broken(
            "an accuracy.txt that is no UTF-8",
            "AccuracyNotScored",
            ANY,
            tree -> {
              Path file = tree.folder(SERVER_ACCURACY).resolve(ACCURACY);
              byte[] text = Files.readAllBytes(file);
              byte[] broken = Arrays.copyOf(text, text.length + 2);
              broken[text.length] = (byte) 0xff;
              broken[text.length + 1] = '\n';
              Files.write(file, broken);
            }),
        broken("no hash", "HashMissing", ANY, noHash()),
        broken(
            "no answers",
            "AnswersMissing",
            ANY,
            tree -> tree.delete(OFFLINE_ACCURACY + "/" + ANSWERS)),
        broken("an accuracy log that is not cut", "AccuracyLogNotCut", ANY, notCut()));
  }

  private static List<SubmissionCase> places() {
    return List.of(
        broken("no accuracy test", "TestMissing", ANY, tree -> tree.delete(SERVER_ACCURACY)),
        broken(
            "no performance test", "TestMissing", ANY, tree -> tree.delete("Offline/performance")),
        broken(
            "a second run alone",
            "TestMissing",
            ANY,
            tree -> tree.rename(SERVER, "Server/performance/run_2")),
        broken("no Offline", "ScenarioMissing", ANY, tree -> tree.delete("Offline")),
        broken(
            "neither Server nor Interactive",
            "ScenarioMissing",
            ANY,
            tree -> tree.delete("Server")),
        broken(
            "a folder beside the scenarios",
            "unknown",
            ANY,
            tree -> tree.write("plots", "latency.txt", "None.\n")),
        broken(
            "a scenario in lower case that has a set of its own",
            "FolderName",
            BY_SCENARIO,
            lowerCase()),
        broken(
            "a test in a folder beside the scenarios",
            "FolderName",
            ANY,
            tree ->
                tree.write(
                    "Old/performance/run_1",
                    DETAIL,
                    Files.readString(tree.folder(OFFLINE).resolve(DETAIL)))),
        broken("a benchmark that is not known", "unknown", ANY, tree -> tree.named("llama5-9b")),
        broken(
            "Server's limits under the name of Interactive",
            "Ttft",
            TOKENS,
            tree -> tree.renamed("Server", "Interactive")),
        broken(
            "Interactive of the smaller set",
            "PerformanceSampleCount",
            BY_SCENARIO,
            tree -> {
              tree.with(SERVER, "effective_target_latency_ns", "1500000000");
              tree.with(SERVER, "qsl_reported_total_count", "8000");
              tree.with(SERVER, "effective_performance_sample_count", "8000");
              tree.with(SERVER_ACCURACY, "generated_query_count", "8000");
              tree.with(SERVER_ACCURACY, "effective_accuracy_sample_count", "8000");
              tree.with(SERVER_ACCURACY, "qsl_reported_total_count", "8000");
              tree.renamed("Server", "Interactive");
            }));
  }

  private static Change lowerCase() {
    return tree -> tree.renamed("Server", "server");
  }

  private static List<SubmissionCase> audits() {
    return List.of(
        broken("no compliance test", "TestMissing", AUDITED, ofAudits(SubmissionTree::delete)),
        broken(
            "compliance tests in the tree of another round",
            "TestMissing",
            AUDITED,
            ofAudits(
                (tree, folder) -> {
                  Path here = tree.folder(folder);
                  String before =
                      tree.of().ruleset().auditsFolder() == null ? "results" : "compliance";
                  String after = before.equals("results") ? "compliance" : "results";
                  Path there =
                      Path.of(here.toString().replace("/" + before + "/", "/" + after + "/"));
                  Files.createDirectories(there.getParent());
                  Files.move(here, there);
                })),
        broken(
            "no verify file",
            "VerificationFailed",
            AUDITED,
            ofAudits((tree, folder) -> tree.delete(folder + "/" + verifyFile(tree, folder)))),
        broken(
            "a verify file that says FAIL",
            "VerificationFailed",
            AUDITED,
            ofAudits((tree, folder) -> fail(tree, folder))),
        broken(
            "a verify file of a threshold of its own",
            "VerificationFailed",
            GPT_OSS,
            ofAudits(
                (tree, folder) ->
                    tree.change(
                        folder,
                        verifyFile(tree, folder),
                        text -> text.replace("61.616", "60.5").replace("1383.41", "1406.03")))),
        broken(
            "a verify file of fewer samples",
            "VerificationFailed",
            GPT_OSS,
            ofAudits(
                (tree, folder) ->
                    tree.change(
                        folder,
                        verifyFile(tree, folder),
                        text -> text.replace(": 990", ": 989").replace(": 6396", ": 990")))),
        broken(
            "a first token check that was skipped",
            "VerificationFailed",
            LLAMA,
            ofAudits(
                (tree, folder) ->
                    tree.change(
                        folder,
                        verifyFile(tree, folder),
                        text ->
                            text.replace(
                                "First token check pass: True",
                                "First token check pass: Skipped")))),
        broken(
            "tokens after the end in an audit",
            "EosRepeated",
            LLAMA,
            answers("07000000", "09F40100")),
        broken(
            "another first token than was reported",
            "FirstTokenDiffers",
            LLAMA,
            answers("\"token_data\" : \"0A", "\"token_data\" : \"0B")),
        broken(
            "another number of tokens than was reported",
            "TokenCountDiffers",
            LLAMA,
            answers("\"token_count\" : 3", "\"token_count\" : 4")),
        broken(
            "a performance log in place of an audit's",
            "AuditNotRead",
            AUDITED,
            ofAudits(
                (tree, folder) -> {
                  String scenario = folder.substring(0, folder.indexOf('/'));
                  String log =
                      Files.readString(
                          tree.folder(scenario + "/performance/run_1").resolve(DETAIL));
                  tree.log(folder + "/performance/run_1", none -> log);
                })),
        broken(
            "another setting than the audit's",
            "AuditSettings",
            AUDITED,
            ofAudits(
                (tree, folder) ->
                    tree.with(
                        folder + "/performance/run_1",
                        "requested_accuracy_log_sampling_target",
                        "99"))),
        broken(
            "another seed of an audit",
            "SeedsDiffer",
            AUDITED,
            ofAudits(
                (tree, folder) ->
                    tree.with(folder + "/performance/run_1", "effective_qsl_rng_seed", "1"))));
  }

  private static void fail(SubmissionTree tree, String folder) throws IOException {
    tree.change(
        folder,
        verifyFile(tree, folder),
        text ->
            text.replace("TEST PASS", "TEST FAIL")
                .replace("EOS check pass: True", "EOS check pass: False"));
  }

  private static String verifyFile(SubmissionTree tree, String folder) {
    return tree.verifyFile(folder.substring(folder.indexOf('/') + 1));
  }

  private static Change answers(String from, String to) {
    return ofAudits(
        (tree, folder) ->
            tree.change(folder + "/accuracy", ANSWERS, text -> text.replace(from, to)));
  }

  /** Changes a compliance test. */
  @FunctionalInterface
  private interface ChangeOfAudit {
    void in(SubmissionTree tree, String folder) throws IOException;
  }

  private static Change ofAudits(ChangeOfAudit change) {
    return tree -> {
      for (String scenario : List.of("Offline", "Server")) {
        for (String audit : tree.of().audits().keySet()) {
          change.in(tree, scenario + "/" + audit);
        }
      }
    };
  }

  private static long need(@Nullable Number number) {
    return Objects.requireNonNull(number).longValue();
  }

  private static Change with(String folder, String key, String value) {
    return tree -> tree.with(folder, key, value);
  }

  private static Change log(UnaryOperator<String> change) {
    return tree -> tree.change(SERVER, DETAIL, change);
  }

  private static Change score(String from, String to) {
    return tree -> tree.change(OFFLINE_ACCURACY, ACCURACY, text -> text.replace(from, to));
  }

  private static Change below() {
    return tree ->
        tree.change(
            OFFLINE_ACCURACY,
            ACCURACY,
            text ->
                text.replace("38.7792", "38.39")
                    .replace("83.130", "82.298")
                    .replace("0.7903", "0.7823"));
  }

  private static Change noHash() {
    return tree ->
        tree.change(SERVER_ACCURACY, ACCURACY, text -> text.replaceAll("(?m)^hash=.*\\n", ""));
  }

  private static Change notCut() {
    return tree -> tree.write(SERVER_ACCURACY, ANSWERS, "[\n" + " ".repeat(10_240) + "]\n");
  }

  private static Change limit(String which) {
    Map<String, String> keys =
        Map.of(
            "ttft", "result_first_token_99.00_percentile_latency_ns",
            "tpot", "result_time_per_output_token_99.00_percentile_ns",
            "latency", "result_99.00_percentile_latency_ns");
    return tree -> {
      Limits limits = tree.of().rules("Server").limits();
      Double limit =
          switch (which) {
            case "ttft" -> limits.ttftMs();
            case "tpot" -> limits.tpotMs();
            default -> limits.latencyMs();
          };
      tree.with(
          SERVER,
          Objects.requireNonNull(keys.get(which)),
          SubmissionTree.nanoseconds(Objects.requireNonNull(limit)));
    };
  }

  private static SubmissionCase broken(
      String title, String rule, Predicate<Of> applies, Change change) {
    return new SubmissionCase(title, rule, applies, change);
  }

  private static SubmissionCase accepted(String title, Predicate<Of> applies, Change change) {
    return new SubmissionCase(title, "", applies, change);
  }

  private static SubmissionCase open(String title, Predicate<Of> applies, Change change) {
    return openBroken(title, "", applies, change);
  }

  private static SubmissionCase openBroken(
      String title, String rule, Predicate<Of> applies, Change change) {
    return new SubmissionCase(
        "open: " + title,
        rule,
        applies,
        tree -> {
          change.in(tree);
          tree.in(Division.OPEN);
        });
  }
}
