package dev.loadgen.runner.provenance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Provenance;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes from the operator what it sees of servers and runner, as {@code
 * RunnerInterface.PROVENANCE_PATH} has it. Thread-safe.
 */
public final class ProvenanceInbox implements HttpHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ProvenanceInbox.class);

  /** A thousand servers that are all different take a part of it. */
  private static final int LONGEST = 16 * 1024 * 1024;

  private final byte[] authorization;

  // Guarded by this.
  private @Nullable Provenance told;
  private boolean closed;

  /**
   * An inbox for one run.
   *
   * @param token what a sender has to show
   */
  public ProvenanceInbox(String token) {
    this.authorization = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
  }

  /** Takes nothing more. Returns what was told last; null: nothing was. */
  public synchronized @Nullable Provenance close() {
    closed = true;
    return told;
  }

  /** Answers on a thread of its own: who stalls holds up nobody else. */
  @Override
  public void handle(HttpExchange exchange) {
    Thread.ofVirtual()
        .name("provenance-request")
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
      return;
    }
    if (!exchange.getRequestMethod().equals("PUT")) {
      answer(exchange, 405, "PUT is understood");
      return;
    }
    byte[] body = exchange.getRequestBody().readNBytes(LONGEST);
    try {
      Provenance seen =
          ContractJson.readTolerantly(new String(body, StandardCharsets.UTF_8), Provenance.class);
      if (seen == null) {
        answer(exchange, 400, "a provenance is a JSON object");
      } else if (keep(seen)) {
        answer(exchange, 204, "");
      } else {
        answer(exchange, 409, "provenance is not accepted any more");
      }
    } catch (JsonProcessingException e) {
      answer(exchange, 400, "no provenance: " + e.getOriginalMessage());
    }
  }

  private synchronized boolean keep(Provenance seen) {
    if (!closed) {
      told = seen;
    }
    return !closed;
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
