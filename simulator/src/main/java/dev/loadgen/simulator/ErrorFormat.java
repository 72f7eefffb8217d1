package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;

/** How a route renders failures that are the server's, not the request's. */
interface ErrorFormat {
  JsonNode body(int status, String message);

  /** The event of a stream that has begun. */
  JsonNode event(int status, String message);

  /** The answer for a model that does not exist. */
  JsonNode modelNotFound();
}
