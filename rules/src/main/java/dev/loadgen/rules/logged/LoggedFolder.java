package dev.loadgen.rules.logged;

import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.log.DetailLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder with the files of a test, and what its place tells of the test: in a submission a
 * performance test lies in {@code SYSTEM/BENCHMARK/SCENARIO/performance/run_1}, an accuracy test in
 * {@code SYSTEM/BENCHMARK/SCENARIO/accuracy}, a compliance test in {@code
 * SYSTEM/BENCHMARK/SCENARIO/TEST06} or the like.
 *
 * @param path absolute
 * @param kind which of them it is
 * @param scenarioFolder the scenario's folder; null outside of such a tree
 * @param audit name of the compliance test; null if it is none
 */
public record LoggedFolder(
    Path path, Kind kind, @Nullable Path scenarioFolder, @Nullable String audit) {
  static final String ACCURACY_LOG = "mlperf_log_accuracy.json";

  /** LoadGen's summary is about 2 KB, accuracy.txt a few KB unless a script prints its progress. */
  private static final int TEXT_BYTES = 4 << 20;

  private static final Pattern RUN = Pattern.compile("run_\\d+");
  private static final Pattern AUDIT = Pattern.compile("TEST\\d\\d");
  private static final Path FIRST_RUN = Path.of("performance", "run_1");
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
    /** A compliance test, of which a submission may have no more than the outcome. */
    AUDIT,
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

  /** A compliance test; empty if the folder has nothing of one. */
  static Optional<LoggedFolder> ofAudit(Path path) {
    Path parent = path.getParent();
    if (!AUDIT.matcher(name(path)).matches() || parent == null) {
      return Optional.empty();
    }
    // Elsewhere a folder of such a name may be anything.
    Stream<String> files =
        scenarioNamed(name(parent)).isPresent()
            ? Stream.of(
                FIRST_RUN.resolve(DetailLog.FILE_NAME).toString(),
                DetailLog.FILE_NAME,
                "accuracy/" + ACCURACY_LOG,
                "verify_accuracy.txt",
                "verify_output_len.txt")
            : Stream.of(FIRST_RUN.resolve(DetailLog.FILE_NAME).toString());
    return files.anyMatch(file -> Files.exists(path.resolve(file)))
        ? Optional.of(new LoggedFolder(path, Kind.AUDIT, parent, name(path)))
        : Optional.empty();
  }

  /** A folder that LoadGen wrote into. */
  static LoggedFolder at(Path path, boolean own) {
    if (own) {
      return new LoggedFolder(path, Kind.OWN, null, null);
    }
    Path parent = path.getParent();
    boolean run = RUN.matcher(name(path)).matches() && name(parent).equals("performance");
    if (!run && !name(path).equals("accuracy")) {
      return new LoggedFolder(path, Kind.LOOSE, null, null);
    }
    return new LoggedFolder(
        path,
        run ? Kind.PERFORMANCE : Kind.ACCURACY,
        run && parent != null ? parent.getParent() : parent,
        null);
  }

  /** Where LoadGen's detail log is, or would be. */
  Path log() {
    Path first = path.resolve(FIRST_RUN);
    return (kind == Kind.AUDIT && Files.exists(first.resolve(DetailLog.FILE_NAME)) ? first : path)
        .resolve(DetailLog.FILE_NAME);
  }

  /** The scenario that the place names, in LoadGen's spelling; empty if it names none. */
  public Optional<String> scenario() {
    Optional<String> named = scenarioNamed(name(scenarioFolder));
    return named.filter("Server"::equals).isPresent()
            && name(benchmarkFolder()).endsWith(INTERACTIVE)
        ? Optional.of("Interactive")
        : named;
  }

  private static Optional<String> scenarioNamed(String folder) {
    return SCENARIOS.stream().filter(known -> known.equalsIgnoreCase(folder)).findFirst();
  }

  /** Whether the scenario's folder has exactly the scenario's name. */
  public boolean scenarioIsSpelled() {
    return scenarioFolder == null || SCENARIOS.contains(name(scenarioFolder));
  }

  /** The name of the benchmark's folder; empty outside of a tree. */
  public Optional<String> benchmark() {
    String folder = name(benchmarkFolder());
    return folder.isEmpty()
        ? Optional.empty()
        : Optional.of(
            folder.endsWith(INTERACTIVE)
                ? folder.substring(0, folder.length() - INTERACTIVE.length())
                : folder);
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
    return benchmark == null
        ? Optional.empty()
        : tree().map(tree -> tree.resolveSibling(RESULTS).resolve(tree.relativize(benchmark)));
  }

  /** The tree of the submitter that it is in, {@code results} or that of audits; empty: in none. */
  Optional<Path> tree() {
    return treeOf(scenarioFolder)
        .filter(tree -> List.of(RESULTS, "compliance").contains(name(tree)));
  }

  /** The folder above system, benchmark and scenario. */
  private static Optional<Path> treeOf(@Nullable Path scenario) {
    return Optional.ofNullable(scenario)
        .map(Path::getParent)
        .map(Path::getParent)
        .map(Path::getParent);
  }

  /** The folder of the organisation, with its results; empty outside of a submission. */
  Optional<Path> submitter() {
    return division().flatMap(none -> tree()).map(Path::getParent);
  }

  /** The division of the submission; empty if it is in none. */
  public Optional<Division> division() {
    return tree().flatMap(LoggedFolder::divisionOf);
  }

  private static Optional<Division> divisionOf(Path tree) {
    Path submitter = tree.getParent();
    return submitter == null ? Optional.empty() : Division.ofFolder(name(submitter.getParent()));
  }

  /** Whether a folder is one that the submission checker takes for that of a scenario. */
  static boolean isPlaceOfScenario(Path folder) {
    return treeOf(folder)
        .filter(tree -> name(tree).equals(RESULTS))
        .flatMap(LoggedFolder::divisionOf)
        .isPresent();
  }

  /** Whether it lies in a submission where the submission checker looks for no test. */
  boolean isAside() {
    boolean inScenario =
        Stream.iterate(path, folder -> folder != null, Path::getParent)
            .anyMatch(LoggedFolder::isPlaceOfScenario);
    return inScenario
        && (kind == Kind.LOOSE
            || (kind == Kind.PERFORMANCE
                && RUN.matcher(name(path)).matches()
                && !path.endsWith(FIRST_RUN))
            || (scenarioFolder != null && !isPlaceOfScenario(scenarioFolder)));
  }

  /**
   * The beginning of a text file, which is all of one that LoadGen wrote; empty if there is none.
   */
  static Optional<String> text(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try (InputStream in = Files.newInputStream(file)) {
      return Optional.of(new String(in.readNBytes(TEXT_BYTES), StandardCharsets.UTF_8));
    }
  }

  private static String name(@Nullable Path path) {
    return path == null || path.getFileName() == null ? "" : path.getFileName().toString();
  }
}
