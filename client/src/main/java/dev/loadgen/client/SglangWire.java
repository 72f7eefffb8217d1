package dev.loadgen.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.TokenCountSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * {@code /generate} of SGLang.
 *
 * <p>Each event of a stream repeats the whole answer so far, or, under {@code
 * --incremental-streaming-output}, holds only what is new; {@code meta_info.completion_tokens}
 * counts from the start in both, and its value tells one from the other. It must agree with the
 * number of {@code output_ids} in the end. Answers to a batch belong to prompts by {@code index} in
 * a stream, else by position.
 */
final class SglangWire implements Wire {
  private static final byte[] UNFINISHED =
      "\"finish_reason\":null".getBytes(StandardCharsets.US_ASCII);

  /** meta_info is the last object of an event, and far shorter than this. */
  private static final int META_INFO_BYTES = 4096;

  @Override
  public void event(byte[] json, int offset, int length, Answers answers, long nanoTime)
      throws IOException {
    if (isRepetition(json, offset, length, answers)) {
      return;
    }
    try (JsonParser parser = Json.FACTORY.createParser(json, offset, length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw BadResponseException.malformed("the server sent an event that is not an object");
      }
      output(
          parser, json, offset, length, answers, answers.prompts() == 1 ? 0 : -1, nanoTime, true);
      requireEnd(parser);
    }
  }

