package dev.loadgen.rules.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.evidence.RunEvidence.Client;
import dev.loadgen.rules.evidence.RunEvidence.FailureCount;
import dev.loadgen.rules.evidence.RunEvidence.Requested;
import dev.loadgen.rules.evidence.RunEvidence.Samples;
import dev.loadgen.rules.evidence.RunEvidenceBuilder;
import dev.loadgen.rules.evidence.ServerEvidence;
import dev.loadgen.rules.evidence.ServerEvidence.Attestation;
import dev.loadgen.rules.evidence.ServerEvidence.PrefixCacheHits;
import dev.loadgen.rules.evidence.ServerEvidence.Speculation;
import dev.loadgen.rules.evidence.ServerEvidence.TokenCount;
import dev.loadgen.rules.log.Logs;
import dev.loadgen.rules.ruleset.Ruleset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServerRulesTest {
  private static final String HEAD = "nvidia/gpt-oss-120b-Eagle3-long-context";

  /** Two servers that did as they should; each case changes one thing of them. */
  private static final class Servers {
    private final Map<String, String> lost = new LinkedHashMap<>();
    private long retries;
    private final Map<String, PrefixCacheHits> prefixCaches = new LinkedHashMap<>();
    private final Map<String, Speculation> speculation = new LinkedHashMap<>();
    private RunPlan.@Nullable Draft draft;
    private TokenCount second = new TokenCount("b", 20, 20L);
    private long failed;
    private List<String> cutLogs = List.of();
    private Attestation attestation = new Attestation(null, null, List.of());

    Servers() {
      for (String name : List.of("a", "b")) {
        prefixCaches.put(name, new PrefixCacheHits(name, 0L, null));
        speculation.put(name, new Speculation(name, false, null));
      }
    }

    List<Finding> findings(String ruleset, String benchmark, Scenario scenario) {
      long issued = Logs.read("v61-server").issuedSamples().orElseThrow();
      RunEvidence evidence =
          RunEvidenceBuilder.builder()
              .scenario(scenario)
              .mode(TestMode.Performance)
              .streaming(true)
              .samples(
                  new Samples(
                      issued,
                      issued - failed,
                      failed,
                      failed == 0 ? Map.of() : Map.of("TIMEOUT", new FailureCount(failed, "late")),
                      0,
                      0))
              .requested(Requested.NOTHING)
              .client(Client.KEPT_UP)
              .division(Division.CLOSED)
              .servers(
                  new ServerEvidence.Observed(
                      List.of("a", "b"),
                      lost,
                      retries,
                      prefixCaches,
                      speculation,
                      draft,
                      List.of(new TokenCount("a", 10, 10L), second),
                      attestation))
              .cutLogs(cutLogs)
              .build();
      return Judge.judge(Ruleset.named(ruleset), benchmark, evidence, Logs.read("v61-server"))
          .findings()
          .stream()
          .filter(
              finding -> !List.of("FailedSamples", "SampleCountMismatch").contains(finding.rule()))
          .toList();
    }

    List<Finding> findings(String ruleset) {
      return findings(ruleset, "llama3.1-8b", Scenario.Server);
    }

    /** Of the one scenario in which a round allows a draft model, what is found of it. */
    List<Finding> drafted() {
      return findings("v6.1", "gpt-oss-120b", Scenario.Interactive).stream()
          .filter(finding -> finding.rule().startsWith("Speculative"))
          .toList();
    }
  }

  private static void found(List<Finding> findings, String rule, String message, String fix) {
    assertThat(findings)
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo(rule);
              assertThat(finding.message()).isEqualTo(message);
              assertThat(finding.fix()).contains(fix);
            });
  }

  @Test
  void serversThatDidAsTheyShouldAreNoFinding() {
    assertThat(new Servers().findings("v6.1")).isEmpty();
    assertThat(new Servers().findings("none")).isEmpty();
  }

  @Test
  void aLostServerIsOneWhateverTheRound() {
    Servers servers = new Servers();
    servers.lost.put("b", "connection refused");

    for (String ruleset : List.of("v6.1", "none")) {
      found(
          servers.findings(ruleset),
          "ServerLost",
          "b was taken out of the test: connection refused.",
          "the server's log");
    }
  }

  @Test
  void aRoundForbidsRetries() {
    Servers servers = new Servers();
    servers.retries = 3;

    found(
        servers.findings("v6.1"),
        "Retries",
        "3 requests were sent again after a failure, 0 may be in v6.1.",
        "spec.client.retries");
    assertThat(servers.findings("none")).isEmpty();
  }

  @Test
  void aRoundForbidsPrefixCaches() {
    Servers servers = new Servers();
    servers.prefixCaches.put("b", new PrefixCacheHits("b", 64L, null));

    found(
        servers.findings("v6.1"),
        "PrefixCache",
        "b took 64 prompt tokens from its prefix cache during the test, 0 may be in v6.1.",
        "--no-enable-prefix-caching");
    assertThat(servers.findings("none")).isEmpty();

    servers.prefixCaches.put("b", new PrefixCacheHits("b", null, "it has no such counter"));
    found(
        servers.findings("v6.1"),
        "PrefixCacheUnknown",
        "b does not show whether it took prompts from a prefix cache, which v6.1 forbids: it has no"
            + " such counter.",
        "/metrics");

    servers.prefixCaches.remove("b");
    assertThat(servers.findings("v6.1"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.message()).endsWith("its metrics were not kept."));
  }

  @Test
  void aDraftModelIsForbiddenWhereTheRoundAllowsNone() {
    Servers servers = new Servers();
    servers.speculation.put("a", new Speculation("a", true, null));

    found(
        servers.findings("v6.1"),
        "SpeculativeDecoding",
        "a used a draft model during the test, of which v6.1 allows none here.",
        "--speculative-config");
    assertThat(servers.findings("none")).isEmpty();

    servers.speculation.put("a", new Speculation("a", null, null));
    found(
        servers.findings("v6.1"),
        "SpeculativeDecodingUnknown",
        "a does not show whether it used a draft model, of which v6.1 allows none here: its metrics"
            + " were not kept.",
        "/metrics");
  }

  @Test
  void theDraftModelThatARoundAllowsHasToBeKnown() {
    Servers servers = new Servers();
    servers.speculation.put("a", new Speculation("a", true, null));
    String allowed = "EAGLE3 with " + HEAD + ", 3 steps, top-k 1";

    servers.draft = new RunPlan.Draft(HEAD, "EAGLE3", 3, 1, List.of());
    assertThat(servers.drafted()).isEmpty();

    servers.draft = null;
    found(
        servers.drafted(),
        "SpeculativeDecodingUnknown",
        "a used a draft model during the test, and it is not known whether it is the one that v6.1"
            + " allows: "
            + allowed
            + ".",
        "spec.args");

    servers.draft = new RunPlan.Draft(HEAD, "EAGLE3", 5, 1, List.of());
    found(
        servers.drafted(),
        "SpeculativeDecoding",
        "a used a draft model during the test (5 steps), of which v6.1 allows only "
            + allowed
            + " here.",
        "with that draft model");
  }

  @Test
  void countsOfTokensAreHeldAgainstEachOther() {
    Servers servers = new Servers();
    servers.second = new TokenCount("b", 20, 21L);
    found(
        servers.findings("none"),
        "TokenCountMismatch",
        "b counts 21 generated tokens during the test, we 20",
        "nothing else uses the server");

    // A failed sample may have made tokens that we never saw, but hides none.
    servers.failed = 1;
    assertThat(servers.findings("none")).isEmpty();
    servers.second = new TokenCount("b", 20, 19L);
    assertThat(servers.findings("none"))
        .extracting(Finding::rule)
        .containsExactly("TokenCountMismatch");
  }

  @Test
  void underARoundEveryServerHasACounter() {
    Servers servers = new Servers();
    servers.second = new TokenCount("b", 20, null);

    found(
        servers.findings("v6.1"),
        "TokenCountUnknown",
        "b has no counter of generated tokens to compare the client's with.",
        "/metrics");
    assertThat(servers.findings("none")).isEmpty();
  }

  @Test
  void logsThatEndInTheMiddleAreIncomplete() {
    Servers servers = new Servers();
    servers.cutLogs = List.of("mlperf_log_summary.txt ends in the middle, after 7 bytes");

    found(
        servers.findings("none"),
        "LogIncomplete",
        "mlperf_log_summary.txt ends in the middle, after 7 bytes.",
        "volume of the results");
  }

  @Test
  void whatNobodyAttestsIsOne() {
    Servers servers = new Servers();
    servers.attestation =
        new Attestation(new Provenance(1L, null, List.of(), null, List.of()), null, List.of());

    assertThat(servers.findings("none")).extracting(Finding::rule).containsExactly("NotAttested");
  }
}
