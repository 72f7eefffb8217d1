package dev.loadgen.operator.run;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.ServerLogs;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
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
    URI uri = uri(address, RunnerInterface.PROGRESS_PATH);
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

  /**
   * Tells the runner at an address how long its run may take in all.
   *
   * @return whether it is worth no other try: the runner knows, or is of a version that cannot, or
   *     its time was over before
   */
  boolean giveTime(String address, RunPlan.Run run, Duration runTimeout) {
    URI uri = uri(address, RunnerInterface.DEADLINE_PATH);
    try {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(uri)
                  .timeout(TIMEOUT)
                  .header("Authorization", "Bearer " + ServerLogs.token(run))
                  .PUT(BodyPublishers.ofString(String.valueOf(runTimeout.toMillis())))
                  .build(),
              BodyHandlers.limiting(BodyHandlers.ofString(), MOST_BYTES));
      if (answer.statusCode() != HttpURLConnection.HTTP_NO_CONTENT) {
        log.warn(
            "runner takes no more time namespace={} run={} status={}",
            run.namespace(),
            run.name(),
            answer.statusCode());
      }
      return true;
    } catch (IOException e) {
      log.debug("no more time uri={} because={}", uri, e.toString());
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static URI uri(String address, String path) {
    String host = address.contains(":") ? "[" + address + "]" : address;
    return URI.create("http://" + host + ":" + RunnerInterface.PORT + path);
  }
}
