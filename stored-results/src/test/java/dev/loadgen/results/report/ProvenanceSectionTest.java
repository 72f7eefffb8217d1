package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.EngineFacts;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Provenance.Gpus;
import dev.loadgen.contract.Provenance.Runner;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Provenance.Servers;
import dev.loadgen.results.report.Comparison.Difference;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProvenanceSectionTest {
  private final Path root;

  ProvenanceSectionTest(@TempDir Path root) {
    this.root = root;
  }

  @Test
  void aReportSaysWhatWasMeasured() throws Exception {
    String report =
        new StoredFolder(root)
            .plan(plan("a"))
            .provenance(
                provenance("sha256:a", "256", List.of("pod llm-0 runs sh <b>")),
                new EngineFacts(
                    "0.32.0",
                    Map.of("max_num_seqs", "256", "evil", "</pre><evil>"),
                    List.of(new EngineFacts.Differing("llm-1", null, Map.of("seed", "7"))),
                    List.of()))
            .file("run.yaml", "kind: BenchmarkRun # <evil>")
            .report();

    assertThat(report)
        .contains(
            "<h2>What was measured</h2>",
            "vllm:1",
            "sha256:a",
            "node-7",
            "8 × H100, 81559 MiB, driver 570.1",
            "0.32.0",
            "vllm serve m\n  --max-num-seqs 256",
            "max_num_seqs = 256",
            "Of llm-1 alone",
            "registry/runner:1",
            "0.1.0+96f94f4",
            "pod llm-0 runs sh &lt;b",
            "kind: BenchmarkRun # &lt;evil")
        .doesNotContain("<evil");
  }

  /** Its plan is told without what has a section of its own. */
  @Test
  void thePlanIsNotToldTwice() throws Exception {
    Provenance planned = provenance("sha256:planned", "256", List.of());

    assertThat(
            new StoredFolder(root)
                .plan(plan("a").provenance(planned))
                .provenance(provenance("sha256:ended", "256", List.of()), null)
                .report())
        .contains("sha256:ended")
        .doesNotContain("sha256:planned");
  }

  @Test
  void serversOfSomebodyElseAreToldAsSuch() throws Exception {
    assertThat(
            new StoredFolder(root)
                .provenance(
                    new Provenance(null, "0.31.0", null, new Runner(null, null, "x"), null), null)
                .report())
        .contains("The servers are external", "version 0.31.0 of the engine");
  }

  @Test
  void whatDiffersIsComparedArgumentByArgument() throws Exception {
    Comparison comparison =
        Comparison.of(
            List.of(
                run("a", provenance("sha256:a", "256", List.of()), "1"),
                run("b", provenance("sha256:b", "64", List.of()), "2")));

    assertThat(comparison.provenance())
        .containsExactly(
            new Difference("server.imageId", List.of("sha256:a", "sha256:b")),
            new Difference("server.args.--max-num-seqs", List.of("256", "64")),
            new Difference("engine.block_size", List.of("1", "2")));
    assertThat(comparison.plans()).isEmpty();
    assertThat(comparison.environments()).isEmpty();
    assertThat(HtmlComparison.html(comparison, List.of())).contains("server.args.--max-num-seqs");
  }

  /** A summary alone tells as much. */
  @Test
  void aRunOfWhichNothingIsKnownIsNoDifference() throws Exception {
    ComparedRun known = run("a", provenance("sha256:a", "256", List.of()), "1");
    ComparedRun unknown = ComparedRun.read(new StoredFolder(root).plan(plan("b")).publish());

    assertThat(Comparison.of(List.of(known, unknown)).provenance()).isEmpty();
    assertThat(unknown.provenance()).isEmpty();
  }

  @Test
  void optionsAreReadByTheirNames() {
    assertThat(
            ProvenanceSection.options(
                List.of(
                    "model",
                    "--port",
                    "8000",
                    "--flag",
                    "--x=1",
                    "-tp",
                    "8",
                    "--offset",
                    "-1",
                    "--names",
                    "a",
                    "b")))
        .isEqualTo(
            Map.of(
                "", "model",
                "--port", "8000",
                "--flag", "set",
                "--x", "1",
                "-tp", "8",
                "--offset", "-1",
                "--names", "a b"));
  }

  private ComparedRun run(String uid, Provenance provenance, String blockSize) throws Exception {
    return ComparedRun.read(
        new StoredFolder(root)
            .plan(plan(uid).provenance(provenance))
            .environment(Map.of("runnerVersion", uid, "provenance", provenance))
            .provenance(
                provenance,
                new EngineFacts("0.32.0", Map.of("block_size", blockSize), List.of(), List.of()))
            .publish());
  }

  private static PlanBuilder plan(String uid) {
    return new PlanBuilder().uid(uid).replica("http://127.0.0.1:1");
  }

  private static Provenance provenance(String imageId, String seqs, List<String> problems) {
    return new Provenance(
        3L,
        "0.32.0",
        List.of(
            new Servers(
                "vllm:1",
                imageId,
                List.of("vllm", "serve"),
                List.of("m", "--max-num-seqs", seqs),
                new Gpus(8, "nvidia.com/gpu", "H100", "81559 MiB", "570.1"),
                List.of(new ServerPod("llm-0", "node-7"), new ServerPod("llm-1", "node-8")))),
        new Runner("registry/runner:1", "sha256:r", "0.1.0+96f94f4"),
        problems);
  }
}
