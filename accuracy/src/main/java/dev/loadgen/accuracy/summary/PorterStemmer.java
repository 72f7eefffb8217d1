package dev.loadgen.accuracy.summary;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Porter's stemmer with NLTK's extensions, which is what {@code nltk.stem.porter.PorterStemmer}
 * does unless told otherwise. The extensions: irregular words, words of two letters are left alone,
 * {@code ies} and {@code ied} of words of four letters, {@code y} after a consonant, and some
 * suffixes of step 2.
 *
 * @see <a href="https://tartarus.org/martin/PorterStemmer/def.txt">M.F. Porter, An algorithm for
 *     suffix stripping</a>
 */
final class PorterStemmer {
  private static final Map<String, String> IRREGULAR =
      irregular(
          Map.ofEntries(
              Map.entry("sky", List.of("sky", "skies")),
              Map.entry("die", List.of("dying")),
              Map.entry("lie", List.of("lying")),
              Map.entry("tie", List.of("tying")),
              Map.entry("news", List.of("news")),
              Map.entry("inning", List.of("innings", "inning")),
              Map.entry("outing", List.of("outings", "outing")),
              Map.entry("canning", List.of("cannings", "canning")),
              Map.entry("howe", List.of("howe")),
              Map.entry("proceed", List.of("proceed")),
              Map.entry("exceed", List.of("exceed")),
              Map.entry("succeed", List.of("succeed"))));

  private static final List<Rule> STEP_1A =
      List.of(
          new Rule("sses", "ss", stem -> true),
          new Rule("ies", "i", stem -> true),
          new Rule("ss", "ss", stem -> true),
          new Rule("s", "", stem -> true));

  private static final List<Rule> STEP_2 =
      List.of(
          ifMeasured(0, "ational", "ate"),
          ifMeasured(0, "tional", "tion"),
          ifMeasured(0, "enci", "ence"),
          ifMeasured(0, "anci", "ance"),
          ifMeasured(0, "izer", "ize"),
          ifMeasured(0, "bli", "ble"),
          ifMeasured(0, "alli", "al"),
          ifMeasured(0, "entli", "ent"),
          ifMeasured(0, "eli", "e"),
          ifMeasured(0, "ousli", "ous"),
          ifMeasured(0, "ization", "ize"),
          ifMeasured(0, "ation", "ate"),
          ifMeasured(0, "ator", "ate"),
          ifMeasured(0, "alism", "al"),
          ifMeasured(0, "iveness", "ive"),
          ifMeasured(0, "fulness", "ful"),
          ifMeasured(0, "ousness", "ous"),
          ifMeasured(0, "aliti", "al"),
          ifMeasured(0, "iviti", "ive"),
          ifMeasured(0, "biliti", "ble"),
          ifMeasured(0, "fulli", "ful"),
          new Rule("logi", "log", stem -> measure(stem + "l") > 0));

  private static final List<Rule> STEP_3 =
      List.of(
          ifMeasured(0, "icate", "ic"),
          ifMeasured(0, "ative", ""),
          ifMeasured(0, "alize", "al"),
          ifMeasured(0, "iciti", "ic"),
          ifMeasured(0, "ical", "ic"),
          ifMeasured(0, "ful", ""),
          ifMeasured(0, "ness", ""));

  private static final List<Rule> STEP_4 =
      List.of(
          ifMeasured(1, "al", ""),
          ifMeasured(1, "ance", ""),
          ifMeasured(1, "ence", ""),
          ifMeasured(1, "er", ""),
          ifMeasured(1, "ic", ""),
          ifMeasured(1, "able", ""),
          ifMeasured(1, "ible", ""),
          ifMeasured(1, "ant", ""),
          ifMeasured(1, "ement", ""),
          ifMeasured(1, "ment", ""),
          ifMeasured(1, "ent", ""),
          new Rule(
              "ion", "", stem -> measure(stem) > 1 && (stem.endsWith("s") || stem.endsWith("t"))),
          ifMeasured(1, "ou", ""),
          ifMeasured(1, "ism", ""),
          ifMeasured(1, "ate", ""),
          ifMeasured(1, "iti", ""),
          ifMeasured(1, "ous", ""),
          ifMeasured(1, "ive", ""),
          ifMeasured(1, "ize", ""));

  private PorterStemmer() {}

  /** A suffix, what it becomes, and what must hold of the word without it. */
  private record Rule(String suffix, String replacement, Predicate<String> condition) {}

  private static Rule ifMeasured(int above, String suffix, String replacement) {
    return new Rule(suffix, replacement, stem -> measure(stem) > above);
  }

