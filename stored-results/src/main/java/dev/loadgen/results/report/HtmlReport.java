package dev.loadgen.results.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.ProfilingTool;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.Percentiles;
import dev.loadgen.contract.RunResult.ReplicaResult;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.rules.evidence.ServerEvidence.TokenCount;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@code report.html} of a stored run: verdict, result, charts, servers, replicas, failures,
 * environment, plan. One file that loads nothing; its size does not grow with the samples.
 */
public final class HtmlReport {
  /** The report's name in a results folder. */
  public static final String FILE_NAME = "report.html";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final StoredRun run;
  private final RunPlan plan;
  private final RunSummary summary;
  private final String folder;
  private final Page page;

  private HtmlReport(StoredRun run, String folder) {
    this.run = run;
    this.plan = run.plan();
    this.summary = run.summary();
    this.folder = folder;
    this.page = new Page(plan.run().name());
  }

  /**
   * The whole file.
   *
   * @param folder the run's folder as seen from the report, ending with a slash; empty where the
   *     report is in it
   */
  public static String html(StoredRun run, String folder) {
    return new HtmlReport(run, folder).html();
  }

  private String html() {
    header();
    if (summary.result() != null) {
      result(page.section("result", "Result"), summary.result());
    }
    if (summary.result() != null && summary.result().compliance() != null) {
      page.section("compliance", "Compliance " + summary.result().compliance().test())
          .markup(ComplianceSection.html(summary.result().compliance()));
    }
    if (!run.accuracy().isEmpty()) {
      page.section("accuracy", "Accuracy").markup(AccuracySection.html(run.accuracy()));
    }
    SampleColumns samples = run.samples();
    if (samples != null && samples.size() > 0) {
      charts(samples);
      servers(new TimeAxis(samples.seconds()));
      failures(samples);
    }
    if (summary.result() != null) {
      replicas(summary.result());
      tokens(summary.result(), samples);
    }
    provenance();
    profiling();
    client(samples);
    if (!run.debugTokens().isEmpty() || !run.debugPhases().isEmpty()) {
      page.section("debug", "Debug mode")
          .markup(DebugSection.html(run.debugTokens(), run.debugPhases()));
    }
    environment();
    ObjectNode asked = JSON.valueToTree(plan);
    if (asked.get("server") instanceof ObjectNode server) {
      server.remove("provenance"); // has a section of its own
    }
    page.section("plan", "Plan").markup(Settings.html("Run", asked));
    loadGen();
    files();
    return page.html(
        "Made from the files of the results folder, by "
            + (run.environment().path("runnerVersion").asText("").isEmpty()
                ? "loadgen-operator"
                : "loadgen-operator, runner " + run.environment().path("runnerVersion").asText())
            + ".");
  }

  private void header() {
    Html header = page.header().open("header");
    header.element("h1", plan.run().name());
    int replicas = plan.server().replicas().size();
    header.element(
        "p",
        String.join(
            " · ",
            plan.test().benchmark(),
            plan.test().scenario()
                + " "
                + (plan.test().compliance() == null
                    ? plan.test().mode()
                    : plan.test().compliance()),
            "ruleset " + plan.test().ruleset(),
            plan.server().model(),
            plan.server().engine() + " " + plan.server().endpointType(),
            replicas == 1 ? "1 replica" : replicas + " replicas",
            "started " + summary.startedAt()),
        "class",
        "soft");
    verdict(header);
    header.close("header");
  }

  private void verdict(Html html) {
    RunSummary.Failure failure = summary.failure();
    String state =
        failure != null ? "Failed" : summary.verdict() == null ? "" : summary.verdict().name();
    html.open("div", "class", "verdict " + state);
    if (failure != null) {
      html.element("h2", Table.BAD + "Failed: " + failure.reason());
      html.element("p", failure.message());
    } else {
      html.element("h2", sign(summary.verdict()) + (state.isEmpty() ? "No verdict" : state));
    }
    if (summary.verdict() == Verdict.Valid) {
      html.element(
          "p",
          plan.test().compliance() == null
              ? "Every rule of ruleset " + plan.test().ruleset() + " that applies holds."
              : plan.test().compliance()
                  + " passes by the rules of "
                  + plan.test().ruleset()
                  + ". Its rates and latencies are not a result.");
    }
    if (plan.test().ruleset().equals("none")) {
      html.element(
          "p",
          "Ruleset none: LoadGen's own rules, with the settings of this run. This is not an MLPerf"
              + " result.",
          "class",
          "soft");
    }
    if (!summary.verdictReasons().isEmpty()) {
      html.open("dl", "class", "reasons");
      for (VerdictReason reason : summary.verdictReasons()) {
        html.element("dt", reason.rule()).open("dd").text(reason.message());
        if (reason.fix() != null && !reason.fix().isEmpty()) {
          html.element("span", reason.fix(), "class", "fix");
        }
        html.close("dd");
      }
      html.close("dl");
    }
    html.close("div");
  }

