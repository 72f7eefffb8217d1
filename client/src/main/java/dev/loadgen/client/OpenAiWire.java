package dev.loadgen.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.TokenCountSource;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/completions} and {@code /v1/chat/completions}, as vLLM and SGLang answer them.
 *
 * <p>Choices belong to prompts by {@code index}. Tokens are counted by vLLM's {@code token_ids},
 * which must agree with {@code usage}, or by {@code usage} alone. A chunk may hold any number of
 * tokens, so chunks are never counted. The text of a chat is its content; what a reasoning parser
 * or a parser of tool calls has split off is not part of it, though it counts as tokens.
 */
final class OpenAiWire implements Wire {
  @Override
  public void event(byte[] json, int offset, int length, Answers answers, long nanoTime)
      throws IOException {
    PlainDeltaReader plain = answers.plainDeltas();
    if (!plain.read(json, offset, length, answers.emptyScratch())) {
      read(json, offset, length, answers, nanoTime, true);
      return;
    }
    int index = plain.index() < 0 && answers.prompts() == 1 ? 0 : plain.index();
    PartialAnswer answer = answers.numbered(index);
    append(answer, answers.kept() ? plain.text() : "", plain.idsSent(), answers.scratch());
    if (answers.scratch().length() > 0 || plain.thought() || plain.hasText()) {
      answers.token(index, nanoTime);
    }
    if (plain.usage() >= 0) {
      answers.setUsage(plain.usage());
    }
  }

  /** Reads any document that the route may send. */
  static void readFully(byte[] json, int offset, int length, Answers answers, long nanoTime)
      throws IOException {
    read(json, offset, length, answers, nanoTime, true);
  }

  @Override
  public void body(byte[] json, int offset, int length, Answers answers, long nanoTime)
      throws IOException {
    read(json, offset, length, answers, nanoTime, false);
  }

