package dev.loadgen.runner.transport;

import java.net.URI;

/**
 * A POST of JSON.
 *
 * @param uri absolute, http or https
 * @param body UTF-8, not to be changed afterwards
 * @param eventStream whether the answer is wanted as server-sent events
 */
// An array, since the body is written as it is; nothing compares requests.
@SuppressWarnings("ArrayRecordComponent")
public record HttpRequest(URI uri, byte[] body, boolean eventStream) {}
