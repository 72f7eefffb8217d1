package dev.loadgen.runner.client;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The event that nearly all of a stream consists of: one choice that goes on, its strings without
 * escapes and in ASCII, its other members simple. It is read at a fifth of what a JSON parser
 * takes, which is what bounds a client whose server sends many events at once.
 *
 * <p>Whatever it does not know in full it leaves to the parser: {@link #read} then returns null,
 * and nothing has been taken over.
 */
final class PlainDelta {
  /** Longer numbers are left to the parser. */
  private static final int MAX_DIGITS = 9;

  private static final byte[] CHOICES = ascii("choices");
  private static final byte[] USAGE = ascii("usage");
  private static final byte[] ERROR = ascii("error");
  private static final byte[] OBJECT = ascii("object");
  private static final byte[] INDEX = ascii("index");
  private static final byte[] TEXT = ascii("text");
  private static final byte[] DELTA = ascii("delta");
  private static final byte[] MESSAGE = ascii("message");
  private static final byte[] CONTENT = ascii("content");
  private static final byte[] REASONING = ascii("reasoning");
  private static final byte[] REASONING_CONTENT = ascii("reasoning_content");
  private static final byte[] TOKEN_IDS = ascii("token_ids");
  private static final byte[] FINISH_REASON = ascii("finish_reason");
  private static final byte[] COMPLETION_TOKENS = ascii("completion_tokens");
  private static final byte[] NULL = ascii("null");
  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");

  private final byte[] json;
  private final int end;
  private final TokenIds ids;
  private int at;

  /** The name or string that was read last. */
  private int from;

  private int to;
  private int number;

  private boolean choiceSeen;
  private int index = -1;
  private int textFrom;
  private int textTo;
  private boolean thought;
  private boolean idsSent;
  private int usage = -1;

  private PlainDelta(byte[] json, int offset, int length, TokenIds ids) {
    this.json = json;
    this.at = offset;
    this.end = offset + length;
    this.ids = ids;
  }

  /**
   * Reads an event.
   *
   * @param ids empty; takes the token ids, and is worthless if this returns null
   * @return null if the event is not plain
   */
  static @Nullable PlainDelta read(byte[] json, int offset, int length, TokenIds ids)
      throws BadResponseException {
    PlainDelta delta = new PlainDelta(json, offset, length, ids);
    return delta.document() ? delta : null;
  }

  /** The choice's number; -1 if it has none. */
  int index() {
    return index;
  }

  /** The new text. */
  String text() {
    return textFrom == textTo
        ? ""
        : new String(json, textFrom, textTo - textFrom, StandardCharsets.ISO_8859_1);
  }

  /** Whether there is text that is not part of the answer. */
  boolean thought() {
    return thought;
  }

  /** Whether the server sends token ids. */
  boolean idsSent() {
    return idsSent;
  }

  /** Completion tokens by the usage object; -1 if there is none. */
  int usage() {
    return usage;
  }

  private boolean document() throws BadResponseException {
    if (!take('{')) {
      return false;
    }
    do {
      if (!name()) {
        return false;
      }
      boolean plain;
      if (is(CHOICES)) {
        plain = !choiceSeen && choices();
        choiceSeen = true;
      } else if (is(USAGE)) {
        plain = usageObject();
      } else if (is(ERROR)) {
        plain = literal(NULL);
      } else if (is(OBJECT)) {
        plain = string() && !is(ERROR);
      } else {
        plain = scalar();
      }
      if (!plain) {
        return false;
      }
    } while (take(','));
    return take('}') && next() < 0 && choiceSeen;
  }

  private boolean choices() throws BadResponseException {
    if (!take('[') || !take('{')) {
      return false;
    }
    boolean idsSeen = false;
    do {
      if (!name()) {
        return false;
      }
      boolean plain;
      if (is(INDEX)) {
        plain = integer();
        index = number;
      } else if (is(TEXT)) {
        plain = textOrNull();
      } else if (is(TOKEN_IDS)) {
        plain = !idsSeen && tokenIds();
        idsSeen = true;
      } else if (is(FINISH_REASON)) {
        plain = literal(NULL);
      } else if (is(DELTA)) {
        plain = delta();
      } else if (is(MESSAGE)) {
        plain = false;
      } else {
        plain = scalar();
      }
      if (!plain) {
        return false;
      }
    } while (take(','));
    return take('}') && take(']');
  }

  private boolean delta() {
    if (!take('{')) {
      return false;
    }
    if (take('}')) {
      return true;
    }
    do {
      if (!name()) {
        return false;
      }
      boolean plain;
      if (is(CONTENT)) {
        plain = textOrNull();
      } else if (is(REASONING) || is(REASONING_CONTENT)) {
        from = to;
        plain = literal(NULL) || string();
        thought |= plain && from < to;
      } else {
        plain = scalar();
      }
      if (!plain) {
        return false;
      }
    } while (take(','));
    return take('}');
  }

  private boolean textOrNull() {
    if (literal(NULL)) {
      textFrom = textTo;
      return true;
    }
    boolean plain = string();
    textFrom = from;
    textTo = to;
    return plain;
  }

  private boolean tokenIds() throws BadResponseException {
    if (literal(NULL)) {
      return true;
    }
    if (!take('[')) {
      return false;
    }
    idsSent = true;
    if (take(']')) {
      return true;
    }
    do {
      if (!integer()) {
        return false;
      }
      ids.add(number);
    } while (take(','));
    return take(']');
  }

  private boolean usageObject() {
    if (literal(NULL)) {
      return true;
    }
    if (!take('{')) {
      return false;
    }
    do {
      if (!name()) {
        return false;
      }
      if (is(COMPLETION_TOKENS)) {
        if (!integer()) {
          return false;
        }
        usage = number;
      } else if (!scalar()) {
        return false;
      }
    } while (take(','));
    return take('}');
  }

  private boolean name() {
    return string() && take(':');
  }

  private boolean scalar() {
    return switch (next()) {
      case '"' -> string();
      case 'n' -> literal(NULL);
      case 't' -> literal(TRUE);
      case 'f' -> literal(FALSE);
      default -> longNumber();
    };
  }

  private boolean string() {
    if (!take('"')) {
      return false;
    }
    int i = at;
    while (i < end && json[i] >= ' ' && json[i] != '"' && json[i] != '\\') {
      i++;
    }
    if (i == end || json[i] != '"') {
      return false;
    }
    from = at;
    to = i;
    at = i + 1;
    return true;
  }

  /** A number that is kept. */
  private boolean integer() {
    next();
    int first = at;
    if (!longNumber() || at - first > MAX_DIGITS) {
      return false;
    }
    int value = 0;
    for (int i = first; i < at; i++) {
      value = 10 * value + json[i] - '0';
    }
    number = value;
    return true;
  }

  /** A number that is passed over, such as a time; no sign, fraction or exponent. */
  private boolean longNumber() {
    int first = at;
    while (at < end && json[at] >= '0' && json[at] <= '9') {
      at++;
    }
    int digits = at - first;
    return digits > 0 && digits <= 2 * MAX_DIGITS && (json[first] != '0' || digits == 1);
  }

  private boolean literal(byte[] word) {
    next();
    if (end - at < word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (json[at + i] != word[i]) {
        return false;
      }
    }
    at += word.length;
    return true;
  }

  /** Whether the name or string that was read last is {@code word}. */
  private boolean is(byte[] word) {
    if (to - from != word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (json[from + i] != word[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean take(char c) {
    if (next() != c) {
      return false;
    }
    at++;
    return true;
  }

  /** The next byte after blanks, which stays; -1 at the end. */
  private int next() {
    while (at < end && json[at] == ' ') {
      at++;
    }
    return at < end ? json[at] & 0xff : -1;
  }

  private static byte[] ascii(String word) {
    return word.getBytes(StandardCharsets.US_ASCII);
  }
}
