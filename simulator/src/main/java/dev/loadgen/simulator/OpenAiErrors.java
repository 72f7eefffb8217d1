package dev.loadgen.simulator;

import org.jspecify.annotations.Nullable;

/** How an engine words the refusal of a request on its OpenAI routes. */
interface OpenAiErrors extends ErrorFormat {

  /**
   * A refusal.
   *
   * @param type the error's type, for example {@code BadRequestError}
   * @param param the field at fault, or null
   */
  RequestException refusal(int status, String type, String message, @Nullable String param);

  /** A refusal with status 400 that names no field. */
  default RequestException bad(String message) {
    return refusal(400, "BadRequestError", message, null);
  }

  /** A field is missing. */
  RequestException missing(String field, int fields);

  /** A field has a value of another type. */
  RequestException mistyped(Fields.TypeException e);
}
