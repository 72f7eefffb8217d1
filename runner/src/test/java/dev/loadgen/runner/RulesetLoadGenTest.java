package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.mlperf.LoadGenBuild;
import dev.loadgen.rules.ruleset.Ruleset;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rulesets and the list of LoadGens name each other. */
class RulesetLoadGenTest {
  @Test
  void eachRulesetHasItsLoadGenAndEachLoadGenItsRulesets() {
    List<String> byRulesets =
        Ruleset.names().stream()
            .map(name -> name + " " + Ruleset.named(name).loadGen().version())
            .toList();
    List<String> byLoadGens =
        LoadGenBuild.all().stream()
            .flatMap(build -> build.rulesets().stream().map(name -> name + " " + build.version()))
            .collect(Collectors.toList());

    assertThat(byLoadGens).containsExactlyInAnyOrderElementsOf(byRulesets);
  }

  @Test
  void theRulesetWithoutARoundTakesTheNewest() {
    assertThat(Ruleset.named(Ruleset.NONE).loadGen().version())
        .isEqualTo(LoadGenBuild.newest().version());
    assertThat(
            Stream.of("v5.1", "v6.0", "v6.1").map(name -> Ruleset.named(name).loadGen().version()))
        .doesNotHaveDuplicates();
  }
}
