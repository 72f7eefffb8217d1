package dev.loadgen.rules.evidence;

import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan.Draft;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is known of the servers of a test. */
public sealed interface ServerEvidence {
  /**
   * How their arguments say that they speculate; null: they name no draft model, or are unknown.
   */
  @Nullable Draft draft();

  /**
   * What servers will do, by the arguments that they start with.
   *
   * @param path of their spec, by which messages name its fields, such as {@code spec.backend.}
   * @param mostNewTokens most tokens of an answer; null: the arguments do not bound them
   * @param cachesPrefixes whether they start with a prefix cache
   */
  record Planned(
      String path, @Nullable Integer mostNewTokens, boolean cachesPrefixes, @Nullable Draft draft)
      implements ServerEvidence {}

  /**
   * What servers did during a test.
   *
   * @param lost why no more requests went to those that were taken out, by name
   * @param retries requests that were sent again
   * @param prefixCaches what they took from prefix caches, by name
   * @param speculation whether they used a draft model, by name
   * @param tokenCounts their counts of output tokens and ours
   * @param attestation what was seen of them before and after the test
   */
  record Observed(
      List<String> names,
      Map<String, String> lost,
      long retries,
      Map<String, PrefixCacheHits> prefixCaches,
      Map<String, Speculation> speculation,
      @Nullable Draft draft,
      List<TokenCount> tokenCounts,
      Attestation attestation)
      implements ServerEvidence {
    /** Copies the lists; the maps are not changed by anybody. */
    public Observed {
      names = List.copyOf(names);
      tokenCounts = List.copyOf(tokenCounts);
    }
  }

  /**
   * Whether a server used a draft model during the test.
   *
   * @param used null: its metrics do not say
   * @param why something is not known of this server, as a clause; null: all is
   */
  record Speculation(String replica, @Nullable Boolean used, @Nullable String why) {}

  /**
   * What a server took from a prefix cache during the test.
   *
   * @param tokens prompt tokens; null: its counters do not say
   * @param why something is not known of this server, as a clause; null: all is
   */
  record PrefixCacheHits(String replica, @Nullable Long tokens, @Nullable String why) {}

  /** A server's output tokens: by our count, and by its own counter if it has one. */
  record TokenCount(String replica, long ours, @Nullable Long server) {}

  /**
   * What was seen of servers and runner.
   *
   * @param planned before the test; null: nobody looked
   * @param ended after it; null: nobody looked
   * @param engineChanges what the servers say otherwise of their own program after the test, as
   *     clauses
   */
  record Attestation(
      @Nullable Provenance planned, @Nullable Provenance ended, List<String> engineChanges) {
    /** Copies the list. */
    public Attestation {
      engineChanges = List.copyOf(engineChanges);
    }
  }
}
