package dev.loadgen.rules.check;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.evidence.ServerEvidence.Observed;
import dev.loadgen.rules.evidence.ServerEvidence.Planned;
import dev.loadgen.rules.evidence.ServerEvidence.PrefixCacheHits;
import dev.loadgen.rules.evidence.ServerEvidence.Speculation;
import dev.loadgen.rules.evidence.ServerEvidence.TokenCount;
import dev.loadgen.rules.ruleset.ScenarioRules;
import dev.loadgen.rules.ruleset.SpeculativeDecoding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether the servers did, or will do, what the round allows and the run asks for. Before a test
 * their arguments say so, after it what they did.
 */
final class ServerRules {
  private static final String OWN_METRICS =
      "Name the servers' own addresses, at which they answer /metrics themselves, not one of a"
          + " gateway; SGLang answers with --enable-metrics. With spec.engine openai no counters are"
          + " read: name vllm or sglang there, if that is what runs. If the engine is newer than this"
          + " program, so that its series have other names, use one that this program knows.";

  private ServerRules() {}

  private static Optional<Planned> planned(Subject test) {
    return test.evidence().servers() instanceof Planned servers
        ? Optional.of(servers)
        : Optional.empty();
  }

  private static Optional<Observed> observed(Subject test) {
    return test.evidence().servers() instanceof Observed servers
        ? Optional.of(servers)
        : Optional.empty();
  }

  static List<Finding> lost(Subject test) {
    List<Finding> findings = new ArrayList<>();
    observed(test)
        .ifPresent(
            servers ->
                servers
                    .lost()
                    .forEach(
                        (name, why) ->
                            findings.add(
                                new Finding(
                                    "ServerLost",
                                    name + " was taken out of the test: " + why + ".",
                                    "Look at the server's log; run again when it stays up."))));
    return findings;
  }

  static List<Finding> retries(Subject test) {
    long retries = observed(test).map(Observed::retries).orElse(0L);
    return retries == 0 || !test.ruleset().official()
        ? List.of()
        : List.of(
            new Finding(
                "Retries",
                "%s requests were sent again after a failure, 0 may be in %s."
                    .formatted(retries, test.ruleset().name()),
                "Set spec.client.retries to 0.",
                String.valueOf(retries),
                "0"));
  }

  /** What servers cut by their arguments; what they did cut, {@link AnswerRules} say. */
  static List<Finding> answersCut(Subject test) {
    RunPlan.Sampling generation = test.evidence().generation();
    Planned servers = planned(test).orElse(null);
    if (servers == null || servers.mostNewTokens() == null || generation == null) {
      return List.of();
    }
    int most = servers.mostNewTokens();
    int asked = generation.maxNewTokens();
    return most >= asked
        ? List.of()
        : List.of(
            new Finding(
                "AnswersCut",
                "The servers generate at most "
                    + most
                    + " tokens per answer, but "
                    + asked
                    + " are requested.",
                "Raise "
                    + servers.path()
                    + "engineConfig.maxModelLen, and take limits of new tokens out of args.",
                most + " tokens",
                asked + " tokens"));
  }

  static List<Finding> prefixCaches(Subject test) {
    if (test.ruleset().prefixCaching().allowed()) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    planned(test)
        .filter(Planned::cachesPrefixes)
        .ifPresent(
            servers ->
                findings.add(
                    new Finding(
                        "PrefixCache",
                        "The servers start with a prefix cache, which "
                            + test.ruleset().name()
                            + " forbids.",
                        "Set "
                            + servers.path()
                            + "engineConfig.prefixCaching to false, and take it out of args.")));
    observed(test)
        .ifPresent(
            servers ->
                servers
                    .names()
                    .forEach(
                        name ->
                            prefixCache(test, name, servers.prefixCaches().get(name))
                                .ifPresent(findings::add)));
    return findings;
  }

  private static Optional<Finding> prefixCache(
      Subject test, String name, @Nullable PrefixCacheHits hits) {
    Long tokens = hits == null ? null : hits.tokens();
    if (tokens == null) {
      return Optional.of(
          new Finding(
              "PrefixCacheUnknown",
              "%s does not show whether it took prompts from a prefix cache, which %s forbids: %s"
                  .formatted(
                      name, test.ruleset().name(), because(hits == null ? null : hits.why())),
              OWN_METRICS));
    }
    return tokens <= 0
        ? Optional.empty()
        : Optional.of(
            new Finding(
                "PrefixCache",
                "%s took %s prompt tokens from its prefix cache during the test, 0 may be in %s."
                    .formatted(name, tokens, test.ruleset().name()),
                "Start the servers without a prefix cache: --no-enable-prefix-caching of vLLM,"
                    + " --disable-radix-cache of SGLang, which spec.engineConfig.prefixCaching gives"
                    + " when it is false or unset.",
                tokens + " tokens",
                "0 tokens"));
  }

  static List<Finding> speculation(Subject test) {
    if (!test.ruleset().official()) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    planned(test).ifPresent(servers -> draft(test, servers).ifPresent(findings::add));
    observed(test)
        .ifPresent(
            servers ->
                servers
                    .names()
                    .forEach(
                        name ->
                            speculation(
                                    test, servers.draft(), name, servers.speculation().get(name))
                                .ifPresent(findings::add)));
    return findings;
  }

