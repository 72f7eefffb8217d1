package dev.loadgen.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.Percentiles;
import dev.loadgen.contract.RunResultBuilder;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loadgen compare} and {@code loadgen report} without a run. */
class CompareCommandTest {
  private Path folder;
  private TestTerminal terminal;

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
    terminal = new TestTerminal(temporary);
  }

  private String summary(String name, double tokensPerSecond, double ttftP99) throws IOException {
    RunResult result =
        RunResultBuilder.builder()
            .metric("tokens_per_second")
            .value(tokensPerSecond)
            .unit("tokens/s")
            .completed(100L)
            .failed(0L)
            .outputTokens(1000L)
            .tokenCountSource("usage")
            .tokensPerSecond(tokensPerSecond)
            .samplesPerSecond(10.0)
            .durationSeconds(10.0)
            .latency(new Percentiles(1.0, 1.0, 1.0, 1.0, 1.0))
            .ttft(new Percentiles(5.0, 5.0, 5.0, ttftP99, ttftP99))
            .retries(0L)
            .build();
    RunSummary summary =
        RunSummaryBuilder.builder()
            .version(RunSummary.VERSION)
            .verdict(Verdict.Valid)
            .verdictReasons(List.of())
            .result(result)
            .resultsPath(name + "/uid")
            .startedAt("2026-01-01T00:00:00Z")
            .finishedAt("2026-01-01T00:00:10Z")
            .build();
    Path file = folder.resolve(name + ".json");
    Files.writeString(file, ContractJson.writePretty(summary));
    return file.toString();
  }

  @Test
  void tableSaysWhatIsBetter() throws IOException {
    int status = terminal.loadgen("compare", summary("slow", 1000, 80), summary("fast", 1100, 100));

    assertThat(status).as(terminal.err()).isZero();
    assertThat(terminal.out())
        .containsPattern("A +slow +Valid +\\S+slow.json +\\(only a summary")
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
        terminal.loadgen(
            "compare", "-o", "json", summary("slow", 1000, 80), summary("fast", 1100, 100));

    assertThat(status).as(terminal.err()).isZero();
    JsonNode json = new ObjectMapper().readTree(terminal.out());
    assertThat(json.path("runs").get(1).path("name").asText()).isEqualTo("fast");
    assertThat(json.path("metrics").get(0).path("standing").get(1).asText()).isEqualTo("BETTER");
  }

  @Test
  void pageIsWrittenBeside() throws IOException {
    Path page = folder.resolve("page.html");

    int status =
        terminal.loadgen(
            "compare", summary("a", 1000, 80), summary("b", 1100, 100), "--html", page.toString());

    assertThat(status).as(terminal.err()).isZero();
    assertThat(page).content().startsWith("<!doctype html>").contains("+25.0 % worse");
    assertThat(terminal.out()).contains("page     " + page);
  }

  @Test
  void oneRunIsNotEnough() throws IOException {
    assertThat(terminal.loadgen("compare", summary("a", 1000, 80))).isEqualTo(2);
    assertThat(terminal.err()).contains("RUN");
  }

  @Test
  void whatIsNoSummaryIsNamed() throws IOException {
    Files.writeString(folder.resolve("x.json"), "{\"a\": 1}");

    assertThat(terminal.loadgen("compare", summary("a", 1, 1), folder.resolve("x.json").toString()))
        .isEqualTo(2);
    assertThat(terminal.err()).contains("x.json: has no version");
    assertThat(terminal.out()).isEmpty();
  }

  @Test
  void whatIsNotThereIsNamed() throws IOException {
    assertThat(
            terminal.loadgen("compare", summary("a", 1, 1), folder.resolve("nothing").toString()))
        .isEqualTo(2);
    assertThat(terminal.err()).contains("nothing: there is no such file");
  }

  @Test
  void pageNeedsAFolderThatIsThere() throws IOException {
    String page = folder.resolve("no/page.html").toString();

    assertThat(terminal.loadgen("compare", summary("a", 1, 1), summary("b", 1, 1), "--html", page))
        .isEqualTo(2);
    assertThat(terminal.err()).contains("--html " + page + ": there is no folder");
  }

  @Test
  void reportNeedsAResultsFolder() throws IOException {
    assertThat(terminal.loadgen("report", folder.toString())).isEqualTo(2);
    assertThat(terminal.err()).contains(folder + ": has no manifest.json");
    assertThat(terminal.loadgen("report", folder.resolve("nothing").toString())).isEqualTo(2);
    assertThat(terminal.err()).contains("nothing: is not a folder");
  }
}