  private static String sign(@Nullable Verdict verdict) {
    if (verdict == null) {
      return "";
    }
    return switch (verdict) {
      case Valid -> Table.GOOD;
      case Invalid -> Table.BAD;
      case Inconclusive -> Table.OPEN;
    };
  }

  private void result(Html html, RunResult result) {
    html.open("div", "class", "figures");
    if (result.value() != null) {
      figure(
          html,
          "first",
          Numbers.number(result.value()),
          result.unit(),
          result.metric() + ", from LoadGen's log");
    }
    figure(html, "", Numbers.number(result.tokensPerSecond()), "tokens/s", "output tokens");
    figure(html, "", Numbers.number(result.samplesPerSecond()), "samples/s", "answered in full");
    figure(
        html, "", Numbers.number(result.durationSeconds()), "s", "first issue to last completion");
    figure(html, "", Numbers.count(result.completed()), "samples", "answered in full");
    figure(
        html,
        result.failed() > 0 ? "bad" : "",
        Numbers.count(result.failed()),
        "samples",
        "failed");
    if (result.retries() != null && result.retries() > 0) {
      figure(html, "", Numbers.count(result.retries()), "requests", "sent again after a failure");
    }
    html.close("div");
    Table latencies = new Table("", "mean", "p50", "p90", "p99", "max", "limit at p99");
    latency(latencies, "Time to first token", result.ttft(), run.limits().ttftMs());
    latency(latencies, "Time per output token", result.tpot(), run.limits().tpotMs());
    latency(latencies, "Latency", result.latency(), run.limits().latencyMs());
    html.markup(latencies);
    html.element(
        "p",
        "Of the samples answered in full; time to first token and latency from LoadGen's issue.",
        "class",
        "soft");
  }

  private static void figure(Html html, String style, String value, String unit, String label) {
    html.open("div", "class", style).open("b").text(value + " ").element("span", unit).close("b");
    html.element("small", label).close("div");
  }

  private static void latency(
      Table table, String name, @Nullable Percentiles p, @Nullable Double limit) {
    if (p == null) {
      table.row(name, "not measured", "", "", "", "", limit == null ? "" : Numbers.millis(limit));
      return;
    }
    Unit unit = Unit.ofMillis(p.max());
    List<String> cells = new ArrayList<>();
    for (Double millis : List.of(p.mean(), p.p50(), p.p90(), p.p99(), p.max())) {
      cells.add(Numbers.number(unit.of(millis)));
    }
    cells.add(
        limit == null
            ? ""
            : (p.p99() < limit ? Table.GOOD : Table.BAD) + Numbers.number(unit.of(limit)));
    table.row(name + ", " + unit.name(), cells.toArray(String[]::new));
  }

  private void charts(SampleColumns samples) {
    RunResult result = summary.result();
    TimeAxis time = new TimeAxis(samples.seconds());
    List<Latency> measured = new ArrayList<>();
    measured.add(
        new Latency(
            "Time to first token",
            samples::timesToFirstToken,
            SortedValues.of(samples.timesToFirstToken()),
            result == null ? null : result.ttft(),
            run.limits().ttftMs()));
    measured.add(
        new Latency(
            "Time per output token",
            samples::timesPerOutputToken,
            SortedValues.of(samples.timesPerOutputToken()),
            result == null ? null : result.tpot(),
            run.limits().tpotMs()));
    measured.add(
        new Latency(
            "Latency",
            samples::latencies,
            SortedValues.of(samples.latencies()),
            result == null ? null : result.latency(),
            run.limits().latencyMs()));
    measured.removeIf(latency -> latency.values().isEmpty());
    if (!measured.isEmpty()) {
      Html distributions = page.section("distributions", "Distributions");
      distributions.open("div", "class", "charts");
      for (Latency latency : measured) {
        distributions.markup(
            LatencyCharts.distribution(
                latency.name(), latency.values(), latency.percentiles(), latency.limit()));
      }
      distributions.close("div");
    }
    Html over = page.section("time", "Over time");
    over.open("div", "class", "charts");
    boolean atEnd = samples.issuedAtOnce();
    for (Latency latency : measured) {
      over.markup(
          LatencyCharts.overTime(
              latency.name(),
              time,
              atEnd ? samples.completions() : samples.issues(),
              latency.each().get(),
              latency.limit(),
              atEnd ? "by time of completion" : "by time of issue"));
    }
    over.markup(new LoadCharts(samples, time).all());
    over.close("div");
  }

  /** One kind of latency: of each sample, in order of size, and as the summary tells it. */
  private record Latency(
      String name,
      Supplier<double[]> each,
      SortedValues values,
      @Nullable Percentiles percentiles,
      @Nullable Double limit) {}

