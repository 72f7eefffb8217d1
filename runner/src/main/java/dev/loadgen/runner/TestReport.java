package dev.loadgen.runner;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.results.Measurement;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.results.SampleTable;
import dev.loadgen.results.metrics.ServerMetricsFile;
import dev.loadgen.results.report.HtmlReport;
import dev.loadgen.results.report.StoredCompliance;
import dev.loadgen.results.report.StoredProvenance;
import dev.loadgen.results.report.StoredRun;
import dev.loadgen.results.report.StoredVerdict;
import dev.loadgen.results.report.UnreadableRunException;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Metric;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.runner.debug.DebugFiles;
import dev.loadgen.runner.metrics.MetricsScraper;
import dev.loadgen.runner.provenance.EngineAudit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a test came to, as its results folder and its summary have it.
 *
 * @param measured what LoadGen ran; null: the test did not come to that
 * @param accuracy the scores of its answers; null: there are none
 * @param missingServerLogs which logs are missing, and why; null: none
 */
record TestReport(
    TestContext context,
    @Nullable MeasuredSession measured,
    @Nullable List<AccuracyScore> accuracy,
    @Nullable String missingServerLogs) {
  private static final Logger LOG = LoggerFactory.getLogger(TestReport.class);

  /**
   * Writes what there is to the folder, and says how the test ended.
   *
   * @param failure why the test did not run to its end; null if it did
   */
  RunSummary write(@Nullable RunFailedException failure, Instant startedAt) throws IOException {
    EnvironmentFacts environment = context.environment();
    ResultsFolder folder = context.folder();
    RunPlan plan = context.plan();
    if (context.time().limit().toMillis() != plan.timeouts().runMs()) {
      environment.put("runTimeoutRaisedToMs", context.time().limit().toMillis());
    }
    Measurement measurement = measured == null ? null : measured.measurement();
    if (measured != null && measurement != null) {
      writeMeasured(measured, measurement);
    }
    folder.write(ResultsFolder.ENVIRONMENT, environment.json());
    RunSummary summary = summary(failure, measurement, startedAt);
    folder.write(ResultsFolder.SUMMARY, ContractJson.writePretty(summary) + "\n");
    writeHtml();
    log(summary);
    return summary;
  }

  private void writeMeasured(MeasuredSession session, Measurement measurement) throws IOException {
    EnvironmentFacts environment = context.environment();
    ResultsFolder folder = context.folder();
    environment.put("concurrency", session.concurrency());
    environment.put("client", session.usage());
    EngineAudit engines = session.engines();
    environment.put(StoredProvenance.ENGINE, engines.facts(folder.path()));
    if (!engines.changes().isEmpty()) {
      environment.put(StoredProvenance.ENGINE_CHANGES, engines.changes());
    }
    List<SampleRecord> samples = measurement.samples();
    long origin = samples.isEmpty() ? System.nanoTime() : samples.getFirst().issued();
    keepServerMetrics(session.metrics(), origin);
    if (context.plan().debug()) {
      new DebugFiles(folder).samples(measurement, context.replicas(), session::promptTokens);
    }
    SampleTable.write(folder.path().resolve(ResultsFolder.REQUESTS), samples, context.replicas());
    if (!samples.isEmpty()) {
      environment.put("firstIssueNanoTime", origin);
    }
  }

  /** What the servers said is no part of the verdict, so its loss is told and not more. */
  private void keepServerMetrics(MetricsScraper read, long origin) {
    read.close();
    context.environment().put("serverMetrics", read.readings());
    Path file = context.folder().path().resolve(ServerMetricsFile.NAME);
    try {
      Files.createDirectories(file.getParent());
      ServerMetricsFile.write(file, read.metrics(origin));
    } catch (IOException e) {
      LOG.warn("{} cannot be written: {}", ServerMetricsFile.NAME, e.toString());
    }
  }

  /** A report can be made again, a test of hours cannot: without its report it still has ended. */
  private void writeHtml() throws IOException {
    ResultsFolder folder = context.folder();
    try {
      folder.write(HtmlReport.FILE_NAME, HtmlReport.html(StoredRun.read(folder.path()), ""));
    } catch (UnreadableRunException | RuntimeException e) {
      LOG.error("no {}; make it with: loadgen report FOLDER", HtmlReport.FILE_NAME, e);
    }
  }

  private RunSummary summary(
      @Nullable RunFailedException failure, @Nullable Measurement measurement, Instant startedAt)
      throws IOException {
    RunPlan plan = context.plan();
    Path folder = context.folder().path();
    RunSummary.Failure failed =
        failure == null
            ? null
            : new RunSummary.Failure(failure.exit().reason(), String.valueOf(failure.getMessage()));
    DetailLog log = null;
    if (failed == null && measurement != null) {
      try {
        log = DetailLog.read(folder.resolve(DetailLog.FILE_NAME));
      } catch (UnreadableLogException e) {
        failed = new RunSummary.Failure(Reasons.LOADGEN_FAILED, String.valueOf(e.getMessage()));
      }
    }
    Metric metric = log == null ? null : log.headlineMetric(plan.test().scenario()).orElse(null);
    RunResult result = measurement == null ? null : measurement.result(metric, accuracy);
    try {
      Judgement judgement =
          log != null && result != null
              ? StoredVerdict.judge(folder, plan, result, Ruleset.named(plan.test().ruleset()), log)
              : null;
      if (judgement != null && result != null && plan.test().compliance() != null) {
        result =
            result.withCompliance(
                StoredCompliance.conclude(context.folder(), plan, judgement.verdict()));
      }
      StoredProvenance known = StoredProvenance.read(folder, plan);
      return RunSummaryBuilder.builder()
          .version(RunSummary.VERSION)
          .failure(failed)
          .verdict(judgement == null ? null : judgement.verdict())
          .verdictReasons(judgement == null ? List.of() : reasons(judgement))
          .result(result)
          .resultsPath(context.folder().relativePath())
          .startedAt(startedAt.truncatedTo(ChronoUnit.SECONDS).toString())
          .finishedAt(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
          .serverLogs(missingServerLogs)
          .profiling(measured == null ? null : measured.profiled())
          .provenance(known.provenance())
          .engine(known.engine())
          .build();
    } catch (UnreadableRunException e) {
      throw new IOException("what was just written cannot be read: " + e.getMessage(), e);
    }
  }

  private static List<VerdictReason> reasons(Judgement judgement) {
    return judgement.findings().stream().map(Finding::reason).toList();
  }

  private static void log(RunSummary summary) {
    if (summary.failure() != null) {
      LOG.error("{}: {}", summary.failure().reason(), summary.failure().message());
    } else {
      LOG.info("verdict: {}", summary.verdict());
      summary.verdictReasons().forEach(r -> LOG.info("{}: {}; {}", r.rule(), r.message(), r.fix()));
    }
  }
}
