package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Progress;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunnerInterface;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProgressServerTest {
  private final LiveProgress progress = new LiveProgress(System::nanoTime);
  private final HttpClient http = HttpClient.newHttpClient();
  private final ProgressServer server;

  ProgressServerTest() throws IOException {
    server =
        ProgressServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), progress, () -> 17);
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
    progress.begin(10, 1);
    progress.issued(4);
    progress.completed(3);
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
    progress.begin(10, 1);
    progress.issued(4);
    progress.completed(3);
    progress.completed(5);
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
                    () -> 0))
        .isInstanceOf(IOException.class);
  }
}
