package dev.loadgen.results.report;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.EngineFacts;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.results.Measurement;
import dev.loadgen.results.NamedServer;
import dev.loadgen.results.Records;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.results.SampleTable;
import dev.loadgen.rules.evidence.ServerEvidence.TokenCount;
import dev.loadgen.rules.log.Metric;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Results folders for tests of what is read from them, as a run would write them. */
final class StoredFolder {
  private final Path root;
  private RunPlan plan = new PlanBuilder().replica("http://127.0.0.1:1").build();
  private String replica = "server-0";
  private @Nullable List<SampleRecord> samples;
  private @Nullable List<AccuracyScore> scores;
  private RunSummary.@Nullable Failure failure;
  private List<VerdictReason> reasons = List.of();
  private RunSummary.@Nullable Profiling profiling;
  private @Nullable Provenance provenance;
  private @Nullable EngineFacts engine;
  private final Map<String, String> files = new LinkedHashMap<>();
  private Map<String, Object> environment = Map.of("runnerVersion", "test");

  StoredFolder(Path root) {
    this.root = root;
  }

  StoredFolder plan(PlanBuilder builder) {
    plan = builder.build();
    return this;
  }

  StoredFolder replica(String name) {
    replica = name;
    return this;
  }

  StoredFolder samples(List<SampleRecord> records) {
    samples = records;
    return this;
  }

  StoredFolder scores(List<AccuracyScore> values) {
    scores = values;
    return this;
  }

  StoredFolder failure(String reason, String message) {
    failure = new RunSummary.Failure(reason, message);
    return this;
  }

  StoredFolder reason(String rule, String message, String fix) {
    reasons = List.of(new VerdictReason(rule, message, fix));
    return this;
  }

  StoredFolder profiling(RunSummary.Profiling recorded) {
    profiling = recorded;
    return this;
  }

  /** What was measured, and what the servers say of it. */
  StoredFolder provenance(Provenance seen, @Nullable EngineFacts told) {
    provenance = seen;
    engine = told;
    return this;
  }

  StoredFolder environment(Map<String, Object> values) {
    environment = values;
    return this;
  }

  /** One more file. */
  StoredFolder file(String path, String content) {
    files.put(path, content);
    return this;
  }

  /** So many streamed samples a millisecond apart, of which one in fifty fails. */
  static List<SampleRecord> streamed(int count, String message) {
    Random random = new Random(1);
    List<SampleRecord> samples = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      double first = i + 5 + 20 * random.nextDouble();
      samples.add(
          i % 50 == 49
              ? Records.failed(
                  i, 0, i, i + 9, new RequestFailure(RequestFailure.Kind.BROKEN, message))
              : Records.streamed(i, 0, i, first, first + 100 * random.nextDouble(), 2 + i % 30));
    }
    return samples;
  }

  /** Writes and publishes the folder. */
  Path publish() {
    try {
      ResultsFolder folder = ResultsFolder.create(root, plan.run());
      Measurement measurement = null;
      if (samples != null) {
        List<NamedServer> replicas = List.of(new NamedServer(0, replica));
        measurement = new Measurement(samples, replicas, 0);
        SampleTable.write(folder.path().resolve("requests.csv.gz"), samples, replicas);
        folder.write(
            "server/tokens.json",
            ContractJson.writePretty(
                List.of(
                    new TokenCount(
                        replica, measurement.outputTokens(), measurement.outputTokens() + 7))));
        folder.write("mlperf_log_summary.txt", "MLPerf Results Summary\n");
      }
      for (Map.Entry<String, String> file : files.entrySet()) {
        folder.write(file.getKey(), file.getValue());
      }
      folder.write("plan.json", ContractJson.writePretty(plan));
      folder.write("environment.json", ContractJson.writePretty(environment));
      RunSummary summary = summary(measurement, folder);
      folder.write("summary.json", ContractJson.writePretty(summary));
      folder.publish(plan, summary, null);
      return root.resolve(folder.relativePath());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes, publishes and reads the folder. */
  StoredRun read() throws UnreadableRunException {
    return StoredRun.readPublished(publish());
  }

  /** The report of the folder. */
  String report() throws UnreadableRunException {
    return HtmlReport.html(read(), "");
  }

  /** Replaces a file, in the manifest too, as if the run had written it so. */
  static void rewrite(Path folder, String file, String content) throws IOException {
    Files.writeString(folder.resolve(file), content);
    Path path = folder.resolve(ResultsFolder.MANIFEST);
    ResultsFolder.Manifest manifest =
        ContractJson.read(Files.readString(path), ResultsFolder.Manifest.class);
    List<ResultsFolder.Manifest.Entry> entries = new ArrayList<>();
    for (ResultsFolder.Manifest.Entry entry : manifest.files()) {
      entries.add(entry.path().equals(file) ? entry(file, content) : entry);
    }
    Files.writeString(
        path, ContractJson.writePretty(new ResultsFolder.Manifest(manifest.version(), entries)));
  }

  private static ResultsFolder.Manifest.Entry entry(String file, String content) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    try {
      byte[] sha256 = MessageDigest.getInstance("SHA-256").digest(bytes);
      return new ResultsFolder.Manifest.Entry(file, bytes.length, HexFormat.of().formatHex(sha256));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private RunSummary summary(@Nullable Measurement measurement, ResultsFolder folder) {
    return RunSummaryBuilder.builder()
        .version(RunSummary.VERSION)
        .failure(failure)
        .verdict(failure != null ? null : reasons.isEmpty() ? Verdict.Valid : Verdict.Invalid)
        .verdictReasons(reasons)
        .result(
            measurement == null
                ? null
                : measurement.result(new Metric("tokens_per_second", 1234.5, "tokens/s"), scores))
        .resultsPath(folder.relativePath())
        .startedAt("2026-01-01T00:00:00Z")
        .finishedAt("2026-01-01T00:01:00Z")
        .profiling(profiling)
        .provenance(provenance)
        .engine(engine)
        .build();
  }
}
