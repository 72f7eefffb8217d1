package dev.loadgen.client;

import java.io.IOException;

/**
 * Reads the documents of one route's responses. Stateless: what has arrived is in {@link Answers}.
 */
sealed interface Wire permits OpenAiWire, SglangWire {
  /**
   * Reads the data of one event of a stream.
   *
   * @throws BadResponseException if the event ends the hope for the open prompts
   * @throws com.fasterxml.jackson.core.JacksonException if it is not JSON
   */
  void event(byte[] json, int offset, int length, Answers answers, long nanoTime)
      throws IOException;

  /** Reads the whole body of a response that is not a stream; throws as {@link #event} does. */
  void body(byte[] json, int offset, int length, Answers answers, long nanoTime) throws IOException;

  /** Nothing more will come: reports every open prompt, as completed or as failed. */
  void finish(Answers answers, long nanoTime);
}
