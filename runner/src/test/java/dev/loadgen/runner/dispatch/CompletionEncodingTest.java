package dev.loadgen.runner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.Answer;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.TokenCountSource;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompletionEncodingTest {
  private static final Answer ANSWER =
      new Answer(
          "größer 🙂",
          new int[] {1, 256, 0x12345678, 262_143},
          4,
          TokenCountSource.TOKEN_IDS,
          "stop");

  @Test
  void tokenIdsAreLittleEndianInt32() {
    assertThat(CompletionEncoding.TOKEN_IDS.encode(ANSWER))
        .hasValue(new byte[] {1, 0, 0, 0, 0, 1, 0, 0, 0x78, 0x56, 0x34, 0x12, -1, -1, 3, 0});
  }

  @Test
  void tokenIdsThatTheServerDidNotSendAreMissing() {
    Answer without = new Answer("text", null, 4, TokenCountSource.USAGE, "stop");
    assertThat(CompletionEncoding.TOKEN_IDS.encode(without)).isEmpty();
  }

  @Test
  void textIsUtf8() {
    assertThat(CompletionEncoding.TEXT.encode(ANSWER))
        .hasValue("größer 🙂".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void noneIsEmpty() {
    assertThat(CompletionEncoding.NONE.encode(ANSWER)).hasValue(new byte[0]);
  }

  @ParameterizedTest
  @EnumSource
  void answersThatNobodyLogsAreDropped(CompletionData data) {
    assertThat(CompletionEncoding.of(data, false)).isEqualTo(CompletionEncoding.NONE);
    assertThat(CompletionEncoding.of(data, true).name()).isEqualTo(data.name());
  }
}
