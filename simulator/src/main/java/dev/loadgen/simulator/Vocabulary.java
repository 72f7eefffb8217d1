package dev.loadgen.simulator;

import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Token ids and their text. Every id from {@link #FIRST_WORD} on is a pronounceable word with a
 * space before it, ids below are special and have no text. Words encode back to their id; other
 * text is cut into pieces of at most four characters.
 *
 * <p>Immutable but for a cache; safe for all threads.
 */
final class Vocabulary {
  /** Begin of sequence. */
  static final int BOS = 1;

  /** End of sequence; ends a generation and is counted as a token, as both engines do. */
  static final int EOS = 2;

  /** The mark before and after the tokens of an image. */
  static final int IMAGE_MARK = 3;

  /** The smallest id that has text. */
  static final int FIRST_WORD = 16;

  private static final int PIECE = 4;
  private static final String CONSONANTS = "bdfghklmnprstvwz";
  private static final String VOWELS = "aeiou";
  private static final int SYLLABLES = CONSONANTS.length() * VOWELS.length();

  private final int size;
  private final ConcurrentHashMap<Integer, String> texts = new ConcurrentHashMap<>();

  /**
   * @param size the number of ids, 0 to size - 1; at least 256
   */
  Vocabulary(int size) {
    this.size = size;
  }

  boolean contains(int id) {
    return id >= 0 && id < size;
  }

  /** The id of a word that the bits of {@code hash} select. */
  int word(long hash) {
    return FIRST_WORD + (int) Long.remainderUnsigned(hash, size - FIRST_WORD);
  }

  /** The text of {@code id}, empty for the special ids. */
  String text(int id) {
    return id < FIRST_WORD ? "" : texts.computeIfAbsent(id, Vocabulary::spell);
  }

  String text(int[] ids) {
    StringBuilder text = new StringBuilder();
    for (int id : ids) {
      text.append(text(id));
    }
    return text.toString();
  }

  private static String spell(int id) {
    StringBuilder word = new StringBuilder();
    int rest = id;
    do {
      int syllable = rest % SYLLABLES;
      word.insert(0, VOWELS.charAt(syllable % VOWELS.length()))
          .insert(0, CONSONANTS.charAt(syllable / VOWELS.length()));
      rest /= SYLLABLES;
    } while (rest > 0);
    return word.insert(0, ' ').toString();
  }

  /** The token ids of {@code text}, the same at each call. No begin or end marks are added. */
  int[] encode(CharSequence text) {
    IntStream.Builder ids = IntStream.builder();
    int at = 0;
    while (at < text.length()) {
      int start = at;
      boolean spaced =
          text.charAt(at) == ' ' && at + 1 < text.length() && isWord(text.charAt(at + 1));
      if (spaced) {
        at++;
      }
      int end = at;
      while (end < text.length() && isWord(text.charAt(end))) {
        end++;
      }
      if (end == at) {
        end = at + 1;
        while (text.charAt(at) == ' ' && end < text.length() && text.charAt(end) == ' ') {
          end++;
        }
      }
      int known = spaced || start == 0 ? lookUp(text, at, end) : -1;
      if (known >= 0) {
        ids.add(known);
      } else {
        for (int piece = start; piece < end; piece += PIECE) {
          CharSequence part = text.subSequence(piece, Math.min(end, piece + PIECE));
          ids.add(word(Hash.of(0, part)));
        }
      }
      at = end;
    }
    return ids.build().toArray();
  }

  private static boolean isWord(char c) {
    return Character.isLetterOrDigit(c) || Character.isSurrogate(c);
  }

  /** The id that {@code text[from, to)} spells, or -1. */
  private int lookUp(CharSequence text, int from, int to) {
    if (to - from < 2 || (to - from) % 2 != 0 || to - from > 8) {
      return -1;
    }
    long id = 0;
    for (int i = from; i < to; i += 2) {
      int consonant = CONSONANTS.indexOf(text.charAt(i));
      int vowel = VOWELS.indexOf(text.charAt(i + 1));
      if (consonant < 0 || vowel < 0) {
        return -1;
      }
      int syllable = consonant * VOWELS.length() + vowel;
      if (syllable == 0 && i == from && to - from > 2) {
        return -1; // a leading zero is not how any id is spelled
      }
      id = id * SYLLABLES + syllable;
    }
    return id >= FIRST_WORD && id < size ? (int) id : -1;
  }
}
