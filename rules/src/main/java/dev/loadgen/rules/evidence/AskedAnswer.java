package dev.loadgen.rules.evidence;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.TestMode;
import dev.loadgen.rules.ruleset.Ruleset;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an answer may be like, by what the server was asked for.
 *
 * @param minTokens least tokens; 0: any number
 * @param maxNewTokens most tokens
 * @param mayEnd whether the model may end it by itself, or at a token that was asked for
 * @param mayStopAtText whether the request names texts at which it ends
 * @param boundless whether the round bounds no answer, so that {@code maxNewTokens} may end none
 */
public record AskedAnswer(
    int minTokens, int maxNewTokens, boolean mayEnd, boolean mayStopAtText, boolean boundless) {
  /** Why an answer ended, as clients of both engines tell it: it has all the tokens it may have. */
  public static final String LENGTH = "length";

  /** The model ended it, or a token id did at which it was to end. */
  public static final String STOP = "stop";

  /** A text ended it at which it was to end. */
  public static final String STOP_STRING = "stop_string";

  /** How an answer differs from what was asked for. */
  public enum Fault {
    /** It has more tokens than it may have. */
    TOO_LONG,
    /** It ended for its length, with fewer tokens than it may have, or where none may end so. */
    CUT,
    /** It has fewer tokens than it must have. */
    TOO_SHORT,
    /** It ended for something that was not asked for. */
    OTHER_STOP
  }

  /** Checks that the bounds make sense. */
  public AskedAnswer {
    if (minTokens < 0 || maxNewTokens < 1) {
      throw new IllegalArgumentException(
          "minTokens must be 0 or more, maxNewTokens 1 or more: %s, %s"
              .formatted(minTokens, maxNewTokens));
    }
  }

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

  /**
   * What is wrong with an answer; null: nothing.
   *
   * @param tokens by the server's account
   * @param finishReason as the server says
   */
  public @Nullable Fault fault(int tokens, String finishReason) {
    if (tokens > maxNewTokens) {
      return Fault.TOO_LONG;
    }
    boolean allowed =
        switch (finishReason) {
          case LENGTH -> true;
          case STOP -> mayEnd;
          case STOP_STRING -> mayStopAtText;
          default -> false;
        };
    if (!allowed) {
      return Fault.OTHER_STOP;
    }
    if (finishReason.equals(LENGTH) && (boundless || tokens < maxNewTokens)) {
      return Fault.CUT;
    }
    return tokens < minTokens ? Fault.TOO_SHORT : null;
  }
}