  private void failures(SampleColumns samples) {
    if (samples.failures().isEmpty()) {
      return;
    }
    Table table = new Table("kind", "samples", "where\t", "the first one\t");
    samples
        .failures()
        .forEach(
            (kind, seen) ->
                table.row(
                    kind,
                    Numbers.count(seen.count()),
                    seen.byReplica().entrySet().stream()
                        .map(
                            entry ->
                                (entry.getKey().isEmpty() ? "not sent" : entry.getKey())
                                    + ": "
                                    + Numbers.count(entry.getValue()))
                        .collect(Collectors.joining(", ")),
                    seen.example()));
    page.section("failures", "Failures").markup(table.toString());
  }

  private void servers(TimeAxis time) {
    if (run.serverMetrics().isEmpty()) {
      return;
    }
    ServerCharts servers = new ServerCharts(run.serverMetrics(), time);
    Html section = page.section("servers", "Servers");
    section
        .element(
            "p",
            "What the servers reported over the same time. Percentiles are estimates,"
                + " as coarse as the buckets of the servers' histograms.",
            "class",
            "soft")
        .open("div", "class", "charts")
        .markup(servers.charts())
        .close("div");
    String zero = servers.zeroThroughout();
    if (!zero.isEmpty()) {
      section.element("p", "Zero all the time: " + zero + ".", "class", "soft");
    }
    String totals = servers.totals();
    if (!totals.isEmpty()) {
      section.open("details").element("summary", "Totals of the whole test");
      section.markup(totals).close("details");
    }
  }

  private void replicas(RunResult result) {
    if (result.replicas() == null || result.replicas().isEmpty()) {
      return;
    }
    Table table =
        new Table(
            "replica",
            "answered",
            "failed",
            "output tokens",
            "TTFT p50",
            "TTFT p99",
            "latency p50",
            "latency p99",
            "errors\t",
            "taken out\t");
    for (ReplicaResult replica : result.replicas()) {
      Map<String, Long> errors = replica.errors() == null ? Map.of() : replica.errors();
      table.row(
          replica.name(),
          Numbers.count(replica.completed()),
          Numbers.count(replica.failed()),
          Numbers.count(replica.outputTokens()),
          Numbers.millis(replica.ttftP50()),
          Numbers.millis(replica.ttftP99()),
          Numbers.millis(replica.latencyP50()),
          Numbers.millis(replica.latencyP99()),
          errors.isEmpty()
              ? "none"
              : errors.entrySet().stream()
                  .map(error -> error.getKey() + " " + Numbers.count(error.getValue()))
                  .collect(Collectors.joining(", ")),
          replica.takenOut() == null ? "no" : replica.takenOut());
    }
    page.section("replicas", "Replicas").markup(table.toString());
  }

  private void tokens(RunResult result, @Nullable SampleColumns samples) {
    if (result.tokenCountSource() == null && run.tokenCounts().isEmpty()) {
      return;
    }
    Html html = page.section("tokens", "Tokens");
    if (result.tokenCountSource() != null) {
      html.open("p")
          .text(Numbers.count(result.outputTokens()) + " output tokens, counted by the server's ");
      html.element("code", result.tokenCountSource()).text(".").close("p");
    }
    if (!run.tokenCounts().isEmpty()) {
      Table audit = new Table("replica", "by the answers", "by the server's counter", "difference");
      for (TokenCount count : run.tokenCounts()) {
        Long server = count.server();
        audit.row(
            count.replica(),
            Numbers.count(count.ours()),
            server == null ? "not reported" : Numbers.count(server),
            server == null
                ? "–"
                : server == count.ours()
                    ? Table.GOOD + "none"
                    : Table.BAD + Numbers.count(server - count.ours()));
      }
      html.markup(audit.toString());
    }
    SortedValues tokens =
        samples == null ? SortedValues.of(new double[0]) : SortedValues.of(samples.outputTokens());
    if (samples != null && !tokens.isEmpty()) {
      html.open("p").text("Answers ended by ");
      html.text(
          samples.finishReasons().entrySet().stream()
              .map(
                  reason ->
                      (reason.getKey().isEmpty()
                              ? "a reason that was not recorded"
                              : reason.getKey())
                          + ": "
                          + Numbers.count(reason.getValue()))
              .collect(Collectors.joining(", ")));
      html.text(".").close("p");
      html.open("div", "class", "charts")
          .markup(LatencyCharts.tokens("Output tokens per answer", tokens))
          .close("div");
    }
  }

  private void provenance() {
    Provenance provenance = summary.provenance();
    if (provenance == null) {
      return;
    }
    Map<String, String> files = new LinkedHashMap<>();
    files.put(RunnerInterface.RUN_FILE, run.runYaml());
    files.put(RunnerInterface.BACKEND_FILE, run.backendYaml());
    page.section("provenance", "What was measured")
        .markup(new ProvenanceSection(provenance, summary.engine()).html(files));
  }

