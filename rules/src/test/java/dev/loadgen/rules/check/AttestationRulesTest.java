package dev.loadgen.rules.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Provenance.Gpus;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Provenance.Servers;
import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.evidence.ServerEvidence.Attestation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttestationRulesTest {
  private static final Gpus H100 = new Gpus(8, "nvidia.com/gpu", "H100", "81559 MiB", "570.1");
  private static final List<String> ARGS = List.of("m", "--max-num-seqs", "256");
  private static final Servers PLANNED =
      servers("vllm:1", "sha256:a", List.of("vllm", "serve"), ARGS, H100);

  @Test
  void serversThatStayedAsTheyWereAreNoFinding() {
    assertThat(findings(seen(PLANNED), seen(PLANNED))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vllm:2 | sha256:a | vllm serve | m --max-num-seqs 256 | 570.1 | image, vllm:2 and not vllm:1",
        "vllm:1 | sha256:b | vllm serve | m --max-num-seqs 256 | 570.1 | digest of its image, sha256:b and not sha256:a",
        "vllm:1 | sha256:a | sh -c x | m --max-num-seqs 256 | 570.1 | command, sh -c x and not vllm serve",
        "vllm:1 | sha256:a | vllm serve | m --max-num-seqs 64 | 570.1 | arguments (with 64, without 256)",
        "vllm:1 | sha256:a | vllm serve | m | 570.1 | arguments (without --max-num-seqs 256)",
        "vllm:1 | sha256:a | vllm serve | --max-num-seqs m 256 | 570.1 | arguments (in another order)",
        "vllm:1 | sha256:a | vllm serve | m --max-num-seqs 256 | 575.2 | driver of its GPUs, 575.2 and not 570.1"
      })
  void aBackendThatChangedIsOne(
      String image, String id, String command, String args, String driver, String how) {
    Servers changed =
        servers(
            image,
            id,
            List.of(command.split(" ")),
            List.of(args.split(" ")),
            new Gpus(8, "nvidia.com/gpu", "H100", "81559 MiB", driver));

    assertThat(findings(seen(PLANNED), seen(changed)))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo("NotAttested");
              assertThat(finding.effect()).isEqualTo(Verdict.Inconclusive);
              assertThat(finding.message())
                  .isEqualTo(
                      "Pod llm-0 had at the end of the test a different "
                          + how
                          + "; make sure that nobody changes servers during a test.");
            });
  }

  @Test
  void aServerThatIsGoneIsOne() {
    assertThat(findings(seen(PLANNED), seen()))
        .extracting(Finding::message)
        .containsExactly("Pod llm-0 of the plan was gone at the end of the test.");
  }

  /** An operator that may not read nodes, or a node that has not said yet. */
  @Test
  void whatWasNotKnownIsNoChange() {
    Servers unknown =
        servers(
            "vllm:1", null, List.of("vllm", "serve"), ARGS, new Gpus(8, null, null, null, null));

    assertThat(findings(seen(unknown), seen(PLANNED))).isEmpty();
    assertThat(findings(seen(PLANNED), seen(unknown))).isEmpty();
  }

  /** On another node, with the same GPUs, it is the same system. */
  @Test
  void anotherNodeIsNoChange() {
    Servers moved =
        new Servers(
            PLANNED.image(),
            PLANNED.imageId(),
            PLANNED.command(),
            PLANNED.args(),
            PLANNED.gpus(),
            List.of(new ServerPod("llm-0", "elsewhere")));

    assertThat(findings(seen(PLANNED), seen(moved))).isEmpty();
  }

  @Test
  void anEndThatNobodySawIsOne() {
    assertThat(findings(seen(PLANNED), null))
        .extracting(Finding::message)
        .singleElement()
        .asString()
        .startsWith("Servers and runner were not inspected after the test");
  }

  @Test
  void aRunThatNobodyAttestsIsHeldToNothing() {
    assertThat(findings(null, null)).isEmpty();
  }

  @Test
  void whatTheOperatorFindsIsToldOnceHoweverOftenItSawIt() {
    Provenance odd =
        new Provenance(
            1L, null, List.of(PLANNED), null, List.of("pod llm-0 runs sh in place of vllm serve"));

    assertThat(findings(odd, odd))
        .extracting(Finding::message)
        .containsExactly("Pod llm-0 runs sh in place of vllm serve.");
  }

  @Test
  void aThousandProblemsMakeAFewReasons() {
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      many.add("problem " + i + " " + "x".repeat(5_000));
    }
    Provenance odd = new Provenance(1L, null, List.of(), null, many);

    assertThat(findings(odd, odd))
        .hasSize(8)
        .allSatisfy(finding -> assertThat(finding.message().length()).isLessThan(700));
  }

  @Test
  void argumentsThatAreNoMoreAreAChange() {
    Servers without =
        new Servers(
            PLANNED.image(), PLANNED.imageId(), PLANNED.command(), null, H100, PLANNED.pods());

    assertThat(findings(seen(PLANNED), seen(without)))
        .singleElement()
        .satisfies(
            finding ->
                assertThat(finding.message()).contains("arguments (without m --max-num-seqs 256)"));
  }

  @Test
  void whatServersSayOtherwiseIsOneOfWhomeverTheyAre() {
    assertThat(
            AttestationRules.findings(
                new Attestation(
                    null, null, List.of("a says that it is version 2, and before it was 1"))))
        .extracting(Finding::message)
        .containsExactly(
            "A says that it is version 2, and before it was 1; make sure that nobody changes"
                + " servers during a test.");
  }

  @Test
  void aRunnerThatIsNotAsItIsMadeIsOne() {
    Finding finding = AttestationRules.ofRunner(List.of("it has another image", "it is old"));

    assertThat(finding.rule()).isEqualTo("NotAttested");
    assertThat(finding.message()).isEqualTo("it has another image; it is old.");
    assertThat(finding.reason().fix()).contains("loadgen.dev/rerun");
  }

  private static Provenance seen(Servers... servers) {
    return new Provenance(1L, null, List.of(servers), null, List.of());
  }

  private static Servers servers(
      String image, @Nullable String id, List<String> command, List<String> args, Gpus gpus) {
    return new Servers(image, id, command, args, gpus, List.of(new ServerPod("llm-0", "n1")));
  }

  private static List<Finding> findings(@Nullable Provenance planned, @Nullable Provenance ended) {
    return AttestationRules.findings(new Attestation(planned, ended, List.of()));
  }
}
