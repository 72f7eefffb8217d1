package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A request that cannot be served, with the answer that the engine gives to it. Not an error of the
 * simulator.
 */
final class RequestException extends Exception {
  private final int status;
  private final JsonNode body;
  private final boolean streamed;

  RequestException(int status, JsonNode body) {
    this(status, body, false);
  }

  private RequestException(int status, JsonNode body, boolean streamed) {
    super(body.toString(), null, false, false);
    this.status = status;
    this.body = body;
    this.streamed = streamed;
  }

  /** An error that comes as an event of a stream with status 200. */
  static RequestException inStream(JsonNode event) {
    return new RequestException(200, event, true);
  }

  int status() {
    return status;
  }

  JsonNode body() {
    return body;
  }

  boolean streamed() {
    return streamed;
  }
}
