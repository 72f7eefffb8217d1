package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec.SamplingParameters;
import dev.loadgen.api.v1alpha1.SamplingPreset;
import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanSamplingBuilder;
import dev.loadgen.contract.TestMode;
import dev.loadgen.rules.ruleset.AnswerSchema;
import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.ruleset.Generation;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How the model generates in a run: what the mode's own parameters say, else the
 * generation_config.json, else the preset. What none of them says is not sent.
 */
final class SamplingPlans {
  /** Name of a schema that a run brings along. */
  private static final String SCHEMA_NAME = "answer";

  private SamplingPlans() {}

  static RunPlan.Sampling of(
      BenchmarkRunSpec spec, BenchmarkRules benchmark, GenerationConfig config) {
    SamplingParameters given = given(spec);
    return of(spec, benchmark, config, preset(given, benchmark.generation(isAccuracy(spec))));
  }

  /**
   * What is known of it without its generation_config.json, which may not be there yet: what that
   * may decide is taken for the benchmark's own.
   */
  static RunPlan.Sampling certain(BenchmarkRunSpec spec, BenchmarkRules benchmark) {
    return spec.sampling() == null || spec.sampling().generationConfig() == null
        ? of(spec, benchmark, GenerationConfig.EMPTY)
        : of(
            spec,
            benchmark,
            GenerationConfig.EMPTY,
            preset(null, benchmark.generation(isAccuracy(spec))));
  }

  private static RunPlan.Sampling of(
      BenchmarkRunSpec spec,
      BenchmarkRules benchmark,
      GenerationConfig config,
      GenerationConfig preset) {
    SamplingParameters given = given(spec);
    return RunPlanSamplingBuilder.builder()
        .temperature(
            first(
                given, SamplingParameters::temperature, config.temperature(), preset.temperature()))
        .topK(first(given, SamplingParameters::topK, config.topK(), preset.topK()))
        .topP(first(given, SamplingParameters::topP, config.topP(), preset.topP()))
        .minP(first(given, SamplingParameters::minP, config.minP(), null))
        .repetitionPenalty(
            first(given, SamplingParameters::repetitionPenalty, config.repetitionPenalty(), null))
        .presencePenalty(first(given, SamplingParameters::presencePenalty, null, null))
        .frequencyPenalty(first(given, SamplingParameters::frequencyPenalty, null, null))
        .stop(first(given, SamplingParameters::stop, (List<String>) null, null))
        .stopTokenIds(first(given, SamplingParameters::stopTokenIds, config.stopTokenIds(), null))
        .minTokens(
            first(given, SamplingParameters::minTokens, config.minTokens(), preset.minTokens()))
        .maxNewTokens(
            first(
                given,
                SamplingParameters::maxNewTokens,
                config.maxNewTokens(),
                preset.maxNewTokens()))
        .seed(first(given, SamplingParameters::seed, null, null))
        .ignoreEos(first(given, SamplingParameters::ignoreEos, null, null))
        .guided(guided(spec, benchmark.answerSchema()))
        .build();
  }

  /** The parameters of the run's mode; null: it has none. */
  static @Nullable SamplingParameters given(BenchmarkRunSpec spec) {
    BenchmarkRunSpec.Sampling sampling = spec.sampling();
    if (sampling == null) {
      return null;
    }
    return isAccuracy(spec) ? sampling.accuracy() : sampling.performance();
  }

  /** Whatever the preset, an answer has an end. */
  private static GenerationConfig preset(@Nullable SamplingParameters given, Generation usual) {
    SamplingPreset preset =
        given == null || given.preset() == null ? SamplingPreset.Benchmark : given.preset();
    return switch (preset) {
      case Benchmark ->
          preset(
              usual.temperature(),
              usual.topK(),
              usual.topP(),
              usual.minTokens(),
              usual.maxNewTokens());
      case Greedy -> preset(0.0, 1, 1.0, usual.minTokens(), usual.maxNewTokens());
      case Server -> preset(null, null, null, null, usual.maxNewTokens());
    };
  }

  private static GenerationConfig preset(
      @Nullable Double temperature,
      @Nullable Integer topK,
      @Nullable Double topP,
      @Nullable Integer minTokens,
      int maxNewTokens) {
    return new GenerationConfig(temperature, topK, topP, null, null, null, minTokens, maxNewTokens);
  }

  private static RunPlan.@Nullable Guided guided(
      BenchmarkRunSpec spec, @Nullable AnswerSchema usual) {
    BenchmarkRunSpec.GuidedDecoding guided =
        spec.sampling() == null ? null : spec.sampling().guidedDecoding();
    if (guided == null) {
      return null;
    }
    GuidedDecodingField field =
        guided.field() == null ? GuidedDecodingField.ResponseFormat : guided.field();
    if (guided.jsonSchema() != null) {
      return new RunPlan.Guided(field, SCHEMA_NAME, guided.jsonSchema());
    }
    if (usual == null) {
      throw new IllegalArgumentException("a spec without problems has a schema");
    }
    return new RunPlan.Guided(field, usual.name(), usual.json());
  }

  private static boolean isAccuracy(BenchmarkRunSpec spec) {
    return spec.modeOrDefault() == TestMode.Accuracy;
  }

  private static <T> @Nullable T first(
      @Nullable SamplingParameters given,
      Function<SamplingParameters, @Nullable T> component,
      @Nullable T config,
      @Nullable T preset) {
    T value = given == null ? null : component.apply(given);
    if (value != null) {
      return value;
    }
    return config != null ? config : preset;
  }
}
