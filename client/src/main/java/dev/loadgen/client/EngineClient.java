package dev.loadgen.client;

import dev.loadgen.client.transport.Transport;
import dev.loadgen.datasets.payload.Payload;
import java.net.URI;
import java.util.List;

/** Speaks one route of one engine. Safe for use by many threads. */
public interface EngineClient {
  /**
   * The body of a request for one prompt, or for several where the route takes a batch. Done before
   * the clock starts.
   *
   * @throws IllegalArgumentException if the route cannot carry the prompts; the message says why
   *     and what to change
   */
  Payload encode(List<Prompt> prompts);

  /**
   * Sends a body made by {@link #encode} to a replica and returns at once.
   *
   * @param baseUrl of the replica, without the {@code /v1} of its routes
   */
  Transport.Exchange send(URI baseUrl, Payload body, int prompts, AnswerSink sink);
}
