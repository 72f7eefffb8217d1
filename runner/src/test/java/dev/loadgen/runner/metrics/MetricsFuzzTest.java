package dev.loadgen.runner.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.fuzz.Fuzz;
import dev.loadgen.results.metrics.ServerMetrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever a server says of itself: it is followed over time, or the line is named. */
class MetricsFuzzTest {
  private static final List<String> SERIES =
      List.of("vllm:request_success_total{finished_reason=\"stop\"}", "process_open_fds");

  @Test
  void expositions() throws IOException {
    List<List<String>> seeds = new ArrayList<>();
    for (String file : List.of("vllm/metrics_after", "sglang/metrics_after")) {
      seeds.add(Files.readAllLines(Path.of("src/test/resources", file + ".response.txt")));
    }
    Fuzz.of("prometheus")
        .refusing(IllegalArgumentException.class)
        .run(
            1_500,
            change -> {
              List<String> seed = change.oneOf(seeds);
              int at = change.below(seed.size());
              String text = String.join("\n", seed.subList(at, Math.min(seed.size(), at + 40)));
              return (change.oneIn(4) ? text : change.lines(text)).getBytes(StandardCharsets.UTF_8);
            },
            input -> {
              String text = new String(input, StandardCharsets.UTF_8);
              ReplicaRecorder recorder = new ReplicaRecorder("r", Tracked.all(SERIES));
              recorder.read(1, PrometheusText.parse(text));
              recorder.read(2_000_000_000L, PrometheusText.parse(text.replace(" 1", " 2")));
              recorder.read(3_000_000_000L, PrometheusText.parse(text));
              ServerMetrics metrics = recorder.metrics(0);
              assertThat(metrics.series()).allMatch(series -> !series.points().isEmpty());
              return true;
            });
  }

  @Test
  void names() {
    Fuzz.of("series")
        .refusing(IllegalArgumentException.class)
        .run(
            4_000,
            change -> change.text(change.oneOf(SERIES)).getBytes(StandardCharsets.UTF_8),
            input -> {
              SeriesSelector read = SeriesSelector.parse(new String(input, StandardCharsets.UTF_8));
              assertThat(SeriesSelector.parse(read.toString())).isEqualTo(read);
              return true;
            });
  }
}
