package dev.loadgen.results.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.results.metrics.ServerMetrics.Point;
import dev.loadgen.results.metrics.ServerMetrics.Series;
import dev.loadgen.results.metrics.ServerMetrics.Total;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerMetricsFileTest {
  private static final ServerMetrics SOME =
      new ServerMetrics(
          List.of(
              new Series(
                  "replica, \"0\"",
                  "ttft",
                  Kind.HISTOGRAM,
                  Statistic.P99,
                  "seconds",
                  List.of(new Point(-0.5, 0.0123457), new Point(4.501, 1.5))),
              new Series(
                  "replica-1",
                  "http_requests_total{status=\"5xx\"}",
                  Kind.COUNTER,
                  Statistic.RATE,
                  "requests/s",
                  List.of(new Point(0, 0)))),
          List.of(
              new Total(
                  "replica-1",
                  "generation_tokens",
                  Kind.COUNTER,
                  Statistic.TOTAL,
                  "tokens",
                  123_456_789)));

  private final Path folder;

  ServerMetricsFileTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void readsWhatItWrote() throws IOException {
    Path file = folder.resolve("metrics.csv.gz");
    ServerMetricsFile.write(file, SOME);

    assertThat(ServerMetricsFile.read(file)).isEqualTo(SOME);
    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo(
              """
              seconds,replica,metric,kind,statistic,unit,value
              -0.500,"replica, ""0""\",ttft,histogram,p99,seconds,0.0123457
              4.501,"replica, ""0""\",ttft,histogram,p99,seconds,1.5
              0.000,replica-1,"http_requests_total{status=""5xx""}",counter,rate,requests/s,0
              ,replica-1,generation_tokens,counter,total,tokens,123456789
              """);
    }
  }

  @Test
  void readsAnEmptyOne() throws IOException {
    Path file = folder.resolve("metrics.csv.gz");
    ServerMetricsFile.write(file, ServerMetrics.NONE);

    assertThat(ServerMetricsFile.read(file).isEmpty()).isTrue();
  }

  @Test
  void namesWhatItCannotRead() throws IOException {
    Path file = folder.resolve("metrics.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(
          "seconds,replica,metric,kind,statistic,unit,value\n1,r,m,gauge,value,,x\n"
              .getBytes(StandardCharsets.UTF_8));
    }
    assertThatThrownBy(() -> ServerMetricsFile.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("line 2");

    ServerMetricsFile.write(file, SOME);
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length / 2));
    assertThatThrownBy(() -> ServerMetricsFile.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("metrics.csv.gz");

    Files.write(file, new byte[] {1, 2, 3});
    assertThatThrownBy(() -> ServerMetricsFile.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("metrics.csv.gz");
  }
}