  private void profiling() {
    RunSummary.Profiling profiling = summary.profiling();
    if (profiling == null) {
      return;
    }
    Html html = page.section("profiling", "Profiling");
    html.open("p")
        .text(
            "The servers ran under the profiler "
                + profiling.tool()
                + ". Its traces are in claim ");
    html.element("code", profiling.claimName()).text(", below ");
    html.element("code", profiling.folder() + "/").text(", where each pod has a folder of its own");
    if (profiling.prefix() == null) {
      html.text("; they are of a server's whole life, and complete when it has ended.").close("p");
      return;
    }
    if (profiling.tool() == ProfilingTool.Nsys) {
      html.text("; its reports are counted, and the newest is this run's.").close("p");
    } else {
      html.text("; those of this run begin with ");
      html.element("code", profiling.prefix()).text(".").close("p");
    }
    Table table = new Table("replica", "recorded from", "to", "written after", "problem\t");
    for (RunSummary.Window window : profiling.windows()) {
      table.row(
          window.replica(),
          time(window.startedMs()),
          time(window.stoppedMs()),
          time(window.writtenMs()),
          window.problem() == null ? "" : Table.BAD + window.problem());
    }
    html.markup(table.toString());
    html.element("p", "Times are since the first query.", "class", "soft");
  }

  private static String time(@Nullable Long millis) {
    return millis == null ? "–" : Numbers.millis((double) millis);
  }

  private void client(@Nullable SampleColumns samples) {
    JsonNode client = run.environment().path("client");
    boolean sent = samples != null && !SortedValues.of(samples.sendDelays()).isEmpty();
    if (!sent && !client.isObject()) {
      return;
    }
    Html html = page.section("client", "The client itself");
    html.element(
        "p",
        "Whether the client limited the result: the time from a sample's issue until its request"
            + " was ready, how busy its event loops were, and what the process used during the"
            + " test.",
        "class",
        "soft");
    if (samples != null && sent) {
      SortedValues delays = SortedValues.of(samples.sendDelays());
      html.markup(
          new Table("", "mean", "p50", "p90", "p99", "max")
              .row(
                  "Issue to request",
                  Numbers.millis(delays.mean()),
                  Numbers.millis(delays.percentile(50)),
                  Numbers.millis(delays.percentile(90)),
                  Numbers.millis(delays.percentile(99)),
                  Numbers.millis(delays.max())));
    }
    if (client instanceof ObjectNode all) {
      ObjectNode others = all.deepCopy();
      lanes(html, others.remove("lanes"));
      html.markup(Settings.html("During the test", others));
    }
  }

  private static void lanes(Html html, @Nullable JsonNode lanes) {
    if (lanes == null || lanes.isEmpty()) {
      return;
    }
    Table table =
        new Table(
            "carries requests",
            "busy",
            "busy, p95 of seconds",
            "wait for it, mean",
            "wait, p99",
            "wait, max");
    for (JsonNode lane : lanes) {
      table.row(
          lane.path("name").asText(),
          share(lane.path("busyShare")),
          share(lane.path("busyP95")),
          Numbers.millis(lane.path("lagMeanMs").asDouble()),
          Numbers.millis(lane.path("lagP99Ms").asDouble()),
          Numbers.millis(lane.path("lagMaxMs").asDouble()));
    }
    html.markup(table.toString());
  }

  private static String share(JsonNode share) {
    return share.isNumber() ? Numbers.percent(share.asDouble()) : "–";
  }

  private void environment() {
    if (run.environment() instanceof ObjectNode all && !all.isEmpty()) {
      ObjectNode others = all.deepCopy();
      others.remove("client");
      others.remove(
          List.of(
              StoredProvenance.ENDED, StoredProvenance.ENGINE, StoredProvenance.ENGINE_CHANGES));
      page.section("environment", "Environment").markup(Settings.html("Client", others));
    }
  }

  private void loadGen() {
    if (!run.loadGenSummary().isEmpty()) {
      page.section("loadgen", "LoadGen's summary").element("pre", run.loadGenSummary());
    }
  }

  private void files() {
    if (run.files().isEmpty()) {
      return;
    }
    Html html = page.section("files", "Files");
    html.open("div", "class", "scroll").open("table").open("tbody");
    for (String file : run.files()) {
      html.open("tr").open("td").element("a", file, "href", folder + file).close("td");
      html.element("td", FolderFiles.what(file), "class", "text").close("tr");
    }
    html.close("tbody").close("table").close("div");
    if (summary.serverLogs() != null) {
      html.element("p", "Server logs: " + summary.serverLogs(), "class", "soft");
    }
  }
}
