package dev.loadgen.client;

import dev.loadgen.client.transport.Access;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.TokenCountSource;

/**
 * The answers of one request as they come together. Reports each prompt to the sink once, and never
 * a completion without the first token before it where answers are streamed. Used by one thread at
 * a time.
 */
final class Answers {
  private final PartialAnswer[] answers;
  private final boolean streamed;
  private final boolean kept;
  private final AnswerSink sink;
  private final Access access;
  private int open;

  /** The completion tokens of all prompts together by the usage object; -1 until it has come. */
  private int usage = -1;

  /** Token ids of the document that is being read; here so that wires need no state. */
  private final TokenIds scratch = new TokenIds();

  private final PlainDeltaReader plainDeltas = new PlainDeltaReader();

  /**
   * No answers yet.
   *
   * @param kept whether somebody wants their text and ids; else tokens are counted
   */
  Answers(int prompts, boolean streamed, boolean kept, AnswerSink sink, Access access) {
    this.answers = new PartialAnswer[prompts];
    for (int i = 0; i < prompts; i++) {
      answers[i] = new PartialAnswer(kept);
    }
    this.open = prompts;
    this.streamed = streamed;
    this.kept = kept;
    this.sink = sink;
    this.access = access;
  }

  int prompts() {
    return answers.length;
  }

  /** Whether somebody wants text and ids. */
  boolean kept() {
    return kept;
  }

  PartialAnswer get(int prompt) {
    return answers[prompt];
  }

  /** The answer with a number that the server gave. */
  PartialAnswer numbered(int index) throws BadResponseException {
    if (index < 0 || index >= answers.length) {
      throw BadResponseException.malformed(
          "the server sent an answer number " + index + " to a request of " + promptsInWords());
    }
    return answers[index];
  }

  /** The server's words without our secrets, which some servers repeat. */
  String redact(String words) {
    return access.redact(words);
  }

  TokenIds emptyScratch() {
    scratch.clear();
    return scratch;
  }

  /** What has been read since {@link #emptyScratch}. */
  TokenIds scratch() {
    return scratch;
  }

  /** Has read the events of this request so far, so that it knows what they are like. */
  PlainDeltaReader plainDeltas() {
    return plainDeltas;
  }

  int usage() {
    return usage;
  }

  void setUsage(int tokens) {
    usage = tokens;
  }

  /** Whether every prompt has been reported. */
  boolean settled() {
    return open == 0;
  }

  int open() {
    return open;
  }

  void token(int prompt, long nanoTime) {
    PartialAnswer answer = answers[prompt];
    if (streamed && !answer.firstTokenReported() && !answer.settled()) {
      answer.markFirstTokenReported();
      sink.firstToken(prompt, answer.ids().firstOr(AnswerSink.UNKNOWN_TOKEN), nanoTime);
    }
  }

  /** The answer to {@code prompt} is as complete as the server makes it. */
  void complete(int prompt, int tokens, TokenCountSource source, long nanoTime) {
    PartialAnswer answer = answers[prompt];
    String reason = answer.finishReason();
    if (answer.settled() || reason == null) {
      throw new IllegalStateException("prompt " + prompt + " cannot be completed");
    }
    if (tokens == 0) {
      fail(prompt, RequestFailure.Kind.NO_TOKENS, "the answer has no tokens", nanoTime);
      return;
    }
    // A first token without any text, such as an end-of-sequence token, is only known by now.
    token(prompt, answer.finishedAt());
    answer.settle();
    open--;
    int[] ids = kept && answer.idsSent() ? answer.ids().toArray() : null;
    sink.completed(
        prompt, new Answer(answer.text(), ids, tokens, source, reason), answer.finishedAt());
  }

  void fail(int prompt, RequestFailure.Kind kind, String message, long nanoTime) {
    fail(prompt, new RequestFailure(kind, message), nanoTime);
  }

  /** Fails every prompt that has not been reported. */
  void failOpen(RequestFailure failure, long nanoTime) {
    for (int i = 0; i < answers.length; i++) {
      fail(i, failure, nanoTime);
    }
  }

  String promptsInWords() {
    return answers.length == 1 ? "1 prompt" : answers.length + " prompts";
  }

  private void fail(int prompt, RequestFailure failure, long nanoTime) {
    PartialAnswer answer = answers[prompt];
    if (answer.settled()) {
      return;
    }
    answer.settle();
    open--;
    sink.failed(prompt, failure, nanoTime);
  }
}
