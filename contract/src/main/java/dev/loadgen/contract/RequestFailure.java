package dev.loadgen.contract;

import org.jspecify.annotations.NullMarked;

/**
 * Why a prompt has no answer.
 *
 * @param kind for counting
 * @param message what happened, with the server's own words where it sent any; one line of at most
 *     300 characters, longer ones are cut
 */
@NullMarked
public record RequestFailure(Kind kind, String message) {
  private static final int MAX_MESSAGE = 300;

  /** A failure; the message is brought to one line and cut where it is too long. */
  public RequestFailure {
    message = oneLine(message);
  }

  /** Kinds of failures, as reports and {@code requests.csv.gz} name them. */
  public enum Kind {
    /** No connection. */
    CONNECT,
    /** No connection, since this process had no file descriptor or no local port left. */
    CLIENT_LIMIT,
    /** The connection broke before the answer was complete. */
    BROKEN,
    /** A status other than 200. */
    HTTP_STATUS,
    /** An error object inside a stream, or a body, that began with status 200. */
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
    ABORTED,
    /** Every server was taken out of the test before it was sent. */
    NO_SERVER;

    /**
     * Whether another try may help, for runs that allow it. A request that has used up its time,
     * and an answer that the server deems complete, are not tried again.
     */
    public boolean retryable() {
      return switch (this) {
        case CONNECT, BROKEN, HTTP_STATUS, ERROR_IN_STREAM, INCOMPLETE -> true;
        case CLIENT_LIMIT, MALFORMED, NO_TOKENS, TIMEOUT, ABORTED, NO_SERVER -> false;
      };
    }
  }

  private static String oneLine(String message) {
    StringBuilder line = new StringBuilder(Math.min(message.length(), MAX_MESSAGE));
    boolean gap = false;
    for (int i = 0; i < message.length(); i++) {
      char c = message.charAt(i);
      if (c <= ' ' || Character.isISOControl(c)) {
        gap = !line.isEmpty();
        continue;
      }
      if (gap) {
        line.append(' ');
        gap = false;
      }
      line.append(c);
      if (line.length() > MAX_MESSAGE) {
        return cut(line);
      }
    }
    return line.toString();
  }

  private static String cut(StringBuilder line) {
    int end = MAX_MESSAGE - 1;
    if (Character.isHighSurrogate(line.charAt(end - 1))) {
      end--;
    }
    line.setLength(end);
    return line.append('…').toString();
  }
}
