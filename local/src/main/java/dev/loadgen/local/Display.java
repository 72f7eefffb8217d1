package dev.loadgen.local;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.Phase;
import io.fabric8.kubernetes.api.model.Condition;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shows how backends and runs are: on a terminal one line each, redrawn in place; elsewhere a line
 * whenever something has changed, and for mere progress every few seconds. Not thread-safe.
 */
final class Display {
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

  Display(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Shows the present state; {@code elapsed} since the start. */
  void show(List<InferenceBackend> backends, List<BenchmarkRun> runs, Duration elapsed) {
    if (terminal) {
      redraw(backends, runs);
    } else {
      backends.forEach(
          backend ->
              plain(
                  "backend " + name(backend),
                  backendState(backend),
                  backendState(backend),
                  elapsed));
      runs.forEach(run -> plain("run " + name(run), stage(run), runState(run), elapsed));
    }
  }

  /** Leaves the lines as they are; what is printed next comes below them. */
  void done() {
    lines = 0;
  }

  private void redraw(List<InferenceBackend> backends, List<BenchmarkRun> runs) {
    List<String> drawn = new ArrayList<>();
    int width =
        java.util.stream.Stream.concat(backends.stream(), runs.stream())
            .mapToInt(object -> object.getMetadata().getName().length())
            .max()
            .orElse(0);
    for (InferenceBackend backend : backends) {
      drawn.add("  backend  " + padded(name(backend), width) + "  " + backendState(backend));
    }
    for (BenchmarkRun run : runs) {
      drawn.add("  run      " + padded(name(run), width) + "  " + bar(run) + runState(run));
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

  private static String name(io.fabric8.kubernetes.api.model.HasMetadata object) {
    return object.getMetadata().getName();
  }

  private static String backendState(InferenceBackend backend) {
    InferenceBackendStatus status = backend.getStatus();
    if (status == null || status.phase() == null) {
      return "Starting";
    }
    String ready =
        status.replicas() == null
            ? ""
            : "  %d/%d ready".formatted(orZero(status.readyReplicas()), status.replicas());
    String why =
        switch (status.phase()) {
          case Available, Idle -> "";
          case Failed -> "  " + message(status.conditions(), ConditionTypes.FAILED).orElse("");
          case Starting -> "  " + message(status.conditions(), ConditionTypes.AVAILABLE).orElse("");
        };
    return oneLine(status.phase() + ready + why);
  }

  /** What, when it changes, is worth a line of its own. */
  private static String stage(BenchmarkRun run) {
    BenchmarkRunStatus status = run.getStatus();
    if (status == null) {
      return "";
    }
    String stage = status.progress() == null ? "" : String.valueOf(status.progress().stage());
    return status.phase() == Phase.Pending ? runState(run) : status.phase() + " " + stage;
  }

  private static String runState(BenchmarkRun run) {
    BenchmarkRunStatus status = run.getStatus();
    if (status == null || status.phase() == null) {
      return "Pending";
    }
    return oneLine(
        switch (status.phase()) {
          case Pending -> "Pending  " + waitingFor(status).orElse("");
          case Suspended -> "Suspended";
          case Planned -> "Planned";
          case Running -> progress(status.progress());
          case Completed -> "Completed  " + status.verdict();
          case Failed ->
              "Failed  " + message(status.conditions(), ConditionTypes.FAILED).orElse("");
        });
  }

  private static String progress(BenchmarkRunStatus.@Nullable Progress progress) {
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
      text.append("  ETA ").append(Texts.duration(Duration.ofSeconds(progress.etaSeconds())));
    }
    return text.toString();
  }

  private static String bar(BenchmarkRun run) {
    BenchmarkRunStatus status = run.getStatus();
    if (status == null || status.phase() != Phase.Running || status.progress() == null) {
      return "";
    }
    int percent = Optional.ofNullable(status.progress().percent()).orElse(0);
    int full = Math.clamp((long) percent * BAR / 100, 0, BAR);
    return "[" + "#".repeat(full) + "-".repeat(BAR - full) + "] %3d%%  ".formatted(percent);
  }

  /** The first condition that does not hold yet. */
  private static Optional<String> waitingFor(BenchmarkRunStatus status) {
    return java.util.stream.Stream.of(
            ConditionTypes.RESOLVED_REFS, ConditionTypes.BACKEND_READY, ConditionTypes.ADMITTED)
        .flatMap(
            type ->
                conditions(status.conditions()).stream()
                    .filter(condition -> condition.getType().equals(type)))
        .filter(condition -> !"True".equals(condition.getStatus()))
        .map(Condition::getMessage)
        .filter(Objects::nonNull)
        .findFirst();
  }

  static Optional<String> message(@Nullable List<Condition> conditions, String type) {
    return conditions(conditions).stream()
        .filter(condition -> condition.getType().equals(type))
        .map(condition -> condition.getReason() + ": " + condition.getMessage())
        .findFirst();
  }

  private static List<Condition> conditions(@Nullable List<Condition> conditions) {
    return conditions == null ? List.of() : conditions;
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
