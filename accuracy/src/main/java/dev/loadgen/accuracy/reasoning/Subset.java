package dev.loadgen.accuracy.reasoning;

import dev.loadgen.accuracy.input.PythonText;
import dev.loadgen.accuracy.reasoning.AnswerParser.Options;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A kind of questions, told by the name in a dataset's column {@code dataset}. The reference looks
 * for these names inside that name, in this order.
 */
public enum Subset {
  /** GPQA: A to D. */
  GPQA("gpqa") {
    @Override
    public Grade grade(String answer, @Nullable Object truth) {
      return choice(answer, truth, Options.A_TO_D);
    }
  },
  /** MMLU-Pro: A to J. */
  MMLU_PRO("mmlu_pro") {
    @Override
    public Grade grade(String answer, @Nullable Object truth) {
      return choice(answer, truth, Options.A_TO_J);
    }
  },
  /** MATH-500, whose formulas are compared by a program that is not part of this. */
  MATH_500("math500") {
    @Override
    public Grade grade(String answer, @Nullable Object truth) {
      return AnswerParser.boxed(answer).filter(box -> !box.isEmpty()).isPresent() && truth != null
          ? Grade.Unknown.INSTANCE
          : Grade.of(false);
    }
  },
  /** AIME: integers from 0 to 999. */
  AIME("aime") {
    @Override
    public Grade grade(String answer, @Nullable Object truth) {
      Optional<Integer> given = AnswerParser.integer(answer);
      return Grade.of(given.isPresent() && equalsInteger(truth, given.get()));
    }
  },
  /** LiveCodeBench: programs, which are right if they pass their tests. */
  LIVE_CODE_BENCH("livecodebench") {
    @Override
    public Grade grade(String answer, @Nullable Object truth) {
      Optional<String> code = AnswerParser.code(answer).filter(program -> !program.isEmpty());
      return code.isPresent() && truth instanceof String question && !question.isEmpty()
          ? new Grade.Program(question, code.get())
          : Grade.of(false);
    }
  },
  /** MMLU: A to J, as the reference has it. */
  MMLU("mmlu") {
    @Override
    public Grade grade(String answer, @Nullable Object truth) {
      return choice(answer, truth, Options.A_TO_J);
    }
  };

  /** How often the accuracy set has each question; others once. */
  private static final Map<String, Integer> REPEATS =
      Map.of("aime25", 8, "gpqa_diamond", 5, "livecodebench_v6", 3);

  private static final Pattern INTEGER = Pattern.compile("[+-]?\\p{Nd}++(?:_\\p{Nd}++)*+");

  private final String name;

  Subset(String name) {
    this.name = name;
  }

  /** What an answer is worth. */
  public sealed interface Grade {
    /** It is right or wrong. */
    record Known(boolean correct) implements Grade {}

    /** It is a program for a question; only its tests tell. */
    record Program(String question, String code) implements Grade {}

    /** It may be right; what would tell is not here. */
    record Unknown() implements Grade {
      static final Unknown INSTANCE = new Unknown();
    }

    private static Grade of(boolean correct) {
      return new Known(correct);
    }
  }

  /** The kind of a dataset's name; empty if none is known. */
  public static Optional<Subset> of(String dataset) {
    String lower = PythonText.lower(dataset);
    for (Subset subset : values()) {
      if (lower.contains(subset.name)) {
        return Optional.of(subset);
      }
    }
    return Optional.empty();
  }

  /** The names that are looked for. */
  public static List<String> names() {
    return Arrays.stream(values()).map(subset -> subset.name).toList();
  }

  /**
   * How often the accuracy set has each question of a dataset.
   *
   * @param dataset its name in lower case
   */
  public static int repeats(String dataset) {
    return REPEATS.getOrDefault(dataset, 1);
  }

  /**
   * Grades an answer.
   *
   * @param answer what the model wrote, special tokens included
   * @param truth the dataset's {@code ground_truth}; null if it has none, which no answer meets
   */
  public abstract Grade grade(String answer, @Nullable Object truth);

  private static Grade choice(String answer, @Nullable Object truth, Options options) {
    Optional<String> given = AnswerParser.choice(answer, options);
    return Grade.of(
        given.isPresent()
            && truth instanceof String letter
            && options.contain(given.get())
            && given.get().equals(letter.toUpperCase(Locale.ROOT)));
  }

  /** Python's {@code int(truth) == given}. */
  private static boolean equalsInteger(@Nullable Object truth, int given) {
    return switch (truth) {
      case String text -> {
        String digits = PythonText.strip(text);
        yield INTEGER.matcher(digits).matches()
            && new BigInteger(digits.replace("_", "")).equals(BigInteger.valueOf(given));
      }
      case Boolean bool -> (bool ? 1 : 0) == given;
      case Double number ->
          !number.isNaN() && Math.signum(number) * Math.floor(Math.abs(number)) == given;
      case Number number -> number.toString().equals(Integer.toString(given));
      case null, default -> false;
    };
  }
}
