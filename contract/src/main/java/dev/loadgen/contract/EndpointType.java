package dev.loadgen.contract;

/** The HTTP route that a run uses. */
public enum EndpointType {
  /** {@code POST /v1/completions}, by token ids or text. */
  completions,
  /** {@code POST /v1/chat/completions}, by messages. */
  chat_completions,
  /** {@code POST /generate} of SGLang, by token ids or text. */
  generate
}
