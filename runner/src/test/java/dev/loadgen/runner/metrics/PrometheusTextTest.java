package dev.loadgen.runner.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.runner.metrics.Exposition.Sample;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrometheusTextTest {
  private static Sample one(String line) {
    return PrometheusText.parse(line).samples().values().iterator().next().getFirst();
  }

  @Test
  void readsNamesLabelsAndValues() {
    Exposition all =
        PrometheusText.parse(
            """
            # HELP a_total Things, "quoted" {and braced}.
            # TYPE a_total counter
            a_total{b="1",c="x"} 2.5e+06
            a_total 3 1795228754236

            # a comment
            b:c\t-1
            """);

    assertThat(all.types()).containsExactly(Map.entry("a_total", "counter"));
    assertThat(all.named("a_total"))
        .containsExactly(
            new Sample("a_total", Map.of("b", "1", "c", "x"), 2.5e6),
            new Sample("a_total", Map.of(), 3));
    assertThat(all.named("b:c")).extracting(Sample::value).containsExactly(-1.0);
    assertThat(all.named("d")).isEmpty();
  }

  @Test
  void readsEscapesBlanksAndATrailingComma() {
    assertThat(one("a { b = \"x } \\\"y\\\" \\\\ \\n\" , c=\"\", } 1"))
        .isEqualTo(new Sample("a", Map.of("b", "x } \"y\" \\ \n", "c", ""), 1));
  }

  @Test
  void readsNamesInQuotes() {
    assertThat(one("{\"http.requests\",\"my.label\"=\"x\"} 1"))
        .isEqualTo(new Sample("http.requests", Map.of("my.label", "x"), 1));
  }

  @Test
  void readsWhatOpenMetricsAdds() {
    Exposition all =
        PrometheusText.parse(
            """
            # TYPE a counter
            a_total 17.0 1520879607.789 # {id="x"} 0.67
            # EOF
            """);

    assertThat(all.named("a_total")).extracting(Sample::value).containsExactly(17.0);
  }

  @Test
  void readsNumbersThatAreNone() {
    assertThat(one("a NaN").value()).isNaN();
    assertThat(one("a +Inf").value()).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(one("a -Inf").value()).isEqualTo(Double.NEGATIVE_INFINITY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a x",
        "a 1d",
        "a 0x1p3",
        "a 1 2 3",
        "a{b=\"1\"}",
        "a{b=\"1\"}2",
        "a{b=\"1} 2",
        "a{b=1} 2",
        "a{b} 2",
        "a{b=\"1\" c=\"2\"} 2",
        "a{b=\"1\",b=\"2\"} 2",
        "a{",
        "{} 1",
        "1a 1",
        "<html>",
        "{\"a\": 1}"
      })
  void namesALineThatItCannotRead(String line) {
    assertThatThrownBy(() -> PrometheusText.parse("ok 1\n" + line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a line of Prometheus' text format: " + line);
  }

  @Test
  void writesASeriesAsItWasRead() {
    String series = "a{b=\"x \\\"y\\\" \\\\ \\n\",c=\"1\"}";

    assertThat(SeriesSelector.parse(series)).hasToString(series);
    assertThatThrownBy(() -> SeriesSelector.parse("a{b=\"1\"} 2"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
