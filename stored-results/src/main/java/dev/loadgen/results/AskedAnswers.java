package dev.loadgen.results;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.TestMode;
import dev.loadgen.rules.AskedAnswer;
import dev.loadgen.rules.Ruleset;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the answers to a plan's requests may be like. */
public final class AskedAnswers {
  private AskedAnswers() {}

  /** By the sampling of a plan, and by what a ruleset says of its benchmark. */
  public static AskedAnswer of(RunPlan plan, Ruleset ruleset) {
    RunPlan.Sampling sampling = plan.sampling();
    boolean texts = asks(sampling.stop());
    return new AskedAnswer(
        Objects.requireNonNullElse(sampling.minTokens(), 0),
        sampling.maxNewTokens(),
        // Not every server says whether it was a text that ended an answer.
        !Boolean.TRUE.equals(sampling.ignoreEos()) || texts || asks(sampling.stopTokenIds()),
        texts,
        !ruleset.boundsAnswers(plan.test().benchmark(), plan.test().mode() == TestMode.Accuracy));
  }

  private static boolean asks(@Nullable List<?> stops) {
    return stops != null && !stops.isEmpty();
  }
}
