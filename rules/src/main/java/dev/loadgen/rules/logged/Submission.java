package dev.loadgen.rules.logged;

import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.evidence.ComplianceClaim;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.ruleset.Ruleset;
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
import java.util.stream.Collectors;
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
   * The submissions that tests belong to. Nothing is missing whose place is outside of what was
   * looked through.
   *
   * @param found all folders that were found
   * @param verdicts what was judged of them
   */
  public static List<Submission> of(LoggedFolders found, Collection<FolderVerdict> verdicts) {
    Map<Path, FolderVerdict> byFolder = new TreeMap<>();
    verdicts.forEach(verdict -> byFolder.put(verdict.folder(), verdict));
    Map<Path, List<Placed>> byBenchmark = new TreeMap<>();
    for (LoggedFolder folder : found.folders()) {
      FolderVerdict verdict = byFolder.get(folder.path());
      if (!(verdict instanceof FolderVerdict.NotAsked)) {
        folder
            .resultsFolder()
            .ifPresent(
                benchmark ->
                    byBenchmark
                        .computeIfAbsent(benchmark, none -> new ArrayList<>())
                        .add(
                            new Placed(
                                folder,
                                verdict instanceof FolderVerdict.Judged judged
                                    ? judged.test()
                                    : null)));
      }
    }
    List<Submission> submissions = new ArrayList<>();
    byBenchmark.forEach(
        (benchmark, tests) ->
            tests.stream()
                .map(Placed::test)
                .filter(Objects::nonNull)
                .findFirst()
                // If none of its tests could be judged, nobody knows the round.
                .map(judged -> new Inspection(found.root(), benchmark, tests, judged).submission())
                .ifPresent(submissions::add));
    return submissions;
  }

  /**
   * A test in its place.
   *
   * @param test null: it could not be judged; what its place tells counts, so that it is not
   *     missing besides
   */
  private record Placed(LoggedFolder folder, FolderVerdict.@Nullable Test test) {
    Optional<String> scenario() {
      return test == null ? folder.scenario() : Optional.of(test.scenario().name());
    }

    boolean is(LoggedFolder.Kind kind, String scenario) {
      return folder.kind() == kind && scenario().filter(scenario::equals).isPresent();
    }
  }

  /**
   * Looks for what is missing.
   *
   * @param root what was looked through
   * @param benchmark its folder below the results
   * @param judged one of the tests that could be judged
   */
  private record Inspection(
      Path root, Path benchmark, List<Placed> tests, FolderVerdict.Test judged) {
    Submission submission() {
      Set<String> scenarios =
          tests.stream()
              .flatMap(test -> test.scenario().stream())
              .collect(Collectors.toCollection(TreeSet::new));
      List<Finding> findings = new ArrayList<>(missingScenarios(scenarios));
      for (String scenario : scenarios) {
        findings.addAll(missingModes(scenario));
        findings.addAll(missingAudits(scenario));
      }
      return new Submission(benchmark, new LinkedHashSet<>(scenarios), Judgement.of(findings));
    }

    private Ruleset ruleset() {
      return Ruleset.named(judged.ruleset());
    }

    private boolean open() {
      return tests.getFirst().folder().division().filter(Division.OPEN::equals).isPresent();
    }

    private List<Finding> missingScenarios(Set<String> scenarios) {
      if (open() || !benchmark.startsWith(root)) {
        return List.of();
      }
      List<Finding> findings = new ArrayList<>();
      for (List<Scenario> required : ruleset().benchmark(judged.benchmark()).requiredScenarios()) {
        List<String> group = required.stream().map(Scenario::name).toList();
        if (group.stream().noneMatch(scenarios::contains)) {
          String wanted = String.join(" or ", group);
          findings.add(
              new Finding(
                  "ScenarioMissing",
                  "There is no test of %s, which %s requires of %s."
                      .formatted(wanted, judged.ruleset(), judged.benchmark()),
                  "Run "
                      + wanted
                      + " as well, in both modes, and put its logs into a folder of that name.",
                  scenarios.toString(),
                  wanted));
        }
      }
      return findings;
    }

    /** The folder of a scenario in the results, as it is spelled there. */
    private Path folderOf(String scenario) {
      return tests.stream()
          .filter(test -> test.scenario().filter(scenario::equals).isPresent())
          .map(test -> test.folder().scenarioFolder())
          .filter(Objects::nonNull)
          .map(named -> benchmark.resolve(named.getFileName()))
          .findFirst()
          .orElse(benchmark.resolve(scenario));
    }

    private List<Finding> missingModes(String scenario) {
      List<Finding> findings = new ArrayList<>();
      for (TestMode mode : TestMode.values()) {
        boolean performance = mode == TestMode.Performance;
        String place = performance ? "performance/run_1" : "accuracy";
        LoggedFolder.Kind kind =
            performance ? LoggedFolder.Kind.PERFORMANCE : LoggedFolder.Kind.ACCURACY;
        if (folderOf(scenario).resolve(place).startsWith(root)
            && tests.stream().noneMatch(test -> test.is(kind, scenario))) {
          findings.add(
              new Finding(
                  "TestMissing",
                  scenario + " has no " + mode.name().toLowerCase(Locale.ROOT) + " test.",
                  "Run it with spec.mode " + mode + ", and put its logs into " + place + "."));
        }
      }
      return findings;
    }

    private List<Finding> missingAudits(String scenario) {
      // The round asks none of scenarios that somebody else's client ran.
      boolean ran =
          tests.stream()
              .map(Placed::test)
              .anyMatch(test -> test != null && test.scenario().name().equals(scenario));
      if (open() || !ran) {
        return List.of();
      }
      List<Finding> findings = new ArrayList<>();
      ruleset()
          .complianceTests(judged.benchmark())
          .forEach(
              (name, audit) -> {
                Path place = placeOfAudits(scenario).resolve(name);
                if (place.startsWith(root)
                    && tests.stream().noneMatch(test -> test.folder().path().equals(place))) {
                  findings.add(
                      new Finding(
                          "TestMissing",
                          scenario + " has no " + name + ".",
                          "Run it with spec.compliance "
                              + name
                              + ", and put "
                              + ComplianceClaim.fileOf(audit)
                              + " into "
                              + (place.startsWith(benchmark) ? benchmark.relativize(place) : place)
                              + ", and its logs into performance/run_1 and accuracy below that."));
                }
              });
      return findings;
    }

    private Path placeOfAudits(String scenario) {
      Path folder = folderOf(scenario);
      String name = ruleset().auditsFolder();
      Path results = benchmark.getParent() == null ? null : benchmark.getParent().getParent();
      return name == null || results == null
          ? folder
          : results.resolveSibling(name).resolve(results.relativize(folder));
    }
  }
}
