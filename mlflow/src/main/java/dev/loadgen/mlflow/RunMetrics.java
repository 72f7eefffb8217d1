package dev.loadgen.mlflow;

import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.Percentiles;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.Verdict;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run measured, as MLflow metrics: LoadGen's own, and ours beside them, which also say what
 * failed.
 */
final class RunMetrics {
  private final Map<String, Double> metrics = new LinkedHashMap<>();

  private RunMetrics() {}

  /**
   * The metrics of a run.
   *
   * @param loadGen the metrics of LoadGen's summary
   */
  static Map<String, Double> of(RunSummary summary, Map<String, Double> loadGen) {
    RunMetrics all = new RunMetrics();
    all.metrics.putAll(loadGen);
    all.metrics.put("test_status", summary.failure() == null ? 1.0 : 0.0);
    if (summary.verdict() != null) {
      all.metrics.put("verdict_valid", summary.verdict() == Verdict.Valid ? 1.0 : 0.0);
    }
    if (summary.result() != null) {
      all.result(summary.result());
    }
    return all.metrics;
  }

  private void result(RunResult result) {
    put("test_duration_seconds", result.durationSeconds());
    if (result.completed() != null && result.failed() != null) {
      put("num_samples", result.completed() + result.failed());
    }
    put("samples_completed", result.completed());
    put("samples_failed", result.failed());
    put("output_tokens", result.outputTokens());
    put("tokens_per_second", result.tokensPerSecond());
    put("samples_per_second", result.samplesPerSecond());
    put("retries", result.retries());
    put("headline", result.value());
    percentiles("latency", result.latency());
    percentiles("ttft", result.ttft());
    percentiles("tpot", result.tpot());
    if (result.accuracy() != null) {
      for (RunResult.AccuracyScore score : result.accuracy()) {
        put("accuracy_" + MlflowNames.key(score.name()), score.value());
      }
    }
  }

  private void percentiles(String quantity, @Nullable Percentiles of) {
    if (of != null) {
      put("mean_" + quantity + "_ms", of.mean());
      put("p50_" + quantity + "_ms", of.p50());
      put("p90_" + quantity + "_ms", of.p90());
      put("p99_" + quantity + "_ms", of.p99());
      put("max_" + quantity + "_ms", of.max());
    }
  }

  private void put(String name, @Nullable Number value) {
    if (value != null && Double.isFinite(value.doubleValue())) {
      metrics.put(name, value.doubleValue());
    }
  }
}
