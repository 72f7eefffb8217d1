package dev.loadgen.commands.console;

import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.VerdictReason;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What runs came to: a line a run, then where reports are and what to change. */
public final class ResultTable {
  private static final List<String> HEAD =
      List.of("RUN", "SCENARIO", "VERDICT", "RESULT", "TTFT p50/p99", "TPOT p50/p99", "TOKENS/S");

  private ResultTable() {}

  /**
   * Prints the table.
   *
   * @param reports where the report of a run is, in words, if it has one
   */
  public static void print(
      PrintWriter out, List<RunView> runs, Function<RunView, Optional<String>> reports) {
    TextTable table = new TextTable().row(HEAD);
    runs.forEach(run -> table.row(row(run)));
    table.print(out, 0);
    out.println();
    for (RunView run : runs) {
      details(out, run, reports.apply(run));
    }
    out.flush();
  }

  private static List<String> row(RunView run) {
    RunResult result = run.result();
    return List.of(
        run.name(),
        String.valueOf(run.scenario()),
        verdict(run),
        result == null || result.value() == null
            ? "-"
            : ReadableNumbers.number(result.value()) + " " + result.unit(),
        milliseconds(result == null ? null : result.ttft()),
        milliseconds(result == null ? null : result.tpot()),
        result == null || result.tokensPerSecond() == null
            ? "-"
            : ReadableNumbers.number(result.tokensPerSecond()));
  }

  private static String verdict(RunView run) {
    if (run.phase() == null) {
      return "not started";
    }
    return switch (run.phase()) {
      case Completed -> String.valueOf(run.verdict());
      case Failed -> "failed";
      case Suspended -> "suspended";
      case Planned -> "planned only";
      case Pending, Running -> "not ended";
    };
  }

  private static String milliseconds(RunResult.@Nullable Percentiles percentiles) {
    return percentiles == null || percentiles.p50() == null || percentiles.p99() == null
        ? "-"
        : ReadableNumbers.number(percentiles.p50())
            + " / "
            + ReadableNumbers.number(percentiles.p99())
            + " ms";
  }

  private static void details(PrintWriter out, RunView run, Optional<String> report) {
    if (run.phase() == null) {
      return;
    }
    out.println(run.name());
    if (run.phase() == Phase.Failed) {
      Condition.text(run.conditions(), ConditionTypes.FAILED)
          .ifPresent(message -> out.println("  " + message.strip().replace("\n", "\n    ")));
    }
    RunResult result = run.result();
    if (result != null && result.completed() != null) {
      out.printf(
          "  samples  %d answered, %d failed%n",
          result.completed(), result.failed() == null ? 0 : result.failed());
    }
    if (result != null && result.accuracy() != null) {
      for (RunResult.AccuracyScore score : result.accuracy()) {
        out.printf(
            "  %s %s%s%n",
            score.name(),
            score.value(),
            score.target() == null ? "" : ", at least " + score.target() + " is asked for");
      }
    }
    if (run.phase() == Phase.Planned || (run.phase() == Phase.Completed && run.exported())) {
      Condition.text(run.conditions(), ConditionTypes.COMPLETE)
          .ifPresent(message -> out.println("  " + message));
    }
    if (run.verdict() != null) {
      for (VerdictReason reason : run.verdictReasons()) {
        out.println("  " + reason.rule() + ": " + reason.message());
        if (reason.fix() != null && !reason.fix().isEmpty()) {
          out.println("    fix: " + reason.fix());
        }
      }
    }
    report.ifPresent(found -> out.println("  report   " + found));
  }
}
