package dev.loadgen.rules.ruleset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.RunPlan.Draft;
import dev.loadgen.contract.Scenario;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SpeculativeDecodingTest {
  private static final String HEAD = "nvidia/gpt-oss-120b-Eagle3-long-context";
  private static final SpeculativeDecoding ALLOWED =
      Objects.requireNonNull(
          Ruleset.named("v6.1")
              .benchmark("gpt-oss-120b")
              .scenario(Scenario.Interactive)
              .orElseThrow()
              .speculativeDecoding());

  @Test
  void theDraftThatTheRoundAllowsHasNoDifferences() {
    for (String model : List.of(HEAD, "/models/" + HEAD)) {
      for (String algorithm : new String[] {"EAGLE3", "eagle3", null}) {
        Draft draft = new Draft(model, algorithm, 3, 1, List.of());
        assertThat(ALLOWED.differences(draft)).isEmpty();
        assertThat(ALLOWED.canJudge(draft)).isTrue();
      }
    }
  }

  @Test
  void whateverElseIsDifferentIsSaid() {
    assertThat(ALLOWED.differences(new Draft("x" + HEAD, "NGRAM", 5, 4, List.of("quantization"))))
        .containsExactly(
            "draft model x" + HEAD,
            "algorithm NGRAM",
            "5 steps",
            "top-k 4",
            "setting quantization");
  }

  @Test
  void whatIsNotKnownIsNeitherRightNorWrong() {
    for (Draft draft :
        List.of(
            new Draft(null, "EAGLE3", 3, 1, List.of()),
            new Draft(HEAD, "EAGLE3", null, 1, List.of()),
            new Draft(HEAD, "EAGLE3", 3, null, List.of()))) {
      assertThat(ALLOWED.differences(draft)).isEmpty();
      assertThat(ALLOWED.canJudge(draft)).isFalse();
    }
  }
}
