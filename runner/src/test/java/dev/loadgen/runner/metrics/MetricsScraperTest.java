package dev.loadgen.runner.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.client.ServerProbeException;
import dev.loadgen.results.metrics.ServerMetrics;
import dev.loadgen.results.metrics.ServerMetrics.Series;
import dev.loadgen.results.metrics.ServerMetrics.Total;
import dev.loadgen.results.metrics.Statistic;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.metrics.MetricsScraper.Readings;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsScraperTest {
  private static final Duration NEVER = Duration.ofHours(1);

  private final Path folder;

  MetricsScraperTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private static List<Replica> replicas(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Replica(i, "replica-" + i, URI.create("http://127.0.0.1:" + (8000 + i))))
        .toList();
  }

  private static MetricsScraper scraper(
      MetricsScraper.Source source, int replicas, Duration interval) {
    return new MetricsScraper(
        source,
        replicas(replicas),
        interval,
        List.of(),
        System::nanoTime,
        () -> 1_700_000_000_000L);
  }

  private String scrapes() throws IOException {
    try (GZIPInputStream in =
        new GZIPInputStream(Files.newInputStream(folder.resolve("server/scrapes.csv.gz")))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void readsBeforeAndAfterTheTestHoweverShortItIs() throws Exception {
    AtomicInteger tokens = new AtomicInteger();
    try (MetricsScraper scraper =
        scraper(
            url ->
                """
                vllm:generation_tokens_total{engine="0"} %d
                vllm:generation_tokens_created{engine="0"} 1.7e9
                vllm:num_requests_running 2
                """
                    .formatted(tokens.addAndGet(100)),
            1,
            NEVER)) {
      scraper.start(folder);
      assertThat(tokens).hasValue(100);

      scraper.finish();
      ServerMetrics metrics = scraper.metrics(System.nanoTime());

      assertThat(metrics.totals())
          .filteredOn(total -> total.statistic() == Statistic.TOTAL)
          .extracting(Total::value)
          .containsExactly(100.0);
      assertThat(scraper.readings()).containsExactly(new Readings("replica-0", 2, 0, null));
    }
    // The second reading writes what has changed, and that it was made.
    assertThat(scrapes())
        .isEqualTo(
            """
            unix_ms,replica,series,value
            1700000000000,replica-0,up,1
            1700000000000,replica-0,"vllm:generation_tokens_total{engine=""0""}",100
            1700000000000,replica-0,vllm:num_requests_running,2
            1700000000000,replica-0,up,1
            1700000000000,replica-0,"vllm:generation_tokens_total{engine=""0""}",200
            """);
  }

  @Test
  void goesOnReadingUntilItIsStopped() throws Exception {
    CountDownLatch enough = new CountDownLatch(5);
    try (MetricsScraper scraper =
        scraper(
            url -> {
              enough.countDown();
              return "vllm:num_requests_running 2";
            },
            1,
            Duration.ofMillis(1))) {
      scraper.start(folder);
      enough.await();

      scraper.finish();
      Series running = scraper.metrics(System.nanoTime()).series().getFirst();

      assertThat(running.points()).hasSizeGreaterThanOrEqualTo(5);
      assertThat(running.points())
          .isSortedAccordingTo((a, b) -> Double.compare(a.seconds(), b.seconds()));
    }
  }

  @Test
  void oneWithoutMetricsKeepsNobodyFromReadingTheOther() throws Exception {
    try (MetricsScraper scraper =
        scraper(
            url -> {
              if (url.getPort() == 8000) {
                throw new ServerProbeException(url + "/metrics answered HTTP 404");
              }
              return url.getPort() == 8001 ? "no metrics at all" : "sglang:num_running_reqs 3";
            },
            3,
            NEVER)) {
      scraper.start(folder);

      scraper.finish();
      ServerMetrics metrics = scraper.metrics(System.nanoTime());

      assertThat(metrics.series()).extracting(Series::replica).containsExactly("replica-2");
      assertThat(scraper.readings())
          .containsExactly(
              new Readings("replica-0", 0, 2, "http://127.0.0.1:8000/metrics answered HTTP 404"),
              new Readings(
                  "replica-1", 0, 2, "not a line of Prometheus' text format: no metrics at all"),
              new Readings("replica-2", 2, 0, null));
    }
    assertThat(scrapes()).contains("replica-0,up,0", "replica-1,up,0", "replica-2,up,1");
  }

  @Test
  void aServerThatHangsAtTheEndIsLeftAsItWas() throws Exception {
    AtomicInteger readings = new AtomicInteger();
    CountDownLatch never = new CountDownLatch(1);
    try (MetricsScraper scraper =
        scraper(
            url -> {
              if (readings.incrementAndGet() > 1) {
                try {
                  never.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }
              return "vllm:num_requests_running 2";
            },
            1,
            NEVER)) {
      scraper.start(folder);

      scraper.finish();
      ServerMetrics metrics = scraper.metrics(System.nanoTime());

      assertThat(metrics.series().getFirst().points()).hasSize(1);
      assertThat(scraper.readings()).containsExactly(new Readings("replica-0", 1, 0, null));
    } finally {
      never.countDown();
    }
  }

  @Test
  void aFolderThatCannotBeWrittenCostsTheFileAlone() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    try (MetricsScraper scraper = scraper(url -> "vllm:num_requests_running 2", 1, NEVER)) {
      scraper.start(file);

      scraper.finish();
      assertThat(scraper.metrics(System.nanoTime()).series()).hasSize(1);
    }
  }

  @Test
  void refusesAPlanWhoseSeriesIsNone() {
    assertThatThrownBy(
            () ->
                new MetricsScraper(
                    url -> "",
                    replicas(1),
                    NEVER,
                    List.of("a b"),
                    System::nanoTime,
                    System::currentTimeMillis))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a b");
  }
}
