package dev.loadgen.local.faults;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What becomes of one call of the API server. */
enum Fate {
  /** It is answered as ever. */
  PASS(0, ""),
  /** 409 as of a quota that was written at the same time: nothing was done. */
  CONFLICT(409, "Conflict"),
  /** 410, as of a version that is too old. */
  GONE(410, "Expired"),
  /** 422, as of an admission webhook that refuses. */
  INVALID(422, "Invalid"),
  /** 429 with {@code Retry-After: 1}. */
  TOO_MANY_REQUESTS(429, "TooManyRequests"),
  /** 500. */
  INTERNAL_ERROR(500, "InternalError"),
  /** The answer takes long, and less than the client waits. */
  SLOW(0, ""),
  /** The connection is cut before the server has done anything. */
  CUT_BEFORE(0, ""),
  /** The server does it, and the connection is cut before it answers. */
  CUT_AFTER(0, ""),
  /** The server does it when the client has given up waiting. */
  LATE(0, ""),
  /** All watches of the operator are cut before the call is served. */
  CUT_WATCHES(0, ""),
  /** All watches of the operator end with an event that says 410 before the call is served. */
  EXPIRE_WATCHES(0, ""),
  /** The operator is killed before the server has done anything. */
  KILL_BEFORE(0, ""),
  /** The server does it, and the operator is killed before it learns of that. */
  KILL_AFTER(0, "");

  /** Of an answer in place of the server's; 0: there is none. */
  final int status;

  private final String reason;

  Fate(int status, String reason) {
    this.status = status;
    this.reason = reason;
  }

  /** The answer in place of the server's. */
  ObjectNode answer() {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    answer
        .put("kind", "Status")
        .put("apiVersion", "v1")
        .put("status", "Failure")
        .put("code", status)
        .put("reason", reason)
        .put("message", "a fault that a test has injected");
    answer.putObject("metadata");
    if (this == TOO_MANY_REQUESTS) {
      answer.putObject("details").put("retryAfterSeconds", 1);
    }
    return answer;
  }
}
