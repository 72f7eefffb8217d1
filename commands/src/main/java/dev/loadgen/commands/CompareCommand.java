package dev.loadgen.commands;

import dev.loadgen.commands.console.ReadableNumbers;
import dev.loadgen.commands.console.TextTable;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.results.report.ComparedRun;
import dev.loadgen.results.report.Comparison;
import dev.loadgen.results.report.Comparison.Difference;
import dev.loadgen.results.report.Comparison.Metric;
import dev.loadgen.results.report.Comparison.Run;
import dev.loadgen.results.report.HtmlComparison;
import dev.loadgen.results.report.UnreadableRunException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadgen compare}: runs side by side. */
@Command(
    name = "compare",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Compare runs: what was measured, and which settings differ.",
      "Differences are relative to the first run."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:the runs were compared, whatever the outcome",
      "2:a run cannot be read, or the options cannot be used"
    })
final class CompareCommand implements Callable<Integer> {
  /** Runs are labelled by one letter. */
  private static final int MOST_RUNS = 26;

  private final Surroundings surroundings;

  @Parameters(
      arity = "2..*",
      paramLabel = "RUN",
      description =
          "Results folders, NAMESPACE/RUN/UID below the results; or summary.json files, which come"
              + " without plans.")
  private List<Path> runs = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "What is printed: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private OutputFormat format = OutputFormat.table;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description =
          "Also write a page that plots the runs' distributions together; an existing file is"
              + " replaced.")
  private @Nullable Path html;

  CompareCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws UnreadableRunException, BadInputException {
    if (runs.size() > MOST_RUNS) {
      throw new BadInputException(runs.size() + " runs; compare at most " + MOST_RUNS + " at once");
    }
    List<ComparedRun> compared = new ArrayList<>();
    for (Path run : runs) {
      compared.add(ComparedRun.read(run));
    }
    Comparison comparison = Comparison.of(compared);
    if (html != null) {
      OutputFile page = OutputFile.of("--html", html);
      for (Path run : runs) {
        page.outside(run);
      }
      page.write(HtmlComparison.html(comparison, compared));
    }
    PrintWriter out = surroundings.out();
    if (format == OutputFormat.json) {
      out.println(ContractJson.writePretty(comparison));
    } else {
      print(out, comparison);
    }
    out.flush();
    return 0;
  }

  private void print(PrintWriter out, Comparison comparison) {
    TextTable named = new TextTable();
    for (Run run : comparison.runs()) {
      named.row(
          run.label(),
          run.name(),
          run.verdict(),
          run.path() + (run.planKnown() ? "" : "  (only a summary: its plan is not known)"));
    }
    named.print(out, 0);
    differences(out, "NOT COMPARABLE", comparison, comparison.incomparable());
    out.println();
    metrics(comparison).print(out, 0);
    differences(out, "PLAN", comparison, comparison.plans());
    differences(out, "MEASURED", comparison, comparison.provenance());
    differences(out, "ENVIRONMENT", comparison, comparison.environments());
    if (html != null) {
      out.println();
      out.println("page     " + html);
    }
  }

  private static void differences(
      PrintWriter out, String heading, Comparison comparison, List<Difference> differences) {
    if (differences.isEmpty()) {
      return;
    }
    List<String> head = new ArrayList<>(List.of(heading));
    comparison.runs().forEach(run -> head.add(run.label()));
    TextTable table = new TextTable().row(head);
    for (Difference difference : differences) {
      List<String> row = new ArrayList<>(List.of(difference.field()));
      difference.values().forEach(value -> row.add(value == null ? "-" : value.replace('\n', ' ')));
      table.row(row);
    }
    out.println();
    table.print(out, 0);
  }

  private static TextTable metrics(Comparison comparison) {
    List<String> head = new ArrayList<>(List.of("METRIC", "UNIT"));
    for (Run run : comparison.runs()) {
      head.add(run.label());
      if (head.size() > 3) {
        head.add(run.label() + " TO " + comparison.runs().getFirst().label());
      }
    }
    TextTable table = new TextTable().row(head);
    for (Metric metric : comparison.metrics()) {
      List<String> row = new ArrayList<>(List.of(metric.name(), metric.unit()));
      for (int i = 0; i < metric.values().size(); i++) {
        Double value = metric.values().get(i);
        row.add(value == null ? "-" : number(metric, value));
        if (i > 0) {
          row.add(change(metric, i));
        }
      }
      table.row(row);
    }
    return table;
  }

  private static String number(Metric metric, double value) {
    boolean counted = metric.unit().equals("samples") || metric.unit().equals("requests");
    return counted ? String.format(Locale.ROOT, "%.0f", value) : ReadableNumbers.number(value);
  }

  private static String change(Metric metric, int i) {
    Double percent = metric.differencePercent().get(i);
    String change = percent == null ? "" : String.format(Locale.ROOT, "%+.1f %%", percent);
    return switch (metric.standing().get(i)) {
      case BETTER -> (change + " better").strip();
      case WORSE -> (change + " worse").strip();
      case SAME -> "same";
      case UNKNOWN -> change.isEmpty() ? "-" : change;
    };
  }
}
