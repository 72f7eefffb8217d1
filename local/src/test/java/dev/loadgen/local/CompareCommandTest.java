package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.RunResult;
import dev.loadgen.api.v1alpha1.RunResult.Percentiles;
import dev.loadgen.api.v1alpha1.Verdict;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loadgen compare} and {@code loadgen report} without a run. */
class CompareCommandTest {
  private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
  }

  private int execute(String... arguments) {
    return LoadgenCommand.execute(
        new Surroundings(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            Map.of(),
            folder,
            folder,
            folder,
            "",
            false),
        arguments);
  }

  private String summary(String name, double tokensPerSecond, double ttftP99) throws IOException {
    RunResult result =
        new RunResult(
            "tokens_per_second",
            tokensPerSecond,
            "tokens/s",
            100L,
            0L,
            1000L,
            "usage",
            tokensPerSecond,
            10.0,
            10.0,
            new Percentiles(1.0, 1.0, 1.0, 1.0, 1.0),
            new Percentiles(5.0, 5.0, 5.0, ttftP99, ttftP99),
            null,
            0L,
            null,
            null);
    RunSummary summary =
        new RunSummary(
            RunSummary.VERSION,
            null,
            Verdict.Valid,
            List.of(),
            result,
            name + "/uid",
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:00:10Z");
    Path file = folder.resolve(name + ".json");
    Files.writeString(file, ContractJson.writePretty(summary));
    return file.toString();
  }

  @Test
  void tableSaysWhatIsBetter() throws IOException {
    int status = execute("compare", summary("slow", 1000, 80), summary("fast", 1100, 100));

    assertThat(status).as(err.toString()).isZero();
    assertThat(out.toString())
        .containsPattern("A +slow +Valid +\\S+slow.json +\\(a summary alone")
        .containsPattern("METRIC +UNIT +A +B +B TO A\n")
        .containsPattern("tokens_per_second +tokens/s +1000 +1100 +\\+10.0 % better\n")
        .containsPattern("TTFT p99 +ms +80.00 +100.0 +\\+25.0 % worse\n")
        .containsPattern("latency p50 +ms +1.00 +1.00 +same\n")
        .containsPattern("answered +samples +100 +100 +\\+0.0 %\n")
        .doesNotContain("TPOT", "NOT COMPARABLE");
  }

  @Test
  void jsonIsForPrograms() throws IOException {
    int status =
        execute("compare", "-o", "json", summary("slow", 1000, 80), summary("fast", 1100, 100));

    assertThat(status).as(err.toString()).isZero();
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.path("runs").get(1).path("name").asText()).isEqualTo("fast");
    assertThat(json.path("metrics").get(0).path("standing").get(1).asText()).isEqualTo("BETTER");
  }

  @Test
  void pageIsWrittenBeside() throws IOException {
    Path page = folder.resolve("page.html");

    int status =
        execute(
            "compare", summary("a", 1000, 80), summary("b", 1100, 100), "--html", page.toString());

    assertThat(status).as(err.toString()).isZero();
    assertThat(page).content().startsWith("<!doctype html>").contains("+25.0 % worse");
    assertThat(out.toString()).contains("page     " + page);
  }

  @Test
  void oneRunIsNotEnough() throws IOException {
    assertThat(execute("compare", summary("a", 1000, 80))).isEqualTo(2);
    assertThat(err.toString()).contains("RUN");
  }

  @Test
  void whatIsNoSummaryIsNamed() throws IOException {
    Files.writeString(folder.resolve("x.json"), "{\"a\": 1}");

    assertThat(execute("compare", summary("a", 1, 1), folder.resolve("x.json").toString()))
        .isEqualTo(2);
    assertThat(err.toString()).contains("x.json: has no version");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void whatIsNotThereIsNamed() throws IOException {
    assertThat(execute("compare", summary("a", 1, 1), folder.resolve("nothing").toString()))
        .isEqualTo(2);
    assertThat(err.toString()).contains("nothing: there is no such file");
  }

  @Test
  void pageNeedsAFolderThatIsThere() throws IOException {
    String page = folder.resolve("no/page.html").toString();

    assertThat(execute("compare", summary("a", 1, 1), summary("b", 1, 1), "--html", page))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--html " + page + ": there is no folder");
  }

  @Test
  void reportNeedsAResultsFolder() throws IOException {
    assertThat(execute("report", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains(folder + ": has no manifest.json");
    assertThat(execute("report", folder.resolve("nothing").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("nothing: is no folder");
  }
}
