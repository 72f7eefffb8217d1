package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.Scenario;
import dev.loadgen.results.Records;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.results.report.Comparison.Difference;
import dev.loadgen.results.report.Comparison.Metric;
import dev.loadgen.results.report.Comparison.Standing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparisonTest {
  private final Path root;

  ComparisonTest(@TempDir Path root) {
    this.root = root;
  }

  private static PlanBuilder plan(String uid) {
    return new PlanBuilder().uid(uid).replica("http://127.0.0.1:1");
  }

  /** Streamed answers of the same number of tokens, with so long to the first. */
  private static List<SampleRecord> answers(double ttft, int tokens) {
    List<SampleRecord> samples = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      samples.add(Records.streamed(i, 0, i, i + ttft, i + ttft + 100, tokens));
    }
    return samples;
  }

  private ComparedRun run(PlanBuilder plan, double ttft, int tokens) throws Exception {
    return ComparedRun.read(
        new StoredFolder(root).plan(plan).samples(answers(ttft, tokens)).publish());
  }

  private static Metric metric(Comparison comparison, String name) {
    return comparison.metrics().stream()
        .filter(metric -> metric.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void differencesAreFromTheFirstRunAndKnowWhatIsBetter() throws Exception {
    Comparison comparison =
        Comparison.of(
            List.of(run(plan("a"), 20, 11), run(plan("b"), 30, 11), run(plan("c"), 10, 11)));

    Metric ttft = metric(comparison, "TTFT p50");
    assertThat(ttft.values()).containsExactly(20.0, 30.0, 10.0);
    assertThat(ttft.differencePercent()).containsExactly(0.0, 50.0, -50.0);
    assertThat(ttft.standing()).containsExactly(Standing.SAME, Standing.WORSE, Standing.BETTER);
    Metric tokens = metric(comparison, "output tokens");
    assertThat(tokens.standing()).containsExactly(Standing.SAME, Standing.WORSE, Standing.BETTER);
    assertThat(metric(comparison, "failed").standing())
        .containsExactly(Standing.SAME, Standing.SAME, Standing.SAME);
    assertThat(metric(comparison, "failed").differencePercent()).containsExactly(null, null, null);
    assertThat(metric(comparison, "duration").standing()).containsOnly(Standing.UNKNOWN);
    assertThat(comparison.incomparable()).isEmpty();
    assertThat(comparison.plans()).isEmpty();
    assertThat(comparison.runs()).extracting(Comparison.Run::label).containsExactly("A", "B", "C");
  }

  @Test
  void higherScoresAreBetterAndLongerAnswersAreNot() throws Exception {
    List<ComparedRun> runs = new ArrayList<>();
    for (double score : List.of(80.0, 84.0)) {
      runs.add(
          ComparedRun.read(
              new StoredFolder(root)
                  .plan(plan("uid-" + score))
                  .samples(answers(20, 11))
                  .scores(
                      List.of(
                          new AccuracyScore("exact_match", score, 82.2987),
                          new AccuracyScore("tokens_per_sample", 100 * score, null),
                          new AccuracyScore("GEN_LEN_BY_LINE", 1000 * score, null)))
                  .publish()));
    }

    Comparison comparison = Comparison.of(runs);

    assertThat(metric(comparison, "exact_match").standing())
        .containsExactly(Standing.SAME, Standing.BETTER);
    assertThat(metric(comparison, "tokens_per_sample").standing()).containsOnly(Standing.UNKNOWN);
    assertThat(metric(comparison, "GEN_LEN_BY_LINE").standing()).containsOnly(Standing.UNKNOWN);
  }

  @Test
  void otherWorkIsNamedFirst() throws Exception {
    Comparison comparison =
        Comparison.of(
            List.of(
                run(plan("a"), 20, 11),
                run(
                    plan("b")
                        .servers(s -> s.model("other"))
                        .server(Scenario.Server, 64, 10)
                        .dataset("other.json")
                        .maxNewTokens(99)
                        .client(c -> c.warmupRequests(7)),
                    20,
                    21)));

    assertThat(comparison.incomparable())
        .extracting(Difference::field)
        .contains(
            "test.scenario",
            "server.model",
            "dataset.path",
            "sampling.maxNewTokens",
            "output tokens per answer");
    assertThat(comparison.incomparable())
        .contains(new Difference("server.model", List.of(PlanBuilder.MODEL, "other")))
        .contains(new Difference("output tokens per answer", List.of("11.00", "21.00")));
    assertThat(comparison.plans())
        .extracting(Difference::field)
        .contains("client.warmupRequests", "test.targetQps")
        .doesNotContain("run.uid", "server.model");
  }

  @Test
  void sameContentUnderAnotherNameIsTheSameDataset() throws Exception {
    List<ComparedRun> runs = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      runs.add(
          ComparedRun.read(
              new StoredFolder(root)
                  .plan(plan(name).dataset(name + ".json"))
                  .environment(Map.of("dataset", Map.of("sha256", "5e"), "cpu", name))
                  .samples(answers(1, 9))
                  .publish()));
    }

    Comparison comparison = Comparison.of(runs);

    assertThat(comparison.incomparable()).isEmpty();
    assertThat(comparison.plans()).isEmpty();
    assertThat(comparison.environments()).containsExactly(new Difference("cpu", List.of("a", "b")));
  }

  @Test
  void summaryAloneHasNoPlanToDifferIn() throws Exception {
    Path folder = new StoredFolder(root).plan(plan("a")).samples(answers(20, 11)).publish();
    ComparedRun alone = ComparedRun.read(folder.resolve("summary.json"));

    Comparison comparison = Comparison.of(List.of(ComparedRun.read(folder), alone));

    assertThat(alone.name()).isEqualTo("run");
    assertThat(comparison.runs())
        .extracting(Comparison.Run::planKnown)
        .containsExactly(true, false);
    assertThat(comparison.plans()).isEmpty();
    assertThat(metric(comparison, "TTFT p99").differencePercent()).containsExactly(0.0, 0.0);
  }

  @Test
  void runThatFailedHasNoNumbers() throws Exception {
    ComparedRun failed =
        ComparedRun.read(
            new StoredFolder(root).plan(plan("f")).failure("DatasetInvalid", "no").publish());

    Comparison comparison = Comparison.of(List.of(run(plan("a"), 20, 11), failed));

    assertThat(comparison.runs().get(1).verdict()).isEqualTo("Failed");
    assertThat(metric(comparison, "TTFT p50").values()).containsExactly(20.0, null);
    assertThat(metric(comparison, "TTFT p50").standing().get(1)).isEqualTo(Standing.UNKNOWN);
  }

  @Test
  void jsonHoldsWhatTheTableShows() throws Exception {
    Comparison comparison = Comparison.of(List.of(run(plan("a"), 20, 11), run(plan("b"), 30, 11)));

    JsonNode json = new ObjectMapper().readTree(ContractJson.writePretty(comparison));

    assertThat(json.path("runs").get(1).path("label").asText()).isEqualTo("B");
    JsonNode metric = json.path("metrics").get(0);
    assertThat(metric.path("name").asText()).isEqualTo("tokens_per_second");
    assertThat(metric.path("better").asText()).isEqualTo("HIGHER");
    assertThat(metric.path("standing").get(1).asText()).isEqualTo("SAME");
    assertThat(metric.path("differencePercent").get(1).asDouble()).isZero();
  }

  @Test
  void pageShowsCurvesOfBothAndWhatDiffers() throws Exception {
    List<ComparedRun> runs =
        List.of(run(plan("a"), 20, 11), run(plan("b").servers(s -> s.model("<script>")), 30, 11));

    String html = HtmlComparison.html(Comparison.of(runs), runs);

    assertThat(html)
        .contains("Not comparable", "server.model", "&lt;script&gt;", "+50.0 % worse")
        .contains("Time to first token", "A p99", "B p99")
        .doesNotContain("NaN", "Infinity");
    assertThat(html).doesNotContainPattern("https?://(?!127)");
    assertThat(html.indexOf("id=\"incomparable\"")).isLessThan(html.indexOf("id=\"metrics\""));
  }

  @Test
  void pageOfSummariesAloneHasNoCharts() throws Exception {
    Path folder = new StoredFolder(root).plan(plan("a")).samples(answers(20, 11)).publish();
    ComparedRun alone = ComparedRun.read(folder.resolve("summary.json"));

    String html = HtmlComparison.html(Comparison.of(List.of(alone, alone)), List.of(alone, alone));

    assertThat(html).doesNotContain("<svg").contains("only a summary");
  }

  @Test
  void whatIsNoRunIsRefused() {
    assertThatThrownBy(() -> ComparedRun.read(root.resolve("nothing")))
        .isInstanceOf(UnreadableRunException.class)
        .hasMessageContaining("there is no such file");
  }
}
