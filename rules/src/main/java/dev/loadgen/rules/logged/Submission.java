package dev.loadgen.rules.logged;

import dev.loadgen.rules.BenchmarkRules;
import dev.loadgen.rules.Finding;
import dev.loadgen.rules.Judgement;
import dev.loadgen.rules.Ruleset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One system and one benchmark of a submission tree: what the tests cannot say one by one.
 *
 * @param folder of the benchmark below the system
 * @param scenarios of which there are tests
 * @param judgement whether all is there that the round requires
 */
public record Submission(Path folder, Set<String> scenarios, Judgement judgement) {
  /**
   * The submissions that tests belong to.
   *
   * @param folders all folders that were found
   * @param verdicts what was judged of them
   */
  public static List<Submission> of(
      Collection<LoggedFolder> folders, Collection<FolderVerdict> verdicts) {
    Map<Path, FolderVerdict.Test> judged = new TreeMap<>();
    for (FolderVerdict verdict : verdicts) {
      if (verdict instanceof FolderVerdict.Judged test) {
        judged.put(test.folder(), test.test());
      }
    }
    Map<Path, List<Placed>> byBenchmark = new TreeMap<>();
    for (LoggedFolder folder : folders) {
      folder
          .resultsFolder()
          .ifPresent(
              benchmark ->
                  byBenchmark
                      .computeIfAbsent(benchmark, none -> new ArrayList<>())
                      .add(new Placed(folder, judged.get(folder.path()))));
    }
    return byBenchmark.entrySet().stream()
        .flatMap(entry -> of(entry.getKey(), entry.getValue()).stream())
        .toList();
  }

  /**
   * A test in its place.
   *
   * @param test null: it could not be judged; what its place tells counts, so that it is not
   *     missing besides
   */
  private record Placed(LoggedFolder folder, FolderVerdict.@Nullable Test test) {
    Optional<String> scenario() {
      return test == null ? folder.scenario() : Optional.of(test.scenario());
    }

    String mode() {
      if (test != null) {
        return test.mode();
      }
      return folder.kind() == LoggedFolder.Kind.ACCURACY ? "Accuracy" : "Performance";
    }
  }

  /** Empty if none of its tests could be judged, so that nobody knows the round. */
  private static Optional<Submission> of(Path folder, List<Placed> tests) {
    return tests.stream()
        .map(Placed::test)
        .filter(Objects::nonNull)
        .findFirst()
        .map(first -> of(folder, tests, first));
  }

  private static Submission of(Path folder, List<Placed> tests, FolderVerdict.Test first) {
    Ruleset ruleset = Ruleset.named(first.ruleset());
    BenchmarkRules rules = ruleset.benchmark(first.benchmark());
    // By scenario: modes, and names of audits.
    Map<String, Set<String>> modes = new TreeMap<>();
    Map<String, Set<String>> audits = new TreeMap<>();
    for (Placed placed : tests) {
      String audit = placed.folder().audit();
      Optional<String> scenario = placed.scenario();
      if (scenario.isEmpty()) {
        continue;
      }
      (audit == null ? modes : audits)
          .computeIfAbsent(scenario.get(), none -> new TreeSet<>())
          .add(audit == null ? placed.mode() : audit);
    }
    List<Finding> findings = new ArrayList<>();
    for (List<String> group : rules.requiredScenarios()) {
      if (group.stream().noneMatch(modes::containsKey)) {
        String wanted = String.join(" or ", group);
        findings.add(
            new Finding(
                "ScenarioMissing",
                "There is no test of "
                    + wanted
                    + ", which "
                    + ruleset.name()
                    + " requires of "
                    + first.benchmark()
                    + ".",
                "Run "
                    + wanted
                    + " as well, in both modes, and put its logs into a folder of that name.",
                modes.keySet().toString(),
                wanted));
      }
    }
    modes.forEach(
        (scenario, found) -> {
          for (String mode : List.of("Performance", "Accuracy")) {
            if (!found.contains(mode)) {
              findings.add(
                  new Finding(
                      "TestMissing",
                      scenario + " has no " + mode.toLowerCase(Locale.ROOT) + " test.",
                      "Run it with spec.mode "
                          + mode
                          + ", and put its logs into "
                          + (mode.equals("Performance") ? "performance/run_1" : "accuracy")
                          + "."));
            }
          }
          // The round asks none of scenarios that somebody else's client ran.
          boolean audited =
              tests.stream()
                  .map(Placed::test)
                  .anyMatch(test -> test != null && test.scenario().equals(scenario));
          for (String audit : ruleset.complianceTests(first.benchmark()).keySet()) {
            if (audited && !audits.getOrDefault(scenario, Set.of()).contains(audit)) {
              findings.add(
                  new Finding(
                      "TestMissing",
                      scenario + " has no " + audit + ".",
                      "Run it with spec.compliance "
                          + audit
                          + ", and put its logs into "
                          + audit
                          + "/performance/run_1 and "
                          + audit
                          + "/accuracy."));
            }
          }
        });
    return new Submission(folder, new LinkedHashSet<>(modes.keySet()), Judgement.of(findings));
  }
}
