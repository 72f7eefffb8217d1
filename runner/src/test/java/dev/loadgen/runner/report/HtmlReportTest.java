package dev.loadgen.runner.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.loadgen.api.v1alpha1.Verdict;
import dev.loadgen.api.v1alpha1.VerdictReason;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.runner.PlanBuilder;
import dev.loadgen.runner.client.RequestFailure;
import dev.loadgen.runner.dispatch.Records;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.dispatch.SampleRecord;
import dev.loadgen.runner.results.Measurement;
import java.io.StringReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class HtmlReportTest {
  private static final String HOSTILE = "</pre><script>alert('1')</script>\"'&<img src=http://x>";

  private static RunSummary summary(
      RunSummary.@Nullable Failure failure,
      List<VerdictReason> reasons,
      @Nullable Measurement measurement) {
    return new RunSummary(
        RunSummary.VERSION,
        failure,
        failure != null ? null : reasons.isEmpty() ? Verdict.Valid : Verdict.Invalid,
        reasons,
        measurement == null
            ? null
            : measurement.result(new Measurement.Metric("tokens_per_second", 1234.5, "tokens/s")),
        "run/uid",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:01:00Z");
  }

  private static Measurement measurement(String replica, List<SampleRecord> samples) {
    return new Measurement(samples, List.of(new Replica(0, replica, URI.create("http://r"))));
  }

  private static List<SampleRecord> streamed(int count) {
    Random random = new Random(1);
    List<SampleRecord> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double first = i + 5 + 20 * random.nextDouble();
      samples.add(
          i % 50 == 49
              ? Records.failed(
                  i, 0, i, i + 9, new RequestFailure(RequestFailure.Kind.BROKEN, HOSTILE))
              : Records.streamed(i, 0, i, first, first + 100 * random.nextDouble(), 2 + i % 30));
    }
    return samples;
  }

  private static RunPlan plan() {
    return new PlanBuilder().model(HOSTILE).replica("http://r").build();
  }

  private static String report(RunSummary summary, @Nullable Measurement measurement) {
    return new HtmlReport(plan(), summary, measurement, Map.of("os", HOSTILE)).html();
  }

  private static void wellFormedCharts(String html, int count) {
    List<String> charts =
        Pattern.compile("<svg.*?</svg>", Pattern.DOTALL)
            .matcher(html)
            .results()
            .map(result -> result.group())
            .toList();
    assertThat(charts).hasSize(count);
    for (String chart : charts) {
      assertThat(chart).doesNotContain("NaN", "Infinity");
      assertThatCode(
              () ->
                  DocumentBuilderFactory.newInstance()
                      .newDocumentBuilder()
                      .parse(new InputSource(new StringReader(chart))))
          .as(chart)
          .doesNotThrowAnyException();
    }
  }

  @Test
  void whatServersAndUsersWroteIsText() {
    Measurement measurement = measurement(HOSTILE, streamed(200));
    String html =
        report(
            summary(null, List.of(new VerdictReason(HOSTILE, HOSTILE, HOSTILE)), measurement),
            measurement);

    assertThat(html).doesNotContain("<script", "<img", "'1'").contains("&lt;script&gt;");
    assertThat(html).contains("Invalid", "tokens/s", "p99");
    wellFormedCharts(html, 6);
  }

  @Test
  void fileNeedsNothingElse() {
    Measurement measurement = measurement("r", streamed(200));
    String html =
        new HtmlReport(
                new PlanBuilder().replica("http://r").build(),
                summary(null, List.of(), measurement),
                measurement,
                Map.of())
            .html();

    assertThat(html).doesNotContainPattern("(?i)<[^>]*\\b(src|href|action|data)\\s*=");
    assertThat(html).doesNotContainPattern("(?i)@import|url\\(|<link|<iframe|<object|<script");
    assertThat(html).contains("prefers-color-scheme: dark", "@media print", "Valid");
    assertThat(html).contains("not an MLPerf result");
  }

  @Test
  void largeRunsStaySmall() {
    Measurement measurement = measurement("r", streamed(100_000));
    String html = report(summary(null, List.of(), measurement), measurement);
    assertThat(html.getBytes(StandardCharsets.UTF_8).length).isLessThan(1_000_000);
    wellFormedCharts(html, 6);
  }

  @Test
  void failureBeforeTheTestSaysWhy() {
    String html =
        report(
            summary(new RunSummary.Failure("DatasetInvalid", "no column <x>"), List.of(), null),
            null);
    assertThat(html).contains("Failed", "DatasetInvalid", "no column &lt;x&gt;");
    wellFormedCharts(html, 0);
  }

  @Test
  void nothingButFailuresIsAReportToo() {
    Measurement measurement =
        measurement(
            "r",
            List.of(
                Records.failed(
                    0, 0, 0, 0, new RequestFailure(RequestFailure.Kind.CONNECT, "refused")),
                Records.unsent(1, 0, 0)));
    String html =
        report(
            summary(null, List.of(new VerdictReason("NoSamples", "m", "f")), measurement),
            measurement);
    assertThat(html).contains("CONNECT", "ABORTED", "not measured");
    wellFormedCharts(html, 2);
  }

  @Test
  void oneSampleThatTookNoTimeIsAReportToo() {
    Measurement measurement = measurement("r", List.of(Records.streamed(0, 0, 0, 0, 0, 1)));
    wellFormedCharts(report(summary(null, List.of(), measurement), measurement), 5);
  }
}
