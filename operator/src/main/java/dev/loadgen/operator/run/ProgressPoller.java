package dev.loadgen.operator.run;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Progress;
import dev.loadgen.contract.RunnerInterface;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a runner for its progress. A runner that does not answer is no error: it may be busy. */
final class ProgressPoller {
  private static final Logger log = LoggerFactory.getLogger(ProgressPoller.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final long MOST_BYTES = 16 * 1_024;

  // A runner of another version may tell more.
  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final HttpClient http;

  ProgressPoller(HttpClient http) {
    this.http = http;
  }

  /** What the runner at an address tells; null if it cannot be asked within a second. */
  @Nullable Progress poll(String address) {
    String host = address.contains(":") ? "[" + address + "]" : address;
    URI uri =
        URI.create("http://" + host + ":" + RunnerInterface.PORT + RunnerInterface.PROGRESS_PATH);
    try {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(),
              BodyHandlers.limiting(BodyHandlers.ofString(), MOST_BYTES));
      return response.statusCode() == 200 ? JSON.readValue(response.body(), Progress.class) : null;
    } catch (IOException e) {
      log.debug("no progress uri={} because={}", uri, e.toString());
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