  private static @Nullable SpeculativeDecoding allowed(Subject test) {
    ScenarioRules rules = test.rules();
    return rules == null ? null : rules.speculativeDecoding();
  }

  private static List<String> differences(
      @Nullable SpeculativeDecoding allowed, RunPlan.@Nullable Draft draft) {
    return allowed == null || draft == null ? List.of() : allowed.differences(draft);
  }

  private static Optional<Finding> draft(Subject test, Planned servers) {
    if (servers.draft() == null) {
      return Optional.empty();
    }
    SpeculativeDecoding allowed = allowed(test);
    if (allowed == null) {
      return Optional.of(
          new Finding(
              "SpeculativeDecoding",
              "The servers start with a draft model, which "
                  + test.ruleset().name()
                  + " forbids here.",
              "Remove the options of speculative decoding (" + servers.path() + "args)."));
    }
    List<String> differences = differences(allowed, servers.draft());
    return differences.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Finding(
                "SpeculativeDecoding",
                "The servers start with a draft model (%s), of which %s allows only %s here."
                    .formatted(
                        String.join(", ", differences), test.ruleset().name(), allowed.inWords()),
                "Correct the options of speculative decoding, or remove them ("
                    + servers.path()
                    + "args)."));
  }

  private static Optional<Finding> speculation(
      Subject test, RunPlan.@Nullable Draft draft, String name, @Nullable Speculation speculation) {
    SpeculativeDecoding allowed = allowed(test);
    List<String> differences = differences(allowed, draft);
    boolean asAllowed =
        allowed != null && draft != null && allowed.canJudge(draft) && differences.isEmpty();
    Boolean used = speculation == null ? null : speculation.used();
    if (asAllowed || Boolean.FALSE.equals(used)) {
      return Optional.empty();
    }
    if (used == null) {
      return Optional.of(
          new Finding(
              "SpeculativeDecodingUnknown",
              name
                  + " does not show whether it used a draft model, of which "
                  + test.ruleset().name()
                  + " allows "
                  + only(allowed)
                  + " here: "
                  + because(speculation == null ? null : speculation.why()),
              OWN_METRICS));
    }
    if (allowed != null && differences.isEmpty()) {
      return Optional.of(
          new Finding(
              "SpeculativeDecodingUnknown",
              name
                  + " used a draft model during the test, and it is not known whether it is the one"
                  + " that "
                  + test.ruleset().name()
                  + " allows: "
                  + allowed.inWords()
                  + ".",
              "Let the operator start the servers, and set model, steps and top-k in spec.args of"
                  + " the backend."));
    }
    return Optional.of(
        new Finding(
            "SpeculativeDecoding",
            name
                + " used a draft model during the test"
                + (differences.isEmpty() ? "" : " (" + String.join(", ", differences) + ")")
                + ", of which "
                + test.ruleset().name()
                + " allows "
                + only(allowed)
                + " here.",
            allowed == null
                ? "Start the servers without speculative decoding: no --speculative-config of"
                    + " vLLM, no --speculative-algorithm of SGLang."
                : "Start the servers with that draft model and those settings, or without."));
  }

  private static String because(@Nullable String why) {
    return (why == null ? "its metrics were not kept" : why) + ".";
  }

  private static String only(@Nullable SpeculativeDecoding allowed) {
    return allowed == null ? "none" : "only " + allowed.inWords();
  }

  /**
   * The servers' counters against ours. Failed samples may have made tokens that we never saw, so
   * they excuse a server that counts more.
   */
  static List<Finding> tokenCounts(Subject test) {
    Observed servers = observed(test).orElse(null);
    if (servers == null) {
      return List.of();
    }
    List<Finding> unknown = uncounted(test, servers);
    return unknown.isEmpty()
        ? servers.tokenCounts().stream()
            .filter(count -> differs(test, count))
            .limit(1)
            .map(ServerRules::miscounted)
            .toList()
        : unknown;
  }

  private static boolean differs(Subject test, TokenCount count) {
    Long server = count.server();
    return server != null
        && server != count.ours()
        && !(test.failedSamples() > 0 && server > count.ours());
  }

  private static Finding miscounted(TokenCount count) {
    return new Finding(
        "TokenCountMismatch",
        "%s counts %s generated tokens during the test, we %s"
            .formatted(count.replica(), count.server(), count.ours()),
        "Make sure that nothing else uses the server during a run.",
        count.server() + " tokens",
        count.ours() + " tokens");
  }

  /** The servers that nobody counts with, where a round asks for the truth. */
  private static List<Finding> uncounted(Subject test, Observed servers) {
    Set<String> counted =
        servers.tokenCounts().stream()
            .filter(count -> count.server() != null)
            .map(TokenCount::replica)
            .collect(Collectors.toSet());
    List<String> others = servers.names().stream().filter(name -> !counted.contains(name)).toList();
    return others.isEmpty() || !test.ruleset().official()
        ? List.of()
        : List.of(
            new Finding(
                "TokenCountUnknown",
                String.join(", ", others)
                    + (others.size() == 1 ? " has" : " have")
                    + " no counter of generated tokens to compare the client's with.",
                OWN_METRICS));
  }
}
