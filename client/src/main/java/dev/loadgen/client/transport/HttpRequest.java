package dev.loadgen.client.transport;

import dev.loadgen.datasets.payload.Payload;
import java.net.URI;

/**
 * A POST of JSON.
 *
 * @param uri absolute, http or https
 * @param body UTF-8
 * @param eventStream whether the answer is wanted as server-sent events
 */
public record HttpRequest(URI uri, Payload body, boolean eventStream) {
  /** A body that is held as it is sent, and not changed afterwards. */
  public HttpRequest(URI uri, byte[] body, boolean eventStream) {
    this(uri, Payload.of(body), eventStream);
  }
}
