package dev.loadgen.local;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.commands.BadInputException;
import dev.loadgen.commands.ExplainedFinding;
import dev.loadgen.commands.InputFile;
import dev.loadgen.commands.OutputFormat;
import dev.loadgen.commands.Surroundings;
import dev.loadgen.commands.console.TextTable;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Verdict;
import dev.loadgen.datasets.Dataset;
import dev.loadgen.datasets.DatasetException;
import dev.loadgen.datasets.DatasetOptions;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.local.manifest.ManifestReader;
import dev.loadgen.local.manifest.Manifests;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.operator.run.RunForecasts;
import dev.loadgen.operator.run.RunForecasts.ReadDataset;
import dev.loadgen.operator.run.RunSpecProblems;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.forecast.Forecast;
import dev.loadgen.rules.ruleset.Checksums;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen plan}: says what runs would be, and starts nothing. */
@Command(
    name = "plan",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Predict what the runs in the given manifests will do: samples, duration, late-query budget"
          + " and rule violations.",
      "Starts nothing; needs no cluster and no server."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:no rule violation is known before the test",
      "1:a run is bound to break a rule, whatever the servers do",
      "2:the manifests or options cannot be used"
    })
final class PlanCommand implements Callable<Integer> {
  private static final int REJECTED = 1;

  private final Surroundings surroundings;

  @Mixin private final ManifestFiles files = new ManifestFiles();

  @Option(
      names = "--dataset",
      paramLabel = "FILE",
      description =
          "The dataset of the runs, for its number of samples and its checksum. Default: the"
              + " benchmark's own number.")
  private @Nullable Path dataset;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private OutputFormat output = OutputFormat.table;

  PlanCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  private record Planned(BenchmarkRun run, Forecast forecast, List<String> warnings) {}

  @Override
  public Integer call() throws BadInputException, DatasetException {
    Manifests manifests =
        files.read(
            new ManifestReader.Rules(RunSpecProblems::of, BackendSpecProblems::of, false),
            List.of(),
            surroundings);
    List<BenchmarkRun> runs =
        manifests
            .ofKind("BenchmarkRun")
            .map(each -> Serialization.unmarshal(each.object().toString(), BenchmarkRun.class))
            .toList();
    if (runs.isEmpty()) {
      throw new BadInputException("-f: there is no BenchmarkRun in " + files);
    }
    ReadDataset read = dataset();
    List<InferenceBackend> backends =
        manifests
            .ofKind("InferenceBackend")
            .map(each -> Serialization.unmarshal(each.object().toString(), InferenceBackend.class))
            .toList();
    List<Planned> planned = runs.stream().map(run -> plan(run, backends, read)).toList();
    PrintWriter out = surroundings.out();
    switch (output) {
      case json -> out.println(json(planned));
      case table -> print(out, planned);
    }
    out.flush();
    return planned.stream().allMatch(each -> each.forecast().judgement().objections().isEmpty())
        ? 0
        : REJECTED;
  }

  private @Nullable ReadDataset dataset() throws BadInputException, DatasetException {
    if (dataset == null) {
      return null;
    }
    Dataset read =
        Dataset.read(
            InputFile.option("--dataset", dataset).existing(),
            DatasetOptions.DEFAULTS.withoutPrompt());
    return new ReadDataset(read.size(), new Checksums(read.sha256(), read.md5()));
  }

  private static Planned plan(
      BenchmarkRun run, List<InferenceBackend> backends, @Nullable ReadDataset read) {
    InferenceBackend named =
        backends.stream()
            .filter(each -> each.getMetadata().getName().equals(RunBackends.nameOrNull(run)))
            .filter(
                each ->
                    Objects.equals(
                        each.getMetadata().getNamespace(), run.getMetadata().getNamespace()))
            .findFirst()
            .orElse(null);
    Forecast forecast = RunForecasts.of(run, named, read);
    return new Planned(run, forecast, RunForecasts.warnings(run.getSpec(), forecast));
  }

