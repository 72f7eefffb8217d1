package dev.loadgen.contract;

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
