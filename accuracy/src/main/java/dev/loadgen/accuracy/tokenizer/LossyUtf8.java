package dev.loadgen.accuracy.tokenizer;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * UTF-8 in which what is none becomes U+FFFD, one for each longest part that could begin a
 * character, as Unicode recommends (chapter 3.9) and Rust does. Java's own decoder makes one
 * replacement of an encoded surrogate, for which these are three.
 */
final class LossyUtf8 {
  private static final char REPLACEMENT = '\ufffd';

  private LossyUtf8() {}

  static String decode(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return repaired(bytes);
    }
  }

  private static String repaired(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length);
    int at = 0;
    while (at < bytes.length) {
      int wanted = length(bytes[at] & 0xff);
      int valid = 1;
      while (valid < wanted && at + valid < bytes.length && continues(bytes, at, valid)) {
        valid++;
      }
      if (wanted > 0 && valid == wanted) {
        text.append(new String(bytes, at, valid, StandardCharsets.UTF_8));
      } else {
        text.append(REPLACEMENT);
      }
      at += valid;
    }
    return text.toString();
  }

  /** Bytes of a character that starts so; 0 if none does. */
  private static int length(int lead) {
    if (lead < 0x80) {
      return 1;
    }
    if (lead < 0xc2 || lead > 0xf4) {
      return 0;
    }
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  }

  /** Whether a byte continues the character: the second byte of some has narrower bounds. */
  private static boolean continues(byte[] bytes, int start, int offset) {
    int value = bytes[start + offset] & 0xff;
    int least = 0x80;
    int most = 0xbf;
    if (offset == 1) {
      switch (bytes[start] & 0xff) {
        case 0xe0 -> least = 0xa0;
        case 0xed -> most = 0x9f;
        case 0xf0 -> least = 0x90;
        case 0xf4 -> most = 0x8f;
        default -> {}
      }
    }
    return value >= least && value <= most;
  }
}
