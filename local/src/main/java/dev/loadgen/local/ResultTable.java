package dev.loadgen.local;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.api.v1alpha1.RunResult;
import dev.loadgen.api.v1alpha1.Verdict;
import dev.loadgen.api.v1alpha1.VerdictReason;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The end of {@code loadgen run}: a line a run, then where reports are and what to change. */
final class ResultTable {
  private static final List<String> HEAD =
      List.of("RUN", "SCENARIO", "VERDICT", "RESULT", "TTFT p50/p99", "TPOT p50/p99", "TOKENS/S");

  private ResultTable() {}

  /**
   * Prints the table.
   *
   * @param folders the results folder of a run, if it has one
   */
  static void print(
      PrintWriter out, List<BenchmarkRun> runs, Function<BenchmarkRun, Optional<Path>> folders) {
    TextTable table = new TextTable().row(HEAD);
    runs.forEach(run -> table.row(row(run)));
    table.print(out, 0);
    out.println();
    for (BenchmarkRun run : runs) {
      details(out, run, folders.apply(run));
    }
    out.flush();
  }

  private static List<String> row(BenchmarkRun run) {
    BenchmarkRunStatus status = run.getStatus();
    RunResult result = status == null ? null : status.result();
    return List.of(
        run.getMetadata().getName(),
        String.valueOf(run.getSpec().scenario()),
        verdict(status),
        result == null || result.value() == null
            ? "-"
            : Texts.number(result.value()) + " " + result.unit(),
        milliseconds(result == null ? null : result.ttft()),
        milliseconds(result == null ? null : result.tpot()),
        result == null || result.tokensPerSecond() == null
            ? "-"
            : Texts.number(result.tokensPerSecond()));
  }

  private static String verdict(@Nullable BenchmarkRunStatus status) {
    if (status == null || status.phase() == null) {
      return "not started";
    }
    return switch (status.phase()) {
      case Completed -> String.valueOf(status.verdict());
      case Failed -> "failed";
      case Suspended -> "suspended";
      case Planned -> "planned only";
      case Pending, Running -> "not ended";
    };
  }

  private static String milliseconds(RunResult.@Nullable Percentiles percentiles) {
    return percentiles == null || percentiles.p50() == null || percentiles.p99() == null
        ? "-"
        : Texts.number(percentiles.p50()) + " / " + Texts.number(percentiles.p99()) + " ms";
  }

  private static void details(PrintWriter out, BenchmarkRun run, Optional<Path> folder) {
    BenchmarkRunStatus status = run.getStatus();
    if (status == null) {
      return;
    }
    out.println(run.getMetadata().getName());
    if (status.phase() == Phase.Failed) {
      Display.message(status.conditions(), ConditionTypes.FAILED)
          .ifPresent(message -> out.println("  " + message.strip().replace("\n", "\n    ")));
    }
    RunResult result = status.result();
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
    if (status.phase() == Phase.Completed && run.getSpec().mlflow() != null) {
      Display.message(status.conditions(), ConditionTypes.COMPLETE)
          .ifPresent(message -> out.println("  " + message));
    }
    if (status.verdict() != null && status.verdict() != Verdict.Valid) {
      for (VerdictReason reason : orEmpty(status.verdictReasons())) {
        out.println("  " + reason.rule() + ": " + reason.message());
        if (reason.fix() != null && !reason.fix().isEmpty()) {
          out.println("    fix: " + reason.fix());
        }
      }
    }
    folder.ifPresent(found -> out.println("  report   " + found.resolve("report.html")));
  }

  private static List<VerdictReason> orEmpty(@Nullable List<VerdictReason> reasons) {
    return reasons == null ? List.of() : reasons;
  }
}
