package dev.loadgen.client;

import org.jspecify.annotations.Nullable;

/** What has arrived of the answer to one prompt. */
final class PartialAnswer {
  private final boolean kept;
  private final StringBuilder text = new StringBuilder(0);
  private final TokenIds ids;

  /** Whether the server sends token ids at all. */
  private boolean idsSent;

  /** Number of tokens by the server's account of this one answer; -1 if it gives none. */
  private int completionTokens = -1;

  /** Null until the server says why generation ended. */
  private @Nullable String finishReason;

  private long finishedAt;

  /** Whether each event of the stream repeats the whole answer so far. */
  private boolean repeats;

  private boolean firstTokenReported;
  private boolean settled;

  /**
   * Nothing yet.
   *
   * @param kept whether somebody wants text and ids; else tokens are counted
   */
  PartialAnswer(boolean kept) {
    this.kept = kept;
    this.ids = new TokenIds(kept);
  }

  /** What has arrived; empty if nobody wants it. */
  String text() {
    return text.toString();
  }

  TokenIds ids() {
    return ids;
  }

  void appendText(String more) throws BadResponseException {
    if (!kept) {
      return;
    }
    if (text.length() + (long) more.length() > Json.MAX_ANSWER_BYTES) {
      throw BadResponseException.malformed(
          "the text is longer than " + Json.MAX_ANSWER_BYTES + " characters");
    }
    text.append(more);
  }

  void replaceText(String whole) throws BadResponseException {
    text.setLength(0);
    appendText(whole);
  }

  /** Whether {@code whole} begins with the text that has arrived so far, as far as it is kept. */
  boolean isContinuedBy(String whole) {
    return text.isEmpty() || whole.startsWith(text.toString());
  }

  boolean idsSent() {
    return idsSent;
  }

  void markIdsSent() {
    idsSent = true;
  }

  int completionTokens() {
    return completionTokens;
  }

  void setCompletionTokens(int tokens) {
    completionTokens = tokens;
  }

  @Nullable String finishReason() {
    return finishReason;
  }

  long finishedAt() {
    return finishedAt;
  }

  void finish(String reason, long nanoTime) {
    finishReason = reason;
    finishedAt = nanoTime;
  }

  boolean repeats() {
    return repeats;
  }

  void markRepeats() {
    repeats = true;
  }

  boolean firstTokenReported() {
    return firstTokenReported;
  }

  void markFirstTokenReported() {
    firstTokenReported = true;
  }

  /** Whether completion or failure has been reported. */
  boolean settled() {
    return settled;
  }

  void settle() {
    settled = true;
  }
}
