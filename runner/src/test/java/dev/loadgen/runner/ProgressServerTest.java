package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.mlperf.TestScenario;
import dev.loadgen.mlperf.TestSettings;
import dev.loadgen.results.ClientUsage;
import dev.loadgen.results.LaneLoad;
import dev.loadgen.results.Records;
import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.forecast.ExpectedLoad;
import dev.loadgen.runner.metrics.Exposition;
import dev.loadgen.runner.metrics.Exposition.Sample;
import dev.loadgen.runner.metrics.MetricsScraper.Readings;
import dev.loadgen.runner.metrics.PrometheusText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProgressServerTest {
  private static final AskedAnswer ASKED = new AskedAnswer(0, 5, true, false, false);

  private final LiveProgress progress = new LiveProgress(System::nanoTime);
  private final HttpClient http = HttpClient.newHttpClient();
  private final ProgressServer server;
  private volatile @Nullable ClientUsage usage;
  private volatile List<Readings> readings = List.of();

  ProgressServerTest() throws IOException {
    server =
        ProgressServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            progress,
            () -> 17,
            () -> usage,
            () -> readings);
  }

  @AfterEach
  void stop() {
    server.close();
    http.close();
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void servesProgressAsTheStatusHasIt() throws Exception {
    progress.begin(new ExpectedLoad(10, true, 1000, false), LateSamples.NONE, ASKED);
    progress.issued(4);
    progress.completed(Records.whole(0, 0, 0, 0, 1, 3));
    progress.failed();

    HttpResponse<String> answer = get(RunnerInterface.PROGRESS_PATH);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
    Progress seen = ContractJson.read(answer.body(), Progress.class);
    assertThat(seen.stage()).isEqualTo("Running");
    assertThat(seen.issued()).isEqualTo(4);
    assertThat(seen.percent()).isEqualTo(20);
  }

  @Test
  void servesPrometheusText() throws Exception {
    progress.begin(new ExpectedLoad(10, true, 1000, false), LateSamples.NONE, ASKED);
    progress.issued(4);
    progress.completed(Records.whole(0, 0, 0, 0, 1, 3));
    progress.completed(Records.whole(0, 0, 0, 0, 1, 5));
    progress.failed();

    HttpResponse<String> answer = get(RunnerInterface.METRICS_PATH);

    assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
    assertThat(answer.body())
        .isEqualTo(
            """
            # HELP loadgen_samples_issued_total Samples that LoadGen has issued.
            # TYPE loadgen_samples_issued_total counter
            loadgen_samples_issued_total 4
            # HELP loadgen_samples_completed_total Samples answered in full.
            # TYPE loadgen_samples_completed_total counter
            loadgen_samples_completed_total 2
            # HELP loadgen_samples_failed_total Samples that failed.
            # TYPE loadgen_samples_failed_total counter
            loadgen_samples_failed_total 1
            # HELP loadgen_output_tokens_total Output tokens of completed samples.
            # TYPE loadgen_output_tokens_total counter
            loadgen_output_tokens_total 8
            # HELP loadgen_requests_in_flight Requests in flight.
            # TYPE loadgen_requests_in_flight gauge
            loadgen_requests_in_flight 17
            """);
  }

  @Test
  void servesWhatIsLate() throws Exception {
    TestSettings settings = new TestSettings();
    settings.scenario = TestScenario.Server;
    ExpectedLoad load = new ExpectedLoad(6396, true, 1000, false);
    progress.begin(load, LateSamples.of(settings, load), ASKED);
    progress.completed(Records.whole(0, 0, 0, 0, 101, 5));

    assertThat(get(RunnerInterface.METRICS_PATH).body())
        .contains("\nloadgen_samples_late_total 1\n", "\nloadgen_samples_late_budget 45\n");
  }

  @Test
  void servesWhatTheClientKnowsOfItselfAndOfItsReadings() throws Exception {
    List<LaneLoad> lanes =
        List.of(
            new LaneLoad("event-loop-0", 0.625, 0.9, 0.1, 2.5, 9),
            new LaneLoad("event-loop-1", null, null, 0.1, 0.5, 9));
    usage =
        new ClientUsage(
            10, 2.5, 0.25, 40, 3, 20, 0.1, 1.5, 30, 0.125, 0.5, null, 300L, 1024L, lanes);
    readings = List.of(new Readings("replica \"0\"", 7, 1, "gone"));

    Exposition seen = PrometheusText.parse(get(RunnerInterface.METRICS_PATH).body());

    assertThat(seen.named("loadgen_client_cpu_seconds_total").getFirst().value()).isEqualTo(2.5);
    assertThat(seen.named("loadgen_client_gc_pause_seconds_total").getFirst().value())
        .isEqualTo(0.04);
    assertThat(seen.named("loadgen_client_stamp_lag_p99_seconds").getFirst().value())
        .isEqualTo(0.0015);
    assertThat(seen.named("loadgen_client_throttled_ratio").getFirst().value()).isEqualTo(0.125);
    assertThat(seen.named("loadgen_client_steal_ratio")).isEmpty();
    assertThat(seen.named("loadgen_client_open_files_limit").getFirst().value()).isEqualTo(1024);
    assertThat(seen.named("loadgen_client_lane_busy_ratio"))
        .extracting(Sample::labels, Sample::value)
        .containsExactly(tuple(Map.of("lane", "event-loop-0"), 0.625));
    assertThat(seen.named("loadgen_client_lane_lag_p99_seconds"))
        .extracting(Sample::labels, Sample::value)
        .containsExactly(
            tuple(Map.of("lane", "event-loop-0"), 0.0025),
            tuple(Map.of("lane", "event-loop-1"), 0.0005));
    assertThat(seen.named("loadgen_server_readings_total"))
        .extracting(Sample::labels, Sample::value)
        .containsExactly(
            tuple(Map.of("replica", "replica \"0\"", "usable", "true"), 7.0),
            tuple(Map.of("replica", "replica \"0\"", "usable", "false"), 1.0));
  }

  @Test
  void otherPathsAreUnknown() throws Exception {
    assertThat(get("/").statusCode()).isEqualTo(404);
  }

  @Test
  void takenAddressIsTold() {
    assertThatThrownBy(
            () ->
                ProgressServer.start(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()),
                    progress,
                    () -> 0,
                    () -> null,
                    List::of))
        .isInstanceOf(IOException.class);
  }
}
