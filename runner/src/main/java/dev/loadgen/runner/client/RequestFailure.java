package dev.loadgen.runner.client;

/**
 * Why a prompt has no answer.
 *
 * @param kind for counting
 * @param message what happened, with the server's own words where it sent any; at most 300
 *     characters
 */
public record RequestFailure(Kind kind, String message) {
  /** Kinds of failures, as reports and {@code requests.csv.gz} name them. */
  public enum Kind {
    /** No connection. */
    CONNECT,
    /** The connection broke before the answer was complete. */
    BROKEN,
    /** A status other than 200. */
    HTTP_STATUS,
    /** An error object inside a stream that began with status 200. */
    ERROR_IN_STREAM,
    /** The stream or body ended, by its framing, before the answer did. */
    INCOMPLETE,
    /** What arrived is not what the route answers. */
    MALFORMED,
    /** A complete answer with no tokens, or of which no token count is known. */
    NO_TOKENS,
    /** The request took longer than its deadline. */
    TIMEOUT,
    /** The test ended first. */
    ABORTED
  }
}
