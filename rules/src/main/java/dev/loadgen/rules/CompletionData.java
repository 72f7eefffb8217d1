package dev.loadgen.rules;

/** What a completion carries into LoadGen's accuracy log, as the benchmark's evaluator reads it. */
public enum CompletionData {
  /** All output token ids as little-endian int32. */
  TOKEN_IDS,
  /** The answer as UTF-8. */
  TEXT
}
