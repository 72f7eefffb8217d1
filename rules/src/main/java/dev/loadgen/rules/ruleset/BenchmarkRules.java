package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.Scenario;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one benchmark must do in one round.
 *
 * @param aliases other names that the submission checker takes for the benchmark's folder; null is
 *     none
 * @param completionData what completions carry into the accuracy log
 * @param performance default generation of a performance test
 * @param accuracy default generation of an accuracy test
 * @param guidedDecoding whether answers may be constrained, as by a JSON schema
 * @param datasets the files that the tests draw on, with checksums; null: none is known
 * @param datasetUnpublished why there is no checksum of a file that could be given; null: there is
 * @param sampleSize how large samples are; null: so small that a runner of default size holds them
 * @param otherClient the client of the round's reference; null: LoadGen
 * @param answerSchema what guided decoding constrains answers to, unless a run says another; null:
 *     the benchmark has none
 * @param scenarios rules by scenario; empty when the benchmark is not part of the round
 * @param absence why there are no scenarios; null when there are
 * @param requiredScenarios what a system needs to be submitted: one scenario of each group, in the
 *     datacenter category; empty outside of a round
 * @param accuracyGates bounds on accuracy scores
 * @param compliance the compliance tests that the round asks for, by name; null is none
 */
public record BenchmarkRules(
    @Nullable List<String> aliases,
    @JsonProperty(required = true) CompletionData completionData,
    @JsonProperty(required = true) Generation performance,
    @JsonProperty(required = true) Generation accuracy,
    @JsonProperty(required = true) Permission guidedDecoding,
    @Nullable List<KnownDataset> datasets,
    @Nullable String datasetUnpublished,
    @Nullable SampleSize sampleSize,
    @Nullable OtherClient otherClient,
    @Nullable AnswerSchema answerSchema,
    @JsonProperty(required = true) Map<Scenario, ScenarioRules> scenarios,
    @Nullable String absence,
    @JsonProperty(required = true) List<List<Scenario>> requiredScenarios,
    @JsonProperty(required = true) List<AccuracyGate> accuracyGates,
    @Nullable Map<String, AuditRules> compliance) {
  /** Copies the collections. */
  public BenchmarkRules {
    aliases = aliases == null ? List.of() : List.copyOf(aliases);
    scenarios = Collections.unmodifiableMap(new LinkedHashMap<>(scenarios));
    accuracyGates = List.copyOf(accuracyGates);
    datasets = datasets == null ? null : List.copyOf(datasets);
    compliance =
        compliance == null
            ? Map.of()
            : Collections.unmodifiableMap(new LinkedHashMap<>(compliance));
    requiredScenarios = requiredScenarios.stream().map(List::copyOf).toList();
    if (scenarios.isEmpty() != (absence != null)) {
      throw new IllegalArgumentException("absence must be there if there are no scenarios");
    }
  }

  /** The rules of a scenario; empty when the benchmark has no such scenario in the round. */
  public Optional<ScenarioRules> scenario(Scenario scenario) {
    return Optional.ofNullable(scenarios.get(scenario));
  }

  /** The scenarios in words, such as {@code Offline, Server}. */
  public String scenariosInWords() {
    return scenarios.keySet().stream().map(Scenario::name).collect(Collectors.joining(", "));
  }

  /** The files that the tests draw on. */
  @Override
  public List<KnownDataset> datasets() {
    return datasets == null ? List.of() : datasets;
  }

  /**
   * Whether a file is one that the round has for a test; empty: no checksum is known that could
   * tell.
   *
   * @param kind {@code Performance}, {@code Accuracy}, or the name of a compliance test
   */
  public Optional<Boolean> knows(Checksums dataset, String kind) {
    return datasets().isEmpty()
        ? Optional.empty()
        : Optional.of(
            datasets().stream().anyMatch(known -> known.isFor(kind) && known.is(dataset)));
  }

  /** Other names that the submission checker takes for the benchmark's folder. */
  @Override
  public List<String> aliases() {
    return aliases == null ? List.of() : aliases;
  }

  /** The compliance tests that the round asks for, by name. */
  @Override
  public Map<String, AuditRules> compliance() {
    return compliance == null ? Map.of() : compliance;
  }

  /**
   * The default generation of a test.
   *
   * @param accuracy whether the test is an accuracy test
   */
  public Generation generation(boolean accuracy) {
    return accuracy ? this.accuracy : performance;
  }
}
