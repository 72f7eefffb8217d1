package dev.loadgen.rules.logged;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A folder that LoadGen wrote into, and what its place tells of the test: in a submission tree a
 * performance test lies in {@code SYSTEM/BENCHMARK/SCENARIO/performance/run_1}, an accuracy test in
 * {@code SYSTEM/BENCHMARK/SCENARIO/accuracy}, an audit in such folders below {@code TEST06} or the
 * like.
 *
 * @param path absolute
 * @param kind which of them it is
 * @param scenarioFolder the scenario's folder; null outside of such a tree
 * @param audit name of the compliance test; null if it is none
 */
public record LoggedFolder(
    Path path, Kind kind, @Nullable Path scenarioFolder, @Nullable String audit) {
  private static final Pattern RUN = Pattern.compile("run_\\d+");
  private static final Pattern AUDIT = Pattern.compile("TEST\\d\\d");
  private static final String INTERACTIVE = "-interactive";
  private static final String RESULTS = "results";
  private static final List<String> SCENARIOS =
      List.of("Offline", "Server", "Interactive", "SingleStream", "MultiStream");

  /** What a folder holds. */
  public enum Kind {
    /** A results folder of this program. */
    OWN,
    /** A performance test of a submission tree. */
    PERFORMANCE,
    /** An accuracy test of a submission tree. */
    ACCURACY,
    /** A test that lies anywhere. */
    LOOSE
  }

  /**
   * A folder of MLCommons endpoints, the client without LoadGen that v6.1 takes as well; empty if
   * it is none. Such a tree has no {@code run_1}.
   */
  static Optional<LoggedFolder> ofEndpoints(Path path) {
    for (Kind kind : List.of(Kind.PERFORMANCE, Kind.ACCURACY)) {
      boolean performance = kind == Kind.PERFORMANCE;
      if (name(path).equals(performance ? "performance" : "accuracy")
          && Files.isRegularFile(
              path.resolve(performance ? "result_summary.json" : "accuracy_results.json"))) {
        return Optional.of(new LoggedFolder(path, kind, path.getParent(), null));
      }
    }
    return Optional.empty();
  }

  static LoggedFolder at(Path path, boolean own) {
    if (own) {
      return new LoggedFolder(path, Kind.OWN, null, null);
    }
    Path parent = path.getParent();
    boolean run = RUN.matcher(name(path)).matches() && name(parent).equals("performance");
    if (!run && !name(path).equals("accuracy")) {
      return new LoggedFolder(path, Kind.LOOSE, null, null);
    }
    Path above = run && parent != null ? parent.getParent() : parent;
    String audit = AUDIT.matcher(name(above)).matches() ? name(above) : null;
    Path scenario = audit != null && above != null ? above.getParent() : above;
    return new LoggedFolder(path, run ? Kind.PERFORMANCE : Kind.ACCURACY, scenario, audit);
  }

  /** The scenario that the place names, in LoadGen's spelling; empty if it names none. */
  public Optional<String> scenario() {
    Optional<String> named =
        SCENARIOS.stream()
            .filter(known -> known.equalsIgnoreCase(name(scenarioFolder)))
            .findFirst();
    return named.filter("Server"::equals).isPresent() && folderOfBenchmark().endsWith(INTERACTIVE)
        ? Optional.of("Interactive")
        : named;
  }

  /** Whether the scenario's folder has exactly the scenario's name. */
  public boolean scenarioIsSpelled() {
    return scenarioFolder == null || SCENARIOS.contains(name(scenarioFolder));
  }

  /**
   * The benchmark that the place names; empty if it names none.
   *
   * @param known ids of benchmarks
   */
  public Optional<String> benchmark(Iterable<String> known) {
    List<String> ids = StreamSupport.stream(known.spliterator(), false).toList();
    if (scenarioFolder != null) {
      String folder = folderOfBenchmark();
      String id =
          folder.endsWith(INTERACTIVE)
              ? folder.substring(0, folder.length() - INTERACTIVE.length())
              : folder;
      return ids.contains(id) ? Optional.of(id) : Optional.empty();
    }
    List<String> names =
        StreamSupport.stream(path.spliterator(), false).map(Path::toString).toList().reversed();
    return names.stream().filter(ids::contains).findFirst();
  }

  /** The folder of benchmark and system; null outside of a tree. */
  public @Nullable Path benchmarkFolder() {
    return scenarioFolder == null ? null : scenarioFolder.getParent();
  }

  /**
   * The folder of the submission's results of benchmark and system, by which tests belong together:
   * up to v5.1 audits have a tree of their own beside the results. Empty outside of a submission.
   */
  public Optional<Path> resultsFolder() {
    Path benchmark = benchmarkFolder();
    Path system = benchmark == null ? null : benchmark.getParent();
    Path root = system == null ? null : system.getParent();
    if (benchmark == null || system == null || root == null) {
      return Optional.empty();
    }
    return switch (name(root)) {
      case RESULTS -> Optional.of(benchmark);
      case "compliance" ->
          Optional.of(root.resolveSibling(RESULTS).resolve(name(system)).resolve(name(benchmark)));
      default -> Optional.empty();
    };
  }

  private String folderOfBenchmark() {
    return name(benchmarkFolder());
  }

  private static String name(@Nullable Path path) {
    return path == null || path.getFileName() == null ? "" : path.getFileName().toString();
  }
}
