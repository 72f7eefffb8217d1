package dev.loadgen.accuracy;

import dev.loadgen.accuracy.input.LoggedAnswer;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;

/** What the data of an accuracy log are. */
public sealed interface AnswerText {
  /** Token ids, of which a tokenizer makes text. */
  record OfTokenIds(Tokenizer tokenizer) implements AnswerText {}

  /** UTF-8. */
  record OfUtf8() implements AnswerText {}

  /** The text of an answer; what is no UTF-8 becomes U+FFFD. */
  default String of(LoggedAnswer answer, boolean skipsSpecialTokens) throws UnusableInputException {
    return switch (this) {
      case OfTokenIds ids -> ids.tokenizer().decode(answer.tokenIds(), skipsSpecialTokens);
      case OfUtf8 utf8 -> new String(answer.data(), StandardCharsets.UTF_8);
    };
  }

  /** The same in UTF-8, with what is none as the log has it. */
  default byte[] bytes(LoggedAnswer answer, boolean skipsSpecialTokens)
      throws UnusableInputException {
    return switch (this) {
      case OfTokenIds ids -> of(answer, skipsSpecialTokens).getBytes(StandardCharsets.UTF_8);
      case OfUtf8 utf8 -> answer.data();
    };
  }
}
