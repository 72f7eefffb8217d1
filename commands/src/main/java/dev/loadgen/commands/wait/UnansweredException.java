package dev.loadgen.commands.wait;

import java.io.Serial;

/** The API server did not say how a run is. The message says what it said instead. */
final class UnansweredException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final Why why;

  /** What another attempt may change. */
  enum Why {
    /** It cannot be reached, is overloaded, or answers with something else. */
    NO_ANSWER,
    /** It has no such kind. */
    NO_KIND,
    /** It does not take who asks for anybody who may read runs. */
    REFUSED
  }

  UnansweredException(Why why, String message) {
    super(message);
    this.why = why;
  }

  UnansweredException(Why why, String message, Throwable cause) {
    super(message, cause);
    this.why = why;
  }

  Why why() {
    return why;
  }
}
