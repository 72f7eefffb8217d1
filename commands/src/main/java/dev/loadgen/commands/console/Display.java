package dev.loadgen.commands.console;

import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Progress;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Shows how backends and runs are: on a terminal one line each, redrawn in place; elsewhere a line
 * whenever something has changed, and for mere progress every few seconds. Not thread-safe.
 */
public final class Display {
  // Without it a line longer than the terminal would take two, and the next redraw would miss.
  private static final String NO_WRAP = "\u001b[?7l";
  private static final String WRAP = "\u001b[?7h";
  private static final int BAR = 20;
  private static final Duration PLAIN_INTERVAL = Duration.ofSeconds(3);

  private final PrintWriter out;
  private final boolean terminal;
  private final Map<String, String> shown = new HashMap<>();
  private final Map<String, Duration> shownAt = new HashMap<>();
  private int lines;

  /**
   * A display of nothing yet.
   *
   * @param terminal whether lines of {@code out} can be redrawn
   */
  public Display(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Shows the present state; {@code elapsed} since the start. */
  public void show(List<BackendView> backends, List<RunView> runs, Duration elapsed) {
    if (terminal) {
      redraw(backends, runs);
    } else {
      backends.forEach(
          backend ->
              plain(
                  "backend " + backend.name(),
                  backendState(backend),
                  backendState(backend),
                  elapsed));
      runs.forEach(run -> plain("run " + run.name(), stage(run), runState(run), elapsed));
    }
  }

  /** Leaves the lines as they are; what is printed next comes below them. */
  public void done() {
    lines = 0;
  }

  private void redraw(List<BackendView> backends, List<RunView> runs) {
    List<String> drawn = new ArrayList<>();
    int width =
        Stream.concat(backends.stream().map(BackendView::name), runs.stream().map(RunView::name))
            .mapToInt(String::length)
            .max()
            .orElse(0);
    for (BackendView backend : backends) {
      drawn.add("  backend  " + padded(backend.name(), width) + "  " + backendState(backend));
    }
    for (RunView run : runs) {
      drawn.add("  run      " + padded(run.name(), width) + "  " + bar(run) + runState(run));
    }
    StringBuilder screen = new StringBuilder(NO_WRAP);
    if (lines > 0) {
      screen.append("\u001b[").append(lines).append('A');
    }
    for (String line : drawn) {
      screen.append("\u001b[2K").append(line).append('\n');
    }
    lines = drawn.size();
    out.print(screen.append(WRAP));
    out.flush();
  }

  private void plain(String name, String stage, String state, Duration elapsed) {
    String before = shown.get(name + " stage");
    boolean newStage = !stage.equals(before);
    boolean due =
        !state.equals(shown.get(name))
            && elapsed
                    .minus(shownAt.getOrDefault(name, PLAIN_INTERVAL.negated()))
                    .compareTo(PLAIN_INTERVAL)
                >= 0;
    if (newStage || due) {
      out.printf("%6.1f s  %s: %s%n", elapsed.toMillis() / 1000.0, name, state);
      out.flush();
      shown.put(name, state);
      shown.put(name + " stage", stage);
      shownAt.put(name, elapsed);
    }
  }

  private static String backendState(BackendView backend) {
    if (backend.phase() == null) {
      return "Starting";
    }
    String ready =
        backend.replicas() == null
            ? ""
            : "  %d/%d ready".formatted(backend.readyReplicas(), backend.replicas());
    String why =
        switch (backend.phase()) {
          case Available, Idle -> "";
          case Failed ->
              "  " + Condition.text(backend.conditions(), ConditionTypes.FAILED).orElse("");
          case Starting ->
              "  " + Condition.text(backend.conditions(), ConditionTypes.AVAILABLE).orElse("");
        };
    return oneLine(backend.phase() + ready + why);
  }

  /** What, when it changes, is worth a line of its own. */
  private static String stage(RunView run) {
    String stage = run.progress() == null ? "" : String.valueOf(run.progress().stage());
    return run.phase() == Phase.Pending ? runState(run) : run.phase() + " " + stage;
  }

  private static String runState(RunView run) {
    if (run.phase() == null) {
      return "Pending";
    }
    return oneLine(
        switch (run.phase()) {
          case Pending -> "Pending  " + waitingFor(run).orElse("");
          case Suspended -> "Suspended";
          case Planned -> "Planned";
          case Running -> progress(run.progress());
          case Completed -> "Completed  " + run.verdict();
          case Failed ->
              "Failed  " + Condition.text(run.conditions(), ConditionTypes.FAILED).orElse("");
        });
  }

  private static String progress(@Nullable Progress progress) {
    if (progress == null || progress.stage() == null) {
      return "Starting";
    }
    if (progress.issued() == null || progress.issued() == 0) {
      return progress.stage();
    }
    StringBuilder text = new StringBuilder(progress.stage());
    text.append("  issued ").append(progress.issued());
    text.append("  completed ").append(orZero(progress.completed()));
    text.append("  failed ").append(orZero(progress.failed()));
    if (progress.total() != null) {
      text.append("  of ").append(progress.total());
    }
    if (progress.late() != null) {
      text.append("  late ").append(progress.late().samples());
      text.append("/").append(Math.max(0, progress.late().budget()));
    }
    if (progress.projection() != null) {
      text.append("  projection ").append(progress.projection());
    }
    if (progress.etaSeconds() != null) {
      text.append("  ETA ")
          .append(ReadableNumbers.duration(Duration.ofSeconds(progress.etaSeconds())));
    }
    return text.toString();
  }

  private static String bar(RunView run) {
    if (run.phase() != Phase.Running || run.progress() == null) {
      return "";
    }
    int percent = Optional.ofNullable(run.progress().percent()).orElse(0);
    int full = Math.clamp((long) percent * BAR / 100, 0, BAR);
    return "[" + "#".repeat(full) + "-".repeat(BAR - full) + "] %3d%%  ".formatted(percent);
  }

  /** The first condition that does not hold yet. */
  private static Optional<String> waitingFor(RunView run) {
    return Stream.of(
            ConditionTypes.RESOLVED_REFS, ConditionTypes.BACKEND_READY, ConditionTypes.ADMITTED)
        .flatMap(type -> run.condition(type).stream())
        .filter(condition -> !condition.holds())
        .map(Condition::message)
        .findFirst();
  }

  private static long orZero(@Nullable Number number) {
    return number == null ? 0 : number.longValue();
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\n\\s*", " | ");
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(width - text.length());
  }
}
