package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.check.OneSystem;
import dev.loadgen.rules.evidence.TestedSystem;
import dev.loadgen.rules.ruleset.Ruleset;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredSystemTest {
  private final Path root;

  StoredSystemTest(@TempDir Path root) {
    this.root = root;
  }

  private static PlanBuilder plan() {
    return new PlanBuilder().benchmark("llama3.1-8b", "llama3_1-8b").test(t -> t.ruleset("v6.1"));
  }

  private TestedSystem stored(String name, PlanBuilder plan, String sha256)
      throws UnreadableRunException {
    StoredRun run =
        new StoredFolder(root)
            .plan(plan.uid(name).replica("http://127.0.0.1:1"))
            .environment(Map.of("dataset", Map.of("sha256", sha256)))
            .read();
    return StoredSystem.test(name, run);
  }

  private static List<String> differences(TestedSystem... tests) {
    return OneSystem.judge(Ruleset.named("v6.1"), List.of(tests)).findings().stream()
        .map(Finding::message)
        .toList();
  }

  @Test
  void performanceAndAccuracyOfOneSystemAgree() throws Exception {
    assertThat(
            differences(
                stored("p", plan(), "x"),
                stored("a", plan().accuracy(RunPlan.CompletionData.TOKEN_IDS), "x"),
                stored("c", plan().compliance("TEST06"), "x")))
        .isEmpty();
  }

  @Test
  void whatDiffersIsNamed() throws Exception {
    PlanBuilder accuracy =
        plan()
            .accuracy(RunPlan.CompletionData.TOKEN_IDS)
            .servers(s -> s.model("quantised"))
            .maxNewTokens(64)
            .server(Engine.sglang, EndpointType.generate)
            .replica("http://127.0.0.1:2");

    assertThat(differences(stored("p", plan(), "x"), stored("a", accuracy, "y")))
        .containsExactlyInAnyOrder(
            "llama3.1-8b in v6.1: model is quantised in a; tiny-llama in p.",
            "llama3.1-8b Offline in v6.1: engine is sglang in a; vllm in p.",
            "llama3.1-8b Offline in v6.1: endpointType is completions in p; generate in a.",
            "llama3.1-8b Offline in v6.1: number of servers is 1 in p; 2 in a.",
            "llama3.1-8b Offline in v6.1: maxNewTokens is 16 in p; 64 in a.",
            "llama3.1-8b (cnn_eval.json) in v6.1: dataset is x in p; y in a.");
  }
}
