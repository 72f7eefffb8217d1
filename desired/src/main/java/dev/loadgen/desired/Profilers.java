package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec.Profiling;
import dev.loadgen.contract.Durations;
import dev.loadgen.contract.ProfilingTool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How servers run under {@code spec.profiling}: the program that is put before theirs, and where
 * their traces go. What an engine has to be told itself is {@link ServerCommand}'s.
 */
public final class Profilers {
  /** Where a pod's folder of the claim is mounted. */
  static final String FOLDER = "/profiles";

  /** The variable that names the pod, and with it its folder. */
  static final String POD_VARIABLE = "LOADGEN_POD";

  /**
   * How long a profiled server may take to end: what it has recorded is written then, and a killed
   * one leaves a file that nothing reads.
   */
  static final Duration TERMINATION = Duration.ofMinutes(5);

  /** {@code spec.profiling.after} unless set. */
  private static final Duration AFTER = Duration.ofSeconds(30);

  /** {@code spec.profiling.duration} unless set. */
  private static final Duration DURATION = Duration.ofSeconds(10);

  /** Short names of options, which {@code args} may use. */
  private static final Map<String, String> SHORT =
      Map.of(
          "--trace", "-t",
          "--sample", "-s",
          "--capture-range", "-c",
          "--output", "-o",
          "--output-file", "-o",
          "--output-directory", "-d",
          "--runtime-trace", "-r");

  private Profilers() {}

  /** The words before a server's program; none without a profiler that is a program of its own. */
  static List<String> wrapper(@Nullable Profiling profiling) {
    if (profiling == null) {
      return List.of();
    }
    List<String> args = profiling.args() == null ? List.of() : profiling.args();
    List<String> words = new ArrayList<>();
    switch (profiling.tool()) {
      case Torch -> {
        return List.of();
      }
      case Nsys -> {
        words.addAll(List.of("nsys", "profile"));
        words.addAll(without(args, nsysDefaults()));
        words.addAll(nsysFixed());
        words.addAll(args);
      }
      case Rocprof -> {
        words.add("rocprofv3");
        words.addAll(without(args, List.of("--runtime-trace")));
        words.addAll(rocprofFixed());
        words.addAll(args);
        words.add("--");
      }
    }
    return List.copyOf(words);
  }

  /** What is right for servers unless {@code args} say otherwise; nsys refuses an option twice. */
  private static List<String> nsysDefaults() {
    return List.of(
        "--trace=cuda,nvtx",
        // Samples of the CPU need perf_event_open, which no restricted pod may call.
        "--sample=none",
        "--cpuctxsw=none",
        // Engines run CUDA graphs, which otherwise are one kernel each.
        "--cuda-graph-trace=node",
        // The GPUs are those of processes that the server forks.
        "--trace-fork-before-exec=true");
  }

  private static List<String> nsysFixed() {
    return List.of(
        "--capture-range=cudaProfilerApi",
        // A run has one window, and a server may see many runs.
        "--capture-range-end=repeat",
        // %n is the first number that is not taken.
        "--output=" + FOLDER + "/nsys-%n");
  }

  private static List<String> rocprofFixed() {
    return List.of(
        "--output-directory=" + FOLDER,
        // Processes have the same numbers again after a restart.
        "--output-file=%launch_time%-%pid%");
  }

  private static List<String> without(List<String> args, List<String> options) {
    return options.stream().filter(option -> !names(args, name(option))).toList();
  }

  private static String name(String option) {
    return option.replaceFirst("=.*", "");
  }

  private static boolean names(List<String> args, String option) {
    return args.stream()
        .map(Profilers::name)
        .anyMatch(arg -> arg.equals(option) || arg.equals(SHORT.get(option)));
  }

  /** When servers record; empty: they are under no profiler, or record their whole life. */
  public static Optional<Window> window(InferenceBackendSpec spec) {
    Profiling profiling = spec.profiling();
    if (profiling == null || !profiling.tool().recordsWindows()) {
      return Optional.empty();
    }
    return Optional.of(
        new Window(
            profiling.after() == null
                ? AFTER
                : Durations.parse("spec.profiling.after", profiling.after()),
            profiling.duration() == null
                ? DURATION
                : Durations.parse("spec.profiling.duration", profiling.duration())));
  }

  /**
   * A part of a test.
   *
   * @param after from the first query
   */
  public record Window(Duration after, Duration duration) {}

  /** Adds what is wrong with {@code spec.profiling}, for which CEL has no words. */
  public static void check(Problems problems, InferenceBackendSpec spec) {
    Profiling profiling = spec.profiling();
    if (profiling == null) {
      return;
    }
    problems.required("spec.profiling.tool", profiling.tool());
    problems.required("spec.profiling.output", profiling.output());
    if (profiling.output() != null) {
      problems.required("spec.profiling.output.claimName", profiling.output().claimName());
    }
    problems.durationOrZero("spec.profiling.after", profiling.after());
    problems.duration("spec.profiling.duration", profiling.duration());
    ProfilingTool tool = profiling.tool();
    if (tool == null) {
      return;
    }
    problems.check(
        tool == ProfilingTool.Torch && profiling.args() != null,
        "spec.profiling.args are options of nsys and rocprofv3: Torch takes none; remove args, or put options of the engine into spec.args");
    problems.check(
        tool == ProfilingTool.Rocprof
            && (profiling.after() != null || profiling.duration() != null),
        "spec.profiling.after and duration: rocprofv3 traces the whole life of a server; remove them, or let args say what it records");
    if (profiling.args() != null) {
      fixed(tool).forEach(option -> reserved(problems, profiling.args(), option));
      problems.check(
          profiling.args().contains("--"),
          "spec.profiling.args: -- ends the profiler's options, and the operator puts the server's command there; remove it");
    }
    problems.check(
        spec.external() == null && !ServerCommand.of(spec.engine()).takesWindows(spec),
        "spec.profiling.tool: Nsys needs vLLM 0.12 or later, which marks the window for it; use such an image, or Torch");
  }

  private static List<String> fixed(ProfilingTool tool) {
    return switch (tool) {
      case Torch -> List.of();
      case Nsys -> nsysFixed();
      case Rocprof -> rocprofFixed();
    };
  }

  private static void reserved(Problems problems, List<String> args, String option) {
    problems.check(
        names(args, name(option)),
        "spec.profiling.args: "
            + name(option)
            + " is the operator's, which has to know when and where traces are written; remove it");
  }
}