  /**
   * Whether the event need not be read: a later one repeats it. Saves parsing the whole answer once
   * a token. The search is safe since a quotation mark inside a text would be escaped.
   */
  private static boolean isRepetition(byte[] json, int offset, int length, Answers answers) {
    if (answers.prompts() != 1 || !answers.get(0).repeats()) {
      return false;
    }
    int lowest = Math.max(offset, offset + length - META_INFO_BYTES);
    for (int i = offset + length - UNFINISHED.length; i >= lowest; i--) {
      if (matches(json, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matches(byte[] json, int from) {
    for (int i = 0; i < UNFINISHED.length; i++) {
      if (json[from + i] != UNFINISHED[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void body(byte[] json, int offset, int length, Answers answers, long nanoTime)
      throws IOException {
    try (JsonParser parser = Json.FACTORY.createParser(json, offset, length)) {
      JsonToken root = parser.nextToken();
      if (root == JsonToken.START_OBJECT) {
        output(parser, json, offset, length, answers, 0, nanoTime, false);
      } else if (root == JsonToken.START_ARRAY) {
        for (int position = 0; parser.nextToken() != JsonToken.END_ARRAY; position++) {
          if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw BadResponseException.malformed("the server sent an answer that is not an object");
          }
          output(parser, json, offset, length, answers, position, nanoTime, false);
        }
      } else {
        throw BadResponseException.malformed(
            "the server sent JSON that is not an object or a list");
      }
      requireEnd(parser);
    }
  }

  private static void requireEnd(JsonParser parser) throws IOException {
    if (parser.nextToken() != null) {
      throw BadResponseException.malformed("the server sent more than one JSON document at once");
    }
  }

  private static void output(
      JsonParser parser,
      byte[] json,
      int offset,
      int length,
      Answers answers,
      int position,
      long nanoTime,
      boolean streamed)
      throws IOException {
    int index = position;
    String text = "";
    boolean idsSent = false;
    TokenIds ids = answers.emptyScratch();
    MetaInfo meta = MetaInfo.NONE;
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      JsonToken value = parser.nextToken();
      switch (name) {
        case "text" -> text = Json.text(parser);
        case "output_ids" -> idsSent = Json.ids(parser, ids);
        case "meta_info" -> meta = MetaInfo.read(parser);
        case "index" -> index = parser.getIntValue();
        case "error" -> {
          if (value != JsonToken.VALUE_NULL) {
            throw new BadResponseException(
                RequestFailure.Kind.ERROR_IN_STREAM,
                answers.redact(ServerErrors.message(json, offset, length)));
          }
        }
        default -> parser.skipChildren();
      }
    }

    PartialAnswer answer = answers.numbered(index);
    if (answer.finishReason() != null) {
      throw BadResponseException.malformed("the server answered prompt " + index + " twice");
    }
    merge(answer, text, ids, idsSent, meta.completionTokens());
    if (ids.length() > 0 || !text.isEmpty() || meta.completionTokens() > 0) {
      answers.token(index, nanoTime);
    }
    if (meta.finishReason() != null) {
      answer.finish(meta.finishReason(), nanoTime);
      // The last answer waits for the end of the stream, which may yet prove to be broken.
      if (streamed && answers.open() > 1) {
        report(answers, index, nanoTime);
      }
    }
  }

  private static void merge(
      PartialAnswer answer, String text, TokenIds ids, boolean idsSent, int completionTokens)
      throws IOException {
    int held = answer.ids().length();
    boolean whole;
    if (!idsSent) {
      whole = answer.isContinuedBy(text);
    } else if (completionTokens < 0 || ids.length() == completionTokens) {
      whole = true;
    } else {
      // Some versions resend a few ids; those that count are the last ones.
      int news = completionTokens - held;
      whole = news < 0 || news > ids.length();
      if (!whole) {
        answer.ids().append(ids, ids.length() - news);
      }
    }
    if (idsSent) {
      answer.markIdsSent();
      if (whole) {
        if (held > 0 && ids.length() > held) {
          answer.markRepeats();
        }
        answer.ids().clear();
        answer.ids().append(ids, 0);
      }
    }
    if (whole) {
      answer.replaceText(text);
    } else {
      answer.appendText(text);
    }
    if (completionTokens >= 0) {
      answer.setCompletionTokens(completionTokens);
    }
  }

  @Override
  public void finish(Answers answers, long nanoTime) {
    int finished = 0;
    for (int i = 0; i < answers.prompts(); i++) {
      if (answers.get(i).finishReason() != null) {
        finished++;
      }
    }
    for (int i = 0; i < answers.prompts(); i++) {
      if (answers.get(i).settled()) {
        continue;
      }
      if (answers.get(i).finishReason() == null) {
        answers.fail(
            i,
            RequestFailure.Kind.INCOMPLETE,
            answers.prompts() == 1
                ? "the answer ended without a finish_reason"
                : "the server finished %s answers to a request of %s"
                    .formatted(finished, answers.promptsInWords()),
            nanoTime);
      } else {
        report(answers, i, nanoTime);
      }
    }
  }

  private static void report(Answers answers, int prompt, long nanoTime) {
    PartialAnswer answer = answers.get(prompt);
    int ids = answer.ids().length();
    int tokens = answer.completionTokens();
    String reason = answer.finishReason();
    if (reason != null && reason.startsWith("abort")) {
      answers.fail(
          prompt,
          RequestFailure.Kind.INCOMPLETE,
          "the server gave up the answer (finish_reason " + reason + ")",
          nanoTime);
    } else if (answer.idsSent() && tokens >= 0 && ids != tokens) {
      answers.fail(
          prompt,
          RequestFailure.Kind.MALFORMED,
          "the server sent %s output_ids, but its meta_info says %s completion_tokens"
              .formatted(ids, tokens),
          nanoTime);
    } else if (answer.idsSent() || tokens >= 0) {
      answers.complete(prompt, tokens >= 0 ? tokens : ids, TokenCountSource.OUTPUT_IDS, nanoTime);
    } else {
      answers.fail(
          prompt,
          RequestFailure.Kind.NO_TOKENS,
          "the server reports no token counts (neither output_ids nor meta_info)",
          nanoTime);
    }
  }

  /**
   * What counts of {@code meta_info}.
   *
   * @param completionTokens -1 if it says nothing
   */
  private record MetaInfo(int completionTokens, @Nullable String finishReason) {
    static final MetaInfo NONE = new MetaInfo(-1, null);

    static MetaInfo read(JsonParser parser) throws IOException {
      if (parser.currentToken() == JsonToken.VALUE_NULL) {
        return NONE;
      }
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        throw Json.wrongType(parser, "an object");
      }
      int tokens = -1;
      String reason = null;
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        JsonToken value = parser.nextToken();
        switch (name) {
          case "completion_tokens" -> tokens = parser.getIntValue();
          case "finish_reason" -> {
            if (value != JsonToken.VALUE_NULL) {
              reason = value == JsonToken.START_OBJECT ? type(parser) : Json.text(parser);
            }
          }
          default -> parser.skipChildren();
        }
      }
      return new MetaInfo(tokens, reason);
    }

    private static String type(JsonParser parser) throws IOException {
      String type = "";
      String message = "";
      boolean atText = false;
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        JsonToken value = parser.nextToken();
        switch (name) {
          case "type" -> type = Json.text(parser);
          case "message" -> message = Json.text(parser);
          case "matched" -> atText = value == JsonToken.VALUE_STRING;
          default -> parser.skipChildren();
        }
      }
      return message.isEmpty() ? StopReasons.of(type, atText) : type + ": " + message;
    }
  }
}
