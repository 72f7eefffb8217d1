package dev.loadgen.datasets;

import java.nio.charset.StandardCharsets;

/** The two ways in which pickles of protocol 0 write text in a line. */
final class PickleText {
  private PickleText() {}

  /** Python's raw-unicode-escape: only {@code \\uXXXX} and {@code \\UXXXXXXXX} are escapes. */
  static String rawUnicodeEscape(String line) {
    if (line.indexOf('\\') < 0) {
      return line;
    }
    StringBuilder text = new StringBuilder(line.length());
    int at = 0;
    while (at < line.length()) {
      char c = line.charAt(at);
      char kind = c == '\\' && at + 1 < line.length() ? line.charAt(at + 1) : 0;
      int digits = kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
      if (digits == 0) {
        text.append(c);
        at++;
        continue;
      }
      int codePoint = hexadecimal(line, at + 2, digits);
      if (!Character.isValidCodePoint(codePoint)) {
        throw broken();
      }
      text.appendCodePoint(codePoint);
      at += 2 + digits;
    }
    return text.toString();
  }

  /** A Python 2 string literal; its bytes are taken as UTF-8. */
  static String quoted(String line) {
    int length = line.length();
    if (length < 2
        || line.charAt(0) != line.charAt(length - 1)
        || (line.charAt(0) != '\'' && line.charAt(0) != '"')) {
      throw broken();
    }
    StringBuilder bytes = new StringBuilder(length);
    int at = 1;
    while (at < length - 1) {
      char c = line.charAt(at++);
      if (c != '\\') {
        bytes.append(c);
        continue;
      }
      char escape = line.charAt(at++);
      switch (escape) {
        case '\\', '\'', '"' -> bytes.append(escape);
        case 'n' -> bytes.append('\n');
        case 'r' -> bytes.append('\r');
        case 't' -> bytes.append('\t');
        case 'x' -> {
          bytes.append((char) hexadecimal(line, at, 2));
          at += 2;
        }
        default -> throw broken();
      }
    }
    return new String(
        bytes.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  private static int hexadecimal(String line, int from, int digits) {
    int value = 0;
    if (from + digits > line.length()) {
      throw broken();
    }
    for (int i = from; i < from + digits; i++) {
      int digit = Character.digit(line.charAt(i), 16);
      if (digit < 0) {
        throw broken();
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static InvalidContentException broken() {
    return new InvalidContentException("is not a valid pickle: it has text with a wrong escape");
  }
}
