package dev.loadgen.rules.check;

import dev.loadgen.rules.evidence.TestedSystem;
import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.ruleset.Generation;
import dev.loadgen.rules.ruleset.KnownDataset;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.text.Wording;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Whether tests that are said to be of one system can be: a performance test says nothing of an
 * accuracy test's servers, nor the other way round. The servers may be set up otherwise for each
 * scenario, not for the tests of one.
 */
public final class OneSystem {
  private OneSystem() {}

  /**
   * Holds tests against each other. Those of a benchmark that the ruleset does not know are left
   * out: what judges them alone says so.
   *
   * @param ruleset of all of them
   */
  public static Judgement judge(Ruleset ruleset, List<TestedSystem> tests) {
    List<Finding> findings = new ArrayList<>();
    List<TestedSystem> known =
        tests.stream().filter(test -> ruleset.benchmarks().containsKey(test.benchmark())).toList();
    by(TestedSystem::benchmark, known)
        .forEach(
            (benchmark, all) -> {
              same(ruleset, benchmark, "model", all, TestedSystem::model, findings);
              by(TestedSystem::scenario, all)
                  .forEach(
                      (scenario, some) ->
                          ofOneScenario(ruleset, benchmark + " " + scenario, some, findings));
              datasets(ruleset, benchmark, all, findings);
            });
    return Judgement.of(findings);
  }

  private static void ofOneScenario(
      Ruleset ruleset, String where, List<TestedSystem> tests, List<Finding> findings) {
    for (String name : names(tests, TestedSystem::servers)) {
      same(ruleset, where, name, tests, test -> value(test.servers(), name), findings);
    }
    for (String name : names(tests, TestedSystem::sampling)) {
      List<TestedSystem> comparable =
          differsByKind(ruleset, tests, name)
              ? tests.stream().filter(test -> !test.accuracy()).toList()
              : tests;
      same(ruleset, where, name, comparable, test -> value(test.sampling(), name), findings);
    }
  }

  /** Whether the round itself has another number for accuracy tests. */
  private static boolean differsByKind(Ruleset ruleset, List<TestedSystem> tests, String name) {
    BenchmarkRules rules = ruleset.benchmark(tests.getFirst().benchmark());
    Generation performance = rules.performance();
    Generation accuracy = rules.accuracy();
    return switch (name) {
      case "temperature" -> !Objects.equals(performance.temperature(), accuracy.temperature());
      case "topK" -> !Objects.equals(performance.topK(), accuracy.topK());
      case "topP" -> !Objects.equals(performance.topP(), accuracy.topP());
      case "minTokens" -> !Objects.equals(performance.minTokens(), accuracy.minTokens());
      case "maxNewTokens" -> performance.maxNewTokens() != accuracy.maxNewTokens();
      default -> false;
    };
  }

  /** Tests that the round gives the same file have the same; else those of one scenario. */
  private static void datasets(
      Ruleset ruleset, String benchmark, List<TestedSystem> tests, List<Finding> findings) {
    List<KnownDataset> known = ruleset.benchmark(benchmark).datasets();
    Map<String, List<TestedSystem>> together =
        by(
            test ->
                known.stream()
                    .filter(each -> each.isFor(test.kind()))
                    .map(KnownDataset::file)
                    .findFirst()
                    .orElse(test.scenario().name()),
            tests);
    together.forEach(
        (file, some) ->
            same(
                ruleset,
                benchmark + " (" + file + ")",
                "dataset",
                some,
                test -> Objects.requireNonNullElse(test.dataset(), "not known"),
                findings));
  }

  private static void same(
      Ruleset ruleset,
      String where,
      String what,
      List<TestedSystem> tests,
      Function<TestedSystem, String> property,
      List<Finding> findings) {
    Map<String, List<TestedSystem>> values = by(property, tests);
    if (values.size() > 1) {
      findings.add(
          new Finding(
              "TestsDiffer",
              where
                  + " in "
                  + ruleset.name()
                  + ": "
                  + what
                  + " is "
                  + values.entrySet().stream()
                      .map(
                          value ->
                              Wording.cut(value.getKey(), 100)
                                  + " in "
                                  + value.getValue().stream()
                                      .map(TestedSystem::name)
                                      .collect(Collectors.joining(", ")))
                      .collect(Collectors.joining("; "))
                  + ".",
              "Run all tests of a system on the same servers, with the same dataset and sampling, or"
                  + " judge the folders of one system alone."));
    }
  }

  private static Set<String> names(
      List<TestedSystem> tests, Function<TestedSystem, Map<String, String>> of) {
    return tests.stream()
        .flatMap(test -> of.apply(test).keySet().stream())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static String value(Map<String, String> all, String name) {
    return all.getOrDefault(name, "unset");
  }

  private static <K extends Comparable<K>> Map<K, List<TestedSystem>> by(
      Function<TestedSystem, K> key, List<TestedSystem> tests) {
    return tests.stream()
        .collect(
            Collectors.collectingAndThen(
                Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()), TreeMap::new));
  }
}