  private static Map<String, String> irregular(Map<String, List<String>> formsByStem) {
    Map<String, String> stems = new HashMap<>();
    formsByStem.forEach((stem, forms) -> forms.forEach(form -> stems.put(form, stem)));
    return Map.copyOf(stems);
  }

  /** The stem of a word in lower case. */
  static String stem(String word) {
    String known = IRREGULAR.get(word);
    if (known != null) {
      return known;
    }
    if (word.length() <= 2) {
      return word;
    }
    String stem = step1a(word);
    stem = step1b(stem);
    stem = step1c(stem);
    stem = step2(stem);
    stem = apply(STEP_3, stem);
    stem = apply(STEP_4, stem);
    stem = step5a(stem);
    return step5b(stem);
  }

  /** The first rule whose suffix the word has decides, whether or not its condition holds. */
  private static String apply(List<Rule> rules, String word) {
    for (Rule rule : rules) {
      if (word.endsWith(rule.suffix())) {
        String stem = without(word, rule.suffix().length());
        return rule.condition().test(stem) ? stem + rule.replacement() : word;
      }
    }
    return word;
  }

  private static String step1a(String word) {
    if (word.length() == 4 && word.endsWith("ies")) {
      return without(word, 1);
    }
    return apply(STEP_1A, word);
  }

  private static String step1b(String word) {
    if (word.endsWith("ied")) {
      return without(word, word.length() == 4 ? 1 : 2);
    }
    if (word.endsWith("eed")) {
      String stem = without(word, 3);
      return measure(stem) > 0 ? stem + "ee" : word;
    }
    int suffix = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
    String stem = without(word, suffix);
    if (suffix == 0 || !containsVowel(stem)) {
      return word;
    }
    if (stem.endsWith("at") || stem.endsWith("bl") || stem.endsWith("iz")) {
      return stem + "e";
    }
    if (endsInDoubleConsonant(stem)) {
      char last = stem.charAt(stem.length() - 1);
      return last == 'l' || last == 's' || last == 'z' ? stem : without(stem, 1);
    }
    return measure(stem) == 1 && endsInCvc(stem) ? stem + "e" : stem;
  }

  private static String step1c(String word) {
    if (!word.endsWith("y")) {
      return word;
    }
    String stem = without(word, 1);
    boolean afterConsonant = stem.length() > 1 && consonants(stem)[stem.length() - 1];
    return afterConsonant ? stem + "i" : word;
  }

  private static String step2(String word) {
    if (word.endsWith("alli") && measure(without(word, 4)) > 0) {
      return step2(without(word, 2));
    }
    return apply(STEP_2, word);
  }

  private static String step5a(String word) {
    if (!word.endsWith("e")) {
      return word;
    }
    String stem = without(word, 1);
    int measure = measure(stem);
    return measure > 1 || (measure == 1 && !endsInCvc(stem)) ? stem : word;
  }

  private static String step5b(String word) {
    return word.endsWith("ll") && measure(without(word, 1)) > 1 ? without(word, 1) : word;
  }

  private static String without(String word, int letters) {
    return word.substring(0, word.length() - letters);
  }

  /** Which letters are consonants: all but a, e, i, o, u, and y after a consonant. */
  private static boolean[] consonants(String word) {
    boolean[] consonants = new boolean[word.length()];
    for (int i = 0; i < consonants.length; i++) {
      consonants[i] =
          switch (word.charAt(i)) {
            case 'a', 'e', 'i', 'o', 'u' -> false;
            case 'y' -> i == 0 || !consonants[i - 1];
            default -> true;
          };
    }
    return consonants;
  }

  /** How often a consonant follows a vowel: Porter's m. */
  private static int measure(String stem) {
    boolean[] consonants = consonants(stem);
    int measure = 0;
    for (int i = 1; i < consonants.length; i++) {
      if (consonants[i] && !consonants[i - 1]) {
        measure++;
      }
    }
    return measure;
  }

  private static boolean containsVowel(String stem) {
    for (boolean consonant : consonants(stem)) {
      if (!consonant) {
        return true;
      }
    }
    return false;
  }

  private static boolean endsInDoubleConsonant(String word) {
    int last = word.length() - 1;
    return last >= 1 && word.charAt(last) == word.charAt(last - 1) && consonants(word)[last];
  }

  /** Consonant, vowel, consonant but w, x and y; NLTK adds words of a vowel and a consonant. */
  private static boolean endsInCvc(String word) {
    boolean[] consonants = consonants(word);
    int length = word.length();
    if (length == 2) {
      return !consonants[0] && consonants[1];
    }
    return length >= 3
        && consonants[length - 3]
        && !consonants[length - 2]
        && consonants[length - 1]
        && "wxy".indexOf(word.charAt(length - 1)) < 0;
  }
}
