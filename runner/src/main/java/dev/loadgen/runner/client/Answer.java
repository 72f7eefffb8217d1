package dev.loadgen.runner.client;

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
    String finishReason) {
  /** Where a token count is from. Chunks are never counted, nor is text tokenised again. */
  public enum TokenCountSource {
    /** The length of vLLM's {@code token_ids}. */
    TOKEN_IDS("token_ids"),
    /** SGLang's {@code output_ids} or its {@code meta_info.completion_tokens}. */
    OUTPUT_IDS("output_ids"),
    /** The {@code usage} object. */
    USAGE("usage");

    private final String field;

    TokenCountSource(String field) {
      this.field = field;
    }

    /** The name of the field on the wire, as results carry it. */
    public String field() {
      return field;
    }
  }
}
