package dev.loadgen.client;

import dev.loadgen.datasets.payload.Payload;
import org.jspecify.annotations.Nullable;

/**
 * One sample's input in every form that the dataset has; an engine client takes the form that its
 * route prefers: chat messages before text on a chat route, token ids before text on others.
 *
 * @param tokenIds each 0 or more; null: none
 * @param text null: none
 * @param messages the value of a chat request's {@code messages}: a JSON array as UTF-8, written
 *     into the body as it is; null: none
 */
// An array for the hot path: nothing compares these values, and a list would box every id.
@SuppressWarnings("ArrayRecordComponent")
public record Prompt(int @Nullable [] tokenIds, @Nullable String text, @Nullable Payload messages) {
  /** A prompt without chat messages. */
  public Prompt(int @Nullable [] tokenIds, @Nullable String text) {
    this(tokenIds, text, null);
  }
}