  private static void read(
      byte[] json, int offset, int length, Answers answers, long nanoTime, boolean streamed)
      throws IOException {
    try (JsonParser parser = Json.FACTORY.createParser(json, offset, length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw BadResponseException.malformed("the server sent JSON that is not an object");
      }
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        JsonToken value = parser.nextToken();
        switch (name) {
          case "choices" -> choices(parser, answers, nanoTime, streamed);
          case "usage" -> usage(parser, answers);
          case "error" -> {
            if (value != JsonToken.VALUE_NULL) {
              throw inStream(json, offset, length, answers);
            }
          }
          case "object" -> {
            if (value == JsonToken.VALUE_STRING && parser.getText().equals("error")) {
              throw inStream(json, offset, length, answers);
            }
          }
          default -> parser.skipChildren();
        }
      }
      if (parser.nextToken() != null) {
        throw BadResponseException.malformed("the server sent more than one JSON object at once");
      }
    }
  }

  private static BadResponseException inStream(
      byte[] json, int offset, int length, Answers answers) {
    return new BadResponseException(
        RequestFailure.Kind.ERROR_IN_STREAM,
        answers.redact(ServerErrors.message(json, offset, length)));
  }

  private static void usage(JsonParser parser, Answers answers) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      return;
    }
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw Json.wrongType(parser, "an object");
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      if (name.equals("completion_tokens")) {
        answers.setUsage(parser.getIntValue());
      } else {
        parser.skipChildren();
      }
    }
  }

  private static void choices(JsonParser parser, Answers answers, long nanoTime, boolean streamed)
      throws IOException {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      throw Json.wrongType(parser, "a list");
    }
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        throw BadResponseException.malformed("the server sent a choice that is not an object");
      }
      choice(parser, answers, nanoTime, streamed);
    }
  }

  private static void choice(JsonParser parser, Answers answers, long nanoTime, boolean streamed)
      throws IOException {
    int index = answers.prompts() == 1 ? 0 : -1;
    String text = "";
    boolean thought = false;
    boolean idsSent = false;
    @Nullable String finishReason = null;
    boolean atText = false;
    TokenIds ids = answers.emptyScratch();
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      JsonToken value = parser.nextToken();
      switch (name) {
        case "index" -> index = parser.getIntValue();
        case "text" -> text = Json.text(parser);
        case "delta", "message" -> {
          if (value == JsonToken.START_OBJECT) {
            for (String part = parser.nextFieldName();
                part != null;
                part = parser.nextFieldName()) {
              parser.nextToken();
              switch (part) {
                case "content" -> text = Json.text(parser);
                case "reasoning", "reasoning_content" -> thought |= !Json.text(parser).isEmpty();
                case "tool_calls" -> {
                  thought |= parser.currentToken() == JsonToken.START_ARRAY;
                  parser.skipChildren();
                }
                default -> parser.skipChildren();
              }
            }
          }
        }
        case "token_ids" -> idsSent = Json.ids(parser, ids);
        case "finish_reason" ->
            finishReason = value == JsonToken.VALUE_NULL ? null : Json.text(parser);
        // What ended it: a text, or a token id, where it is not the end of sequence.
        case "stop_reason", "matched_stop" -> atText = value == JsonToken.VALUE_STRING;
        default -> parser.skipChildren();
      }
    }

    PartialAnswer answer = answers.numbered(index);
    if (!streamed && answer.finishReason() != null) {
      throw BadResponseException.malformed("the server answered prompt " + index + " twice");
    }
    append(answer, text, idsSent, ids);
    if (ids.length() > 0 || thought || !text.isEmpty()) {
      answers.token(index, nanoTime);
    }
    if (finishReason != null) {
      answer.finish(StopReasons.of(finishReason, atText), nanoTime);
    }
  }

  private static void append(PartialAnswer answer, String text, boolean idsSent, TokenIds ids)
      throws BadResponseException {
    answer.appendText(text);
    if (idsSent) {
      answer.markIdsSent();
      answer.ids().append(ids, 0);
    }
  }

  @Override
  public void finish(Answers answers, long nanoTime) {
    long ids = 0;
    boolean everyIdSent = true;
    int finished = 0;
    for (int i = 0; i < answers.prompts(); i++) {
      PartialAnswer answer = answers.get(i);
      ids += answer.ids().length();
      if (answer.finishReason() != null) {
        finished++;
        everyIdSent &= answer.idsSent();
      }
    }
    boolean mismatch = everyIdSent && answers.usage() >= 0 && ids != answers.usage();
    for (int i = 0; i < answers.prompts(); i++) {
      if (answers.get(i).settled()) {
        continue;
      }
      PartialAnswer answer = answers.get(i);
      String reason = answer.finishReason();
      if (reason == null) {
        answers.fail(i, RequestFailure.Kind.INCOMPLETE, missing(answers, finished), nanoTime);
      } else if (reason.equals("abort") || reason.equals("error")) {
        answers.fail(
            i,
            RequestFailure.Kind.INCOMPLETE,
            "the server gave up the answer (finish_reason " + reason + ")",
            nanoTime);
      } else if (mismatch) {
        answers.fail(
            i,
            RequestFailure.Kind.MALFORMED,
            "the server sent %s token_ids, but its usage says %s completion_tokens"
                .formatted(ids, answers.usage()),
            nanoTime);
      } else if (answer.idsSent()) {
        answers.complete(i, answer.ids().length(), TokenCountSource.TOKEN_IDS, nanoTime);
      } else if (answers.prompts() == 1 && answers.usage() >= 0) {
        answers.complete(i, answers.usage(), TokenCountSource.USAGE, nanoTime);
      } else {
        answers.fail(
            i,
            RequestFailure.Kind.NO_TOKENS,
            "the server reports no token counts (neither token_ids nor usage)",
            nanoTime);
      }
    }
  }

  private static String missing(Answers answers, int finished) {
    return answers.prompts() == 1
        ? "the answer ended without a finish_reason"
        : "the server finished %s answers to a request of %s"
            .formatted(finished, answers.promptsInWords());
  }
}
