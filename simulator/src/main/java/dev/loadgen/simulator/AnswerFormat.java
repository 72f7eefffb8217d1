package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * How one request's sequences are rendered. Not safe for several threads: the responder calls one
 * method at a time.
 */
interface AnswerFormat {
  /** The sequences, in the order of the answer. */
  List<Sequence> sequences();

  boolean streamed();

  /** The answer as one JSON value. */
  JsonNode whole();

  /**
   * The events for tokens {@code from} to {@code to} of a sequence; the last of it when {@code to}
   * is its size.
   */
  List<JsonNode> events(Sequence sequence, int from, int to);

  /** The events after all tokens, before the end of the stream. */
  List<JsonNode> lastEvents();
}
