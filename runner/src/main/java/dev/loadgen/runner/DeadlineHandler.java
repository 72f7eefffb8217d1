package dev.loadgen.runner;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.loadgen.contract.Durations;
import dev.loadgen.contract.RunnerInterface;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a run more time, as {@link RunnerInterface#DEADLINE_PATH} has it. What is asked for never
 * shortens it, so that whoever can read the run can do no more than let it go on.
 */
final class DeadlineHandler implements HttpHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DeadlineHandler.class);
  private static final Pattern MILLIS = Pattern.compile("[1-9][0-9]{0,14}");

  /** More than any number that is taken has. */
  private static final int LONGEST_BODY = 32;

  private final byte[] authorization;
  private final TimeLimit time;

  /**
   * A handler for one run.
   *
   * @param token what a caller has to show
   */
  DeadlineHandler(String token, TimeLimit time) {
    this.authorization = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    this.time = time;
  }

  /** Answers on a thread of its own: who stalls holds up nobody else. */
  @Override
  public void handle(HttpExchange exchange) {
    Thread.ofVirtual()
        .name("deadline-request")
        .start(
            () -> {
              try (exchange) {
                route(exchange);
              } catch (IOException e) {
                LOG.debug("no answer to {}: {}", exchange.getRequestURI(), e.toString());
              }
            });
  }

  private void route(HttpExchange exchange) throws IOException {
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    if (given == null
        || !MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), authorization)) {
      answer(exchange, 401, "show the run's id as bearer token");
    } else if (!exchange.getRequestMethod().equals("PUT")) {
      answer(exchange, 405, "PUT is understood");
    } else {
      raise(exchange);
    }
  }

  private void raise(HttpExchange exchange) throws IOException {
    String text =
        new String(exchange.getRequestBody().readNBytes(LONGEST_BODY), StandardCharsets.US_ASCII);
    if (!MILLIS.matcher(text).matches() || Long.parseLong(text) > Durations.LONGEST.toMillis()) {
      answer(
          exchange,
          400,
          "give the time of the run in milliseconds, at most " + Durations.LONGEST.toMillis());
      return;
    }
    Duration before = time.limit();
    if (!time.raise(Duration.ofMillis(Long.parseLong(text)))) {
      answer(exchange, 409, "the run's time was over before");
      return;
    }
    if (!time.limit().equals(before)) {
      LOG.info("the run has {} s instead of {} s", time.limit().toSeconds(), before.toSeconds());
    }
    answer(exchange, 204, "");
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
