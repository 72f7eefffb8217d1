package dev.loadgen.runner.client;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.AskedAnswer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the answers to a plan's requests may be like. */
public final class AskedAnswers {
  private AskedAnswers() {}

  /** By the sampling of a plan. */
  public static AskedAnswer of(RunPlan.Sampling sampling) {
    boolean texts = asks(sampling.stop());
    return new AskedAnswer(
        Objects.requireNonNullElse(sampling.minTokens(), 0),
        sampling.maxNewTokens(),
        // Not every server says whether it was a text that ended an answer.
        !Boolean.TRUE.equals(sampling.ignoreEos()) || texts || asks(sampling.stopTokenIds()),
        texts);
  }

  private static boolean asks(@Nullable List<?> stops) {
    return stops != null && !stops.isEmpty();
  }
}
