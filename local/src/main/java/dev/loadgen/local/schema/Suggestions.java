package dev.loadgen.local.schema;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds what a mistyped word was meant to be. */
public final class Suggestions {
  private Suggestions() {}

  /**
   * The closest candidate, if it is so close that it was probably meant: at most one edit in three
   * characters, or the same but for case, hyphens and underscores.
   */
  public static Optional<String> closest(String word, Collection<String> candidates) {
    int most = Math.max(1, word.length() / 3);
    return candidates.stream()
        .filter(candidate -> distance(word, candidate) <= most)
        .min(
            Comparator.<String>comparingInt(candidate -> distance(word, candidate))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** {@code "; did you mean X?"}, or nothing. */
  public static String didYouMean(String word, Collection<String> candidates) {
    return closest(word, candidates)
        .map(candidate -> "; did you mean " + candidate + "?")
        .orElse("");
  }

  private static int distance(String word, String candidate) {
    return levenshtein(plain(word), plain(candidate));
  }

  private static String plain(String word) {
    return word.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  private static int levenshtein(String a, String b) {
    int[] previous = new int[b.length() + 1];
    int[] current = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
      }
      int[] swap = previous;
      previous = current;
      current = swap;
    }
    return previous[b.length()];
  }
}
