package dev.loadgen.client;

import dev.loadgen.contract.RequestFailure;
import java.io.IOException;

/** A response that holds no answer, for all prompts of its request that have none yet. */
final class BadResponseException extends IOException {
  private static final long serialVersionUID = 1;

  private final RequestFailure.Kind kind;

  BadResponseException(RequestFailure.Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  static BadResponseException malformed(String message) {
    return new BadResponseException(RequestFailure.Kind.MALFORMED, message);
  }

  RequestFailure.Kind kind() {
    return kind;
  }
}
