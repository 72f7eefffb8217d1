package dev.loadgen.client;

import dev.loadgen.contract.TokenCountSource;
import org.jspecify.annotations.Nullable;

/**
 * A complete answer to one prompt.
 *
 * @param text the generated text; empty if the server sent none, or nobody wants it
 * @param tokenIds the generated token ids, where the server sends them and somebody wants them
 * @param tokenCount number of generated tokens, by the server's own account; at least 1
 * @param tokenCountSource where the count is from
 * @param finishReason as the server says, such as {@code stop} or {@code length}, and {@code
 *     stop_string} where it says that a text ended the answer; empty if it said nothing
 */
// Arrays for the hot path: nothing compares these values, and a list would box every id.
@SuppressWarnings("ArrayRecordComponent")
public record Answer(
    String text,
    int @Nullable [] tokenIds,
    int tokenCount,
    TokenCountSource tokenCountSource,
    String finishReason) {}
