package dev.loadgen.accuracy;

import dev.loadgen.accuracy.Evaluation.Part;
import dev.loadgen.accuracy.Evaluation.Program;
import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.accuracy.input.LoggedAnswer;
import dev.loadgen.accuracy.input.PythonText;
import dev.loadgen.accuracy.input.References;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.reasoning.Subset;
import dev.loadgen.accuracy.reasoning.Subset.Grade;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Exact match, as {@code language/gpt-oss-120b/eval_mlperf_accuracy.py} of mlcommons/inference
 * scores it, but for programs, which are never executed here.
 */
final class ReasoningEvaluator implements Evaluator {
  private static final String DATASET = "dataset";
  private static final String TRUTH = "ground_truth";

  /** The reference prints exact_match with three digits after the point. */
  private static final int DIGITS = 3;

  @Override
  public boolean takesTokenIds() {
    return true;
  }

  @Override
  public void check(References references) throws UnusableInputException {
    references.require(DATASET, TRUTH);
    for (int row = 0; row < references.size(); row++) {
      subset(row, name(references, row));
    }
  }

  private static String name(References references, int row) throws UnusableInputException {
    if (references.value(DATASET, row) instanceof String name && !name.isEmpty()) {
      return PythonText.lower(name);
    }
    throw new UnusableInputException(
        "row %d of the dataset has no text in column %s; fill it".formatted(row, DATASET));
  }

  private static Subset subset(int row, String name) throws UnusableInputException {
    return Subset.of(name)
        .orElseThrow(
            () ->
                new UnusableInputException(
                    "row %d of the dataset is of \"%s\", which no evaluator supports; supported are names with %s"
                        .formatted(row, name, String.join(", ", Subset.names()))));
  }

  @Override
  public Evaluation evaluate(Path log, References references, Inputs inputs)
      throws UnusableInputException {
    check(references);
    Tally tally = new Tally(references, inputs);
    AccuracyLog.Summary read = AccuracyLog.read(log, references.size(), tally::add);
    List<Part> parts = tally.parts.values().stream().map(Counts::part).toList();
    List<Score> scores = new ArrayList<>();
    scores.add(exactMatch(parts));
    if (inputs.text() instanceof AnswerText.OfTokenIds) {
      scores.add(
          Score.exact(
              "tokens_per_sample", Evaluator.rounded((double) tally.tokens / read.samples(), 4)));
    }
    return new Evaluation(
        "exact match, as eval_mlperf_accuracy.py of gpt-oss-120b",
        read.samples(),
        read.duplicates(),
        scores,
        parts,
        Map.of(),
        notes(parts, tally.programs.size()),
        tally.programs);
  }

  private static Score exactMatch(List<Part> parts) {
    double correct = 0;
    double possible = 0;
    double total = 0;
    for (Part part : parts) {
      correct += (double) part.correct() / part.repeats();
      possible += (double) (part.correct() + part.unknown()) / part.repeats();
      total += (double) part.total() / part.repeats();
    }
    return new Score(
        "exact_match",
        Evaluator.rounded(correct / total * 100, DIGITS),
        Evaluator.rounded(possible / total * 100, DIGITS));
  }

  private static List<String> notes(List<Part> parts, int programs) {
    List<String> notes = new ArrayList<>();
    if (programs > 0) {
      notes.add(
          "%d programs for LiveCodeBench were not executed, so that exact_match is a range. Their results come from the Job of docs/accuracy.md."
              .formatted(programs));
    }
    int others = parts.stream().mapToInt(Part::unknown).sum() - programs;
    if (others > 0) {
      notes.add(
          "%d formulas of MATH-500 were not compared, so that exact_match is a range. Score them with the reference's eval_mlperf_accuracy.py."
              .formatted(others));
    }
    return notes;
  }

  private static final class Tally {
    private final References references;
    private final Inputs inputs;
    private final Map<String, Counts> parts = new TreeMap<>();
    private final List<Program> programs = new ArrayList<>();
    private long tokens;

    Tally(References references, Inputs inputs) {
      this.references = references;
      this.inputs = inputs;
    }

    void add(LoggedAnswer answer) throws UnusableInputException {
      int row = answer.sampleIndex();
      String name = name(references, row);
      Counts counts = parts.computeIfAbsent(name, Counts::new);
      if (inputs.text() instanceof AnswerText.OfTokenIds) {
        tokens += answer.tokenIds().length;
      }
      Grade grade =
          subset(row, name).grade(inputs.text().of(answer, false), references.value(TRUTH, row));
      counts.total++;
      switch (grade) {
        case Grade.Known known -> counts.correct += known.correct() ? 1 : 0;
        case Grade.Unknown unknown -> counts.unknown++;
        case Grade.Program program -> {
          Boolean passed = passed(row);
          if (passed == null) {
            counts.unknown++;
            programs.add(new Program(row, program.question(), program.code()));
          } else {
            counts.correct += passed ? 1 : 0;
          }
        }
      }
    }

    @SuppressWarnings("NullableWrapperType") // null: not executed
    private @Nullable Boolean passed(int row) {
      return inputs.executed().get(row);
    }
  }

  private static final class Counts {
    private final String name;
    private int correct;
    private int unknown;
    private int total;

    Counts(String name) {
      this.name = name;
    }

    Part part() {
      return new Part(name, correct, unknown, total, Subset.repeats(name));
    }
  }
}