  private static void print(PrintWriter out, List<Planned> planned) {
    TextTable table =
        new TextTable()
            .row(
                "RUN",
                "BENCHMARK",
                "SCENARIO",
                "MODE",
                "RULESET",
                "SAMPLES",
                "QUERIES",
                "TAKES",
                "MAY BE LATE",
                "REJECTED FOR");
    for (Planned each : planned) {
      BenchmarkRunSpec spec = each.run().getSpec();
      Forecast forecast = each.forecast();
      table.row(
          each.run().getMetadata().getName(),
          spec.benchmark().id(),
          spec.scenario().name(),
          spec.modeOrDefault().name(),
          spec.rulesetOrDefault(),
          (forecast.load().exact() ? "" : "about ") + forecast.load().samples(),
          String.valueOf(forecast.queries()),
          takes(forecast),
          forecast.lateBudget() == null
              ? "-"
              : forecast.lateBudget() < 0 ? "too short" : String.valueOf(forecast.lateBudget()),
          forecast.judgement().objections().isEmpty()
              ? "nothing"
              : String.join(
                  ", ", forecast.judgement().objections().stream().map(Finding::rule).toList()));
    }
    table.print(out, 0);
    for (Planned each : planned) {
      List<Finding> findings = each.forecast().judgement().objections();
      List<String> notes = notes(each.forecast());
      if (findings.isEmpty() && each.warnings().isEmpty() && notes.isEmpty()) {
        continue;
      }
      out.printf("%n%s%n", each.run().getMetadata().getName());
      for (Finding finding : findings) {
        out.printf(
            "  %s: %s%n    fix:    %s%n    source: %s%n",
            finding.rule(), finding.message(), finding.fix(), finding.source());
      }
      each.warnings().forEach(warning -> out.println("  warning: " + warning));
      notes.forEach(note -> out.println("  note: " + note));
    }
  }

  /** What to know that keeps nothing from being Valid. */
  private static List<String> notes(Forecast forecast) {
    List<String> notes = new ArrayList<>();
    if (forecast.datasetAssumed()) {
      notes.add(
          "the dataset was not read; the benchmark's own size is assumed. Give --dataset to read it");
    }
    forecast.judgement().findings().stream()
        .filter(finding -> finding.effect() == Verdict.Valid)
        .map(Finding::message)
        .forEach(notes::add);
    return notes;
  }

  /** How long a test takes; Offline and SingleStream depend on the servers. */
  private static String takes(Forecast forecast) {
    Duration duration = Duration.ofMillis(forecast.load().durationMs());
    long minutes = duration.toMinutes();
    return minutes < 60
        ? "%d:%02d min".formatted(minutes, duration.toSecondsPart())
        : "%d:%02d h".formatted(minutes / 60, minutes % 60);
  }

  private static String json(List<Planned> planned) {
    return ContractJson.writePretty(
        new Document(
            planned.stream()
                .map(
                    each ->
                        PlanCommandDocumentRunBuilder.builder()
                            .name(each.run().getMetadata().getName())
                            .samples(each.forecast().load().samples())
                            .queries(each.forecast().queries())
                            .samplesPerQuery(each.forecast().samplesPerQuery())
                            .durationSeconds(each.forecast().load().durationMs() / 1e3)
                            .exact(each.forecast().load().exact())
                            .datasetAssumed(each.forecast().datasetAssumed())
                            .lateBudget(each.forecast().lateBudget())
                            .rejections(
                                each.forecast().judgement().objections().stream()
                                    .map(ExplainedFinding::of)
                                    .toList())
                            .warnings(each.warnings())
                            .build())
                .toList()));
  }

  private record Document(List<DocumentRun> runs) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  record DocumentRun(
      String name,
      long samples,
      long queries,
      long samplesPerQuery,
      double durationSeconds,
      boolean exact,
      boolean datasetAssumed,
      @Nullable Long lateBudget,
      List<ExplainedFinding> rejections,
      List<String> warnings) {}
}
