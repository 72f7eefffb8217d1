package dev.loadgen.accuracy.summary;

import dev.loadgen.accuracy.input.PythonText;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * F-measures of a summary against a reference, as {@code rouge_score} 0.1.2 computes them with
 * {@code use_stemmer=True} and its own tokenizer: each from 0 to 1.
 *
 * @param rouge1 of single words
 * @param rouge2 of pairs of words
 * @param rougeL of the longest common subsequence
 * @param rougeLsum of the union of the longest common subsequences of sentences, which are divided
 *     by line feeds
 */
public record Rouge(double rouge1, double rouge2, double rougeL, double rougeLsum) {
  /** Shorter words are not stemmed. */
  private static final int STEMMED_FROM = 4;

  /** Scores a prediction. */
  public static Rouge score(String target, String prediction) {
    List<String> targetWords = words(target);
    List<String> predictedWords = words(prediction);
    return new Rouge(
        ngrams(targetWords, predictedWords, 1),
        ngrams(targetWords, predictedWords, 2),
        longestCommonSubsequence(targetWords, predictedWords),
        summaryLevel(sentences(target), sentences(prediction)));
  }

  /** Runs of {@code a-z0-9} of the text in lower case, stemmed. */
  static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    String lower = PythonText.lower(text);
    int start = 0;
    for (int i = 0; i <= lower.length(); i++) {
      if (i < lower.length() && isWordCharacter(lower.charAt(i))) {
        continue;
      }
      if (i > start) {
        String word = lower.substring(start, i);
        words.add(word.length() < STEMMED_FROM ? word : PorterStemmer.stem(word));
      }
      start = i + 1;
    }
    return words;
  }

  private static boolean isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }

  private static List<List<String>> sentences(String text) {
    List<List<String>> sentences = new ArrayList<>();
    for (String sentence : text.split("\n", -1)) {
      if (!sentence.isEmpty()) {
        sentences.add(words(sentence));
      }
    }
    return sentences;
  }

  private static double ngrams(List<String> target, List<String> predicted, int n) {
    Map<List<String>, Integer> wanted = counts(target, n);
    Map<List<String>, Integer> found = counts(predicted, n);
    int common = 0;
    for (Map.Entry<List<String>, Integer> ngram : wanted.entrySet()) {
      common += Math.min(ngram.getValue(), found.getOrDefault(ngram.getKey(), 0));
    }
    return fMeasure(
        common, Math.max(1, predicted.size() - n + 1), Math.max(1, target.size() - n + 1));
  }

  private static Map<List<String>, Integer> counts(List<String> words, int n) {
    Map<List<String>, Integer> counts = new HashMap<>();
    for (int i = 0; i + n <= words.size(); i++) {
      counts.merge(List.copyOf(words.subList(i, i + n)), 1, Integer::sum);
    }
    return counts;
  }

  private static double longestCommonSubsequence(List<String> target, List<String> predicted) {
    if (target.isEmpty() || predicted.isEmpty()) {
      return 0;
    }
    int[] row = new int[predicted.size() + 1];
    for (String word : target) {
      int diagonal = 0;
      for (int j = 1; j < row.length; j++) {
        int above = row[j];
        row[j] = word.equals(predicted.get(j - 1)) ? diagonal + 1 : Math.max(above, row[j - 1]);
        diagonal = above;
      }
    }
    return fMeasure(row[row.length - 1], predicted.size(), target.size());
  }

  private static double summaryLevel(List<List<String>> target, List<List<String>> predicted) {
    Map<String, Integer> wanted = counts(target);
    Map<String, Integer> found = counts(predicted);
    int wantedWords = target.stream().mapToInt(List::size).sum();
    int foundWords = predicted.stream().mapToInt(List::size).sum();
    if (wantedWords == 0 || foundWords == 0) {
      return 0;
    }
    int hits = 0;
    for (List<String> sentence : target) {
      BitSet union = new BitSet();
      for (List<String> candidate : predicted) {
        markCommonSubsequence(sentence, candidate, union);
      }
      for (int i = union.nextSetBit(0); i >= 0; i = union.nextSetBit(i + 1)) {
        String word = sentence.get(i);
        // A word counts no more often than either side has it.
        if (found.getOrDefault(word, 0) > 0 && wanted.getOrDefault(word, 0) > 0) {
          hits++;
          found.merge(word, -1, Integer::sum);
          wanted.merge(word, -1, Integer::sum);
        }
      }
    }
    return fMeasure(hits, foundWords, wantedWords);
  }

  private static Map<String, Integer> counts(List<List<String>> sentences) {
    Map<String, Integer> counts = new HashMap<>();
    sentences.forEach(sentence -> sentence.forEach(word -> counts.merge(word, 1, Integer::sum)));
    return counts;
  }

  /**
   * Marks the words of {@code target} that are in one longest common subsequence. Of several it is
   * the one that {@code rouge_score} takes, since the union of them depends on it.
   */
  private static void markCommonSubsequence(
      List<String> target, List<String> candidate, BitSet marked) {
    int[][] lengths = new int[target.size() + 1][candidate.size() + 1];
    for (int i = 1; i < lengths.length; i++) {
      for (int j = 1; j < lengths[i].length; j++) {
        lengths[i][j] =
            target.get(i - 1).equals(candidate.get(j - 1))
                ? lengths[i - 1][j - 1] + 1
                : Math.max(lengths[i - 1][j], lengths[i][j - 1]);
      }
    }
    int i = target.size();
    int j = candidate.size();
    while (i > 0 && j > 0) {
      if (target.get(i - 1).equals(candidate.get(j - 1))) {
        marked.set(i - 1);
        i--;
        j--;
      } else if (lengths[i][j - 1] > lengths[i - 1][j]) {
        j--;
      } else {
        i--;
      }
    }
  }

  private static double fMeasure(int common, int predicted, int target) {
    double precision = (double) common / predicted;
    double recall = (double) common / target;
    return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
  }
}
