package dev.loadgen.results.accuracy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.accuracy.Evaluation;
import dev.loadgen.accuracy.Score;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScoreRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The scores of an evaluation beside the gates of a ruleset, in the forms in which they go on.
 *
 * @param gates by name of the score, in the order of the ruleset
 */
public record Scores(Evaluation evaluation, Map<String, AccuracyGate> gates) {
  /** The results folder's file with the scores. */
  public static final String FILE_NAME = "accuracy.json";

  /** The results folder's file with the programs that were not executed. */
  public static final String PROGRAMS_FILE_NAME = "livecodebench.jsonl";

  /** With the gates of a ruleset; none outside of a round. */
  public static Scores of(
      Evaluation evaluation, Ruleset ruleset, String benchmark, Scenario scenario) {
    Map<String, AccuracyGate> gates = new LinkedHashMap<>();
    ruleset.accuracyGates(benchmark, scenario).forEach(gate -> gates.put(gate.metric(), gate));
    return new Scores(evaluation, gates);
  }

  /** What {@code accuracy.json} holds of one score. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Entry(
      String name,
      @Nullable Double value,
      @Nullable Double atLeast,
      @Nullable Double atMost,
      @Nullable Double minimum,
      @Nullable Double maximum,
      @Nullable String source) {}

  private record Content(
      String evaluator,
      int samples,
      int duplicates,
      List<Entry> scores,
      List<Evaluation.Part> parts,
      Map<String, Long> counts,
      int programsNotExecuted,
      List<String> notes) {}

  /** The content of {@code accuracy.json}. */
  public String json() {
    List<Entry> entries = new ArrayList<>();
    for (Score score : evaluation.scores()) {
      AccuracyGate gate = gates.get(score.name());
      entries.add(
          new Entry(
              score.name(),
              score.known() ? score.atLeast() : null,
              score.known() ? null : score.atLeast(),
              score.known() ? null : score.atMost(),
              gate == null ? null : gate.min(),
              gate == null ? null : gate.max(),
              gate == null ? null : gate.source()));
    }
    return ContractJson.writePretty(
            new Content(
                evaluation.evaluator(),
                evaluation.samples(),
                evaluation.duplicates(),
                entries,
                evaluation.parts(),
                evaluation.counts(),
                evaluation.programs().size(),
                evaluation.notes()))
        + "\n";
  }

  /** The content of {@code livecodebench.jsonl}; empty if there are no programs. */
  public Optional<String> programs() {
    return evaluation.programs().isEmpty()
        ? Optional.empty()
        : Optional.of(
            evaluation.programs().stream()
                .map(program -> ContractJson.write(program) + "\n")
                .collect(Collectors.joining()));
  }

  /** The content of {@code accuracy.json} where the answers could not be scored, and why. */
  public static String unscored(String why) {
    return ContractJson.writePretty(
            Map.of("samples", 0, "scores", List.of(), "notes", List.of(why)))
        + "\n";
  }

  /** What {@code accuracy.json} says to the judge. */
  public static AccuracyScores evidence(JsonNode json) {
    Map<String, ScoreRange> ranges = new LinkedHashMap<>();
    for (JsonNode score : json.path("scores")) {
      JsonNode value = score.path("value");
      ranges.put(
          score.path("name").asText(),
          new ScoreRange(
              bound(value.isNumber() ? value : score.path("atLeast"), Double.NEGATIVE_INFINITY),
              bound(value.isNumber() ? value : score.path("atMost"), Double.POSITIVE_INFINITY)));
    }
    List<String> notes = new ArrayList<>();
    json.path("notes").forEach(note -> notes.add(note.asText()));
    return new AccuracyScores(json.path("samples").asLong(), ranges, notes);
  }

  private static double bound(JsonNode number, double otherwise) {
    return number.isNumber() ? number.doubleValue() : otherwise;
  }

  /** For the judge. */
  public AccuracyScores evidence() {
    Map<String, ScoreRange> ranges = new LinkedHashMap<>();
    for (Score score : evaluation.scores()) {
      ranges.put(score.name(), new ScoreRange(score.atLeast(), score.atMost()));
    }
    return new AccuracyScores(evaluation.samples(), ranges, evaluation.notes());
  }

  /**
   * For status and report; a range becomes two scores, so that neither end passes for the score.
   */
  public List<AccuracyScore> result() {
    List<AccuracyScore> result = new ArrayList<>();
    for (Score score : evaluation.scores()) {
      AccuracyGate gate = gates.get(score.name());
      Double target = gate == null ? null : gate.min();
      if (score.known()) {
        result.add(new AccuracyScore(score.name(), score.atLeast(), target));
      } else {
        result.add(new AccuracyScore(score.name() + "_at_least", score.atLeast(), target));
        result.add(new AccuracyScore(score.name() + "_at_most", score.atMost(), target));
      }
    }
    return result;
  }
}
