package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.ProfilingTool;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.Scenario;
import dev.loadgen.results.Records;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class HtmlReportTest {
  private static final String HOSTILE =
      "</pre></style><script>alert('1')</script>\"'&<img src=http://x>";

  private final StoredFolder folder;

  HtmlReportTest(@TempDir Path root) {
    folder = new StoredFolder(root);
  }

  /** The charts' titles; fails unless each chart is well formed and all of its numbers are. */
  private static List<String> charts(String html) {
    List<String> figures = found(html, "<figure>.*?</figure>");
    for (String figure : figures) {
      assertThat(figure).doesNotContain("NaN", "Infinity");
      assertThatCode(
              () ->
                  DocumentBuilderFactory.newInstance()
                      .newDocumentBuilder()
                      .parse(new InputSource(new StringReader(figure))))
          .as(figure)
          .doesNotThrowAnyException();
    }
    return figures.stream().map(figure -> found(figure, "(?<=<h3>).*?(?=</h3>)").get(0)).toList();
  }

  private static List<String> found(String html, String pattern) {
    return Pattern.compile(pattern, Pattern.DOTALL)
        .matcher(html)
        .results()
        .map(MatchResult::group)
        .toList();
  }

  /** What is in a section, without markup. */
  private static String section(String html, String id) {
    List<String> sections = found(html, "<section id=\"" + id + "\">.*?</section>");
    assertThat(sections).as(id).hasSize(1);
    return sections.get(0).replaceAll("<[^>]*>", " ").replaceAll("\\s+", " ");
  }

  @Test
  void whatServersAndUsersWroteIsText() throws Exception {
    String html =
        folder
            .plan(new PlanBuilder().servers(s -> s.model(HOSTILE)).replica("http://r"))
            .replica(HOSTILE)
            .samples(StoredFolder.streamed(200, HOSTILE))
            .reason(HOSTILE, HOSTILE, HOSTILE)
            .environment(Map.of(HOSTILE, HOSTILE, "client", Map.of(HOSTILE, HOSTILE)))
            .report();

    assertThat(html).doesNotContain("<script>alert", "<img", "'1'").contains("&lt;script&gt;");
    assertThat(found(html, "<script")).hasSize(1);
    assertThat(charts(html)).isNotEmpty();
  }

  @Test
  void tracesOfServersAreFound() throws Exception {
    String html =
        folder
            .samples(StoredFolder.streamed(10, ""))
            .profiling(
                new RunSummary.Profiling(
                    ProfilingTool.Torch,
                    "traces",
                    "llama",
                    "run-7",
                    List.of(
                        new RunSummary.Window("llama-0", 30_012L, 40_040L, 55_000L, null),
                        new RunSummary.Window("llama-1", null, null, null, "answered <b>404"))))
            .report();

    assertThat(section(html, "profiling"))
        .contains(
            "under the profiler Torch",
            "in claim traces , below llama/",
            "begin with run-7 .",
            "llama-0",
            "llama-1",
            "answered &lt;b&gt;404");
  }

  @Test
  void fileNeedsNothingElse() throws Exception {
    String html = folder.samples(StoredFolder.streamed(200, "broken")).report();

    assertThat(found(html, "(?i)\\b(?:src|action|data|srcset|background)\\s*=")).isEmpty();
    assertThat(found(html, "(?<=href=\").*?(?=\")"))
        .contains("#result", "summary.json", "requests.csv.gz", "server/tokens.json")
        .allSatisfy(link -> assertThat(link).doesNotContain(":").doesNotStartWith("/"));
    assertThat(html)
        .doesNotContainPattern("(?i)@import|url\\(|<link|<iframe|<object|<[^>]*https?://");
    assertThat(html)
        .contains("default-src &#39;none&#39;", "prefers-color-scheme: dark", "@media print");
    // The policy allows one style and one script by their content, and no attribute.
    assertThat(html).doesNotContainPattern("<[^>]* style=|<[^>]* on[a-z]+=");
  }

  @Test
  void verdictComesFirstWithRuleAndFix() throws Exception {
    String html =
        folder
            .samples(StoredFolder.streamed(200, "broken"))
            .reason("Ttft", "TTFT p99 is 3 s, must be below 2 s.", "Lower spec.load.targetQps.")
            .report();

    String top = html.substring(html.indexOf("<body>"), html.indexOf("<nav"));
    assertThat(top)
        .contains("✗ Invalid", "Ttft", "must be below 2 s", "Lower spec.load.targetQps.")
        .contains("This is not an MLPerf result");
  }

  @Test
  void streamedRunHasAllCharts() throws Exception {
    String html =
        folder
            .plan(
                new PlanBuilder()
                    .server(Scenario.Server, 2000, 100)
                    .replica("http://r")
                    .tokenLimits(20.0, 1e5))
            .samples(StoredFolder.streamed(2000, "broken"))
            .report();

    assertThat(charts(html))
        .containsExactly(
            "Time to first token",
            "Time per output token",
            "Latency",
            "Time to first token",
            "Time per output token",
            "Latency",
            "Requests in flight",
            "Samples a second",
            "Output tokens per second",
            "Output tokens per answer");
    assertThat(section(html, "result")).contains("✗ 20.00", "✓ 100\u202f000");
    assertThat(section(html, "distributions")).contains("limit 20.00\u202fms, kept by 73.8");
    assertThat(section(html, "failures")).contains("BROKEN 40 server-0: 40 broken");
    assertThat(section(html, "replicas")).contains("server-0 1960 40");
    assertThat(section(html, "tokens")).contains("token_ids", "✗ 7", "length: 1960");
    assertThat(section(html, "loadgen")).contains("MLPerf Results Summary");
  }

  @Test
  void answersThatWereNotStreamedHaveLatencyAlone() throws Exception {
    List<String> titles =
        charts(
            folder
                .samples(
                    List.of(Records.whole(0, 0, 0, 1, 50, 4), Records.whole(1, 0, 2, 4, 90, 4)))
                .report());

    assertThat(titles)
        .containsExactly(
            "Latency",
            "Latency",
            "Requests in flight",
            "Samples a second",
            "Output tokens per second",
            "Output tokens per answer");
  }

  @Test
  void scoresStandBesideBothBoundsOfTheRound() throws Exception {
    String html =
        folder
            .samples(StoredFolder.streamed(10, "broken"))
            .file(
                "accuracy.json",
                """
                {"evaluator": "exact match", "samples": 4395, "duplicates": 0,
                  "scores": [
                    {"name": "exact_match", "atLeast": 60.5, "atMost": 84.25, "minimum": 82.2987, "source": "s"},
                    {"name": "tokens_per_sample", "value": 12000.0, "maximum": 10998.9, "source": "s"},
                    {"name": "GEN_LEN", "value": 8000000.0, "minimum": 7350879.6, "maximum": 8984408.4, "source": "s"},
                    {"name": "ROUGE1", "value": 40.0}],
                  "parts": [{"name": "aime25", "correct": 200, "unknown": 3, "total": 240, "repeats": 8}],
                  "counts": {"unparsed": 2}, "programsNotExecuted": 1, "notes": ["Programs were not run."]}
                """)
            .report();

    assertThat(section(html, "accuracy"))
        .contains(
            "exact match, over 4395 samples.",
            "exact_match 60.50 to 84.25 ? at least 82.2987",
            "tokens_per_sample 12\u202f000 ✗ at most 10998.9",
            "GEN_LEN 8\u202f000\u202f000 ✓ at least 7350879.6 and at most 8984408.4",
            "ROUGE1 40.00 –",
            "Programs were not run.",
            "aime25 200 3 240 8 ",
            "unparsed 2");
    assertThat(html).contains("class=\"open\"", "class=\"bad\"", "class=\"good\"");
  }

  @Test
  void debugModeHasItsStatistics() throws Exception {
    String html =
        folder
            .samples(StoredFolder.streamed(10, "broken"))
            .file(
                "debug/token-statistics.json",
                """
                {"input": {"count": 10, "mean": 15.5, "min": 10, "p50": 14, "p90": 19, "p99": 20, "max": 20,
                  "histogram": [{"from": 10, "to": 15, "count": 6}, {"from": 15, "to": 20, "count": 4}]}}
                """)
            .file(
                "debug/phases.json",
                """
                {"connect": {"count": 10, "mean": 0.25, "min": 0, "p50": 0, "p90": 1, "p99": 2, "max": 2}}
                """)
            .report();

    assertThat(section(html, "debug"))
        .contains("connect 10 0.250 0 1.00 2.00 2.00", "input 10 15.50 14.00 19.00 20.00 20.00");
    assertThat(charts(html)).contains("Input tokens per sample");
    assertThat(html).contains("href=\"debug/phases.json\"");
  }

  @Test
  void sizeDoesNotGrowWithTheSamples() throws Exception {
    String html = folder.samples(StoredFolder.streamed(300_000, "broken")).report();

    assertThat(html.getBytes(StandardCharsets.UTF_8).length).isLessThan(500_000);
    assertThat(charts(html)).hasSize(10);
  }

  @Test
  void failureBeforeTheTestSaysWhy() throws Exception {
    String html = folder.failure("DatasetInvalid", "no column <x>").report();

    assertThat(html).contains("✗ Failed: DatasetInvalid", "no column &lt;x&gt;");
    assertThat(charts(html)).isEmpty();
    assertThat(html).doesNotContain("requests.csv.gz");
  }

  @Test
  void nothingButFailuresIsAReportToo() throws Exception {
    String html =
        folder
            .samples(
                List.of(
                    Records.failed(
                        0, 0, 0, 0, new RequestFailure(RequestFailure.Kind.CONNECT, "refused")),
                    Records.unsent(1, 0, 0)))
            .reason("NoSamples", "m", "f")
            .report();

    assertThat(html).contains("CONNECT", "ABORTED", "not sent: 1", "not measured");
    assertThat(charts(html)).containsExactly("Requests in flight", "Samples a second");
  }

  @Test
  void oneSampleThatTookNoTimeIsAReportToo() throws Exception {
    String html = folder.samples(List.of(Records.streamed(0, 0, 0, 0, 0, 1))).report();

    assertThat(charts(html)).contains("Time to first token", "Latency", "Output tokens per second");
  }

  @Test
  void noSamplesAreAReportToo() throws Exception {
    assertThat(charts(folder.samples(List.of()).report())).isEmpty();
  }
}
