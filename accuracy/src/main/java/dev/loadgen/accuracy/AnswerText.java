package dev.loadgen.accuracy;

import dev.loadgen.accuracy.input.Answer;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;

/** What the data of an accuracy log are. */
public sealed interface AnswerText {
  /** Token ids, of which a tokenizer makes text. */
  record OfTokenIds(Tokenizer tokenizer) implements AnswerText {}

  /** UTF-8. */
  record OfUtf8() implements AnswerText {}

  /** The text of an answer. */
  default String of(Answer answer, boolean skipsSpecialTokens) throws UnusableInputException {
    return switch (this) {
      case OfTokenIds ids -> ids.tokenizer().decode(answer.tokenIds(), skipsSpecialTokens);
      case OfUtf8 utf8 -> new String(answer.data(), StandardCharsets.UTF_8);
    };
  }
}
