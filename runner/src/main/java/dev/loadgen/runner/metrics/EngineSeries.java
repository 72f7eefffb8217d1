package dev.loadgen.runner.metrics;

import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineProfile;
import dev.loadgen.results.metrics.ServerMetric;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * By what names an engine tells the vocabulary, and how it shows what a round may forbid: one class
 * an engine that has counters.
 */
sealed interface EngineSeries permits VllmSeries, SglangSeries {
  /**
   * The series of an engine.
   *
   * @throws IllegalArgumentException if it has no counters that are known
   */
  static EngineSeries of(Engine engine) {
    return switch (engine) {
      case vllm -> new VllmSeries();
      case sglang -> new SglangSeries();
      case openai -> throw new IllegalArgumentException("no counters of " + engine + " are known");
    };
  }

  /** Those of all engines that have counters. */
  static Stream<EngineSeries> all() {
    return Arrays.stream(Engine.values())
        .filter(engine -> EngineProfile.of(engine).hasCounters())
        .map(EngineSeries::of);
  }

  /** Where it tells a metric: today's name, then those of older releases; empty: nowhere. */
  List<SeriesSelector> of(ServerMetric metric);

  /** What each of its servers has from the first answer on, each by any of its names. */
  List<List<SeriesSelector>> always();

  /** What two pages tell that have what it always has. */
  ServerConduct conduct(ServerPages pages);

  static List<SeriesSelector> named(String... names) {
    return Stream.of(names).map(SeriesSelector::named).toList();
  }
}
