package dev.loadgen.runner.metrics;

import dev.loadgen.results.metrics.ServerMetric;
import java.util.List;

/**
 * Where servers tell a metric of the vocabulary, by the names of all engines; the first that a
 * server has is read.
 */
record MetricSource(Merge merge, List<SeriesSelector> names) {
  static MetricSource of(ServerMetric metric) {
    Merge merge =
        switch (metric) {
          case KV_CACHE_USAGE, SPECULATIVE_ACCEPT_LENGTH -> Merge.MAX;
          default -> Merge.SUM;
        };
    return new MetricSource(
        merge, EngineSeries.all().flatMap(series -> series.of(metric).stream()).toList());
  }
}
