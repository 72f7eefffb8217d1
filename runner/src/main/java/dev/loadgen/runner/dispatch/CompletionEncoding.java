package dev.loadgen.runner.dispatch;

import dev.loadgen.client.Answer;
import dev.loadgen.client.AnswerSink;
import dev.loadgen.contract.RunPlan.CompletionData;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What of an answer goes into LoadGen's accuracy log. */
public enum CompletionEncoding {
  /** Nothing: no log wants it. */
  NONE {
    @Override
    Optional<byte[]> encode(Answer answer) {
      return Optional.of(EMPTY);
    }
  },
  /** All token ids as little-endian int32, as the evaluators of gpt-oss and Llama 3.1 read them. */
  TOKEN_IDS {
    @Override
    Optional<byte[]> encode(Answer answer) {
      int[] ids = answer.tokenIds();
      if (ids == null) {
        return Optional.empty();
      }
      ByteBuffer bytes =
          ByteBuffer.allocate(Integer.BYTES * ids.length).order(ByteOrder.LITTLE_ENDIAN);
      bytes.asIntBuffer().put(ids);
      return Optional.of(bytes.array());
    }

    @Override
    byte[] encodeFirst(int token) {
      return token == AnswerSink.UNKNOWN_TOKEN
          ? EMPTY
          : ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(token).array();
    }
  },
  /** The text as UTF-8, as the evaluator of Qwen3-VL reads it. */
  TEXT {
    @Override
    Optional<byte[]> encode(Answer answer) {
      return Optional.of(answer.text().getBytes(StandardCharsets.UTF_8));
    }
  };

  static final byte[] EMPTY = new byte[0];

  /** The bytes, or empty if the server did not send what this encoding needs. */
  abstract Optional<byte[]> encode(Answer answer);

  /**
   * The first token's bytes, as TEST06 compares them with the answer's; empty if there are none.
   */
  byte[] encodeFirst(int token) {
    return EMPTY;
  }

  /** The encoding of a test whose accuracy log, if any, holds {@code data}. */
  public static CompletionEncoding of(CompletionData data, boolean logged) {
    if (!logged) {
      return NONE;
    }
    return switch (data) {
      case TOKEN_IDS -> TOKEN_IDS;
      case TEXT -> TEXT;
    };
  }
}
