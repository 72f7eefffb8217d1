package dev.loadgen.results;

import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.RunResult.Percentiles;
import dev.loadgen.contract.RunResult.ReplicaResult;
import dev.loadgen.contract.RunResultBuilder;
import dev.loadgen.contract.RunResultReplicaResultBuilder;
import dev.loadgen.rules.log.Metric;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The measured values of a test, from our own records. Latencies are in milliseconds from LoadGen's
 * issue of a sample, over the samples that were answered in full.
 */
public final class Measurement {
  private static final double NANOS_PER_MILLI = 1e6;

  private final List<SampleRecord> samples;
  private final List<SampleRecord> answered;
  private final List<? extends TestedServer> replicas;
  private final long retries;

  /**
   * Of a test that has ended.
   *
   * @param retries requests that were sent again
   */
  public Measurement(
      List<SampleRecord> samples, List<? extends TestedServer> replicas, long retries) {
    this.retries = retries;
    this.samples = samples;
    this.answered = samples.stream().filter(SampleRecord::succeeded).toList();
    this.replicas = replicas;
  }

  /** All samples, in the order of issue. */
  public List<SampleRecord> samples() {
    return samples;
  }

  /** Samples answered in full. */
  public long completed() {
    return answered.size();
  }

  /** Samples that failed. */
  public long failed() {
    return (long) samples.size() - answered.size();
  }

  /** Output tokens of the samples answered in full. */
  public long outputTokens() {
    return answered.stream().mapToLong(SampleRecord::tokens).sum();
  }

  /** The same for each replica, in the order of the plan. */
  public List<Long> outputTokensByReplica() {
    return replicas.stream()
        .map(
            replica ->
                answered.stream()
                    .filter(sample -> sample.replica() == replica.index())
                    .mapToLong(SampleRecord::tokens)
                    .sum())
        .toList();
  }

  /**
   * Everything, as status and summary carry it.
   *
   * @param metric that LoadGen's log has for the scenario; null: none
   * @param accuracy the scores of an accuracy test; null: answers were not scored
   */
  public RunResult result(@Nullable Metric metric, @Nullable List<AccuracyScore> accuracy) {
    double seconds = durationSeconds();
    long tokens = outputTokens();
    return RunResultBuilder.builder()
        .metric(metric == null ? null : metric.name())
        .value(metric == null ? null : rounded(metric.value()))
        .unit(metric == null ? null : metric.unit())
        .completed(completed())
        .failed(failed())
        .outputTokens(tokens)
        .tokenCountSource(
            answered.stream()
                .map(
                    sample ->
                        String.valueOf(
                            sample.tokenCountSource() == null
                                ? ""
                                : sample.tokenCountSource().field()))
                .distinct()
                .sorted()
                .collect(
                    Collectors.collectingAndThen(
                        Collectors.joining("+"), sources -> sources.isEmpty() ? null : sources)))
        .tokensPerSecond(seconds > 0 ? rounded(tokens / seconds) : null)
        .samplesPerSecond(seconds > 0 ? rounded(completed() / seconds) : null)
        .durationSeconds(rounded(seconds))
        .latency(percentiles(answered, Measurement::latencyMillis))
        .ttft(
            percentiles(
                streamed(), sample -> (sample.firstToken() - sample.issued()) / NANOS_PER_MILLI))
        .tpot(
            percentiles(
                streamed().stream().filter(sample -> sample.tokens() > 1).toList(),
                sample ->
                    (sample.ended() - sample.firstToken())
                        / NANOS_PER_MILLI
                        / (sample.tokens() - 1)))
        .retries(retries)
        .accuracy(accuracy)
        .replicas(replicas.stream().map(this::replicaResult).toList())
        .build();
  }

  /** Seconds from the first issue to the last end. */
  public double durationSeconds() {
    long first = samples.stream().mapToLong(SampleRecord::issued).min().orElse(0);
    long last =
        samples.stream().mapToLong(SampleRecord::ended).filter(end -> end != 0).max().orElse(first);
    return (last - first) / 1e9;
  }

  private List<SampleRecord> streamed() {
    return answered.stream().filter(sample -> sample.firstToken() != 0).toList();
  }

  private ReplicaResult replicaResult(TestedServer replica) {
    List<SampleRecord> all =
        samples.stream().filter(sample -> sample.replica() == replica.index()).toList();
    List<SampleRecord> own = all.stream().filter(SampleRecord::succeeded).toList();
    Percentiles latency = percentiles(own, Measurement::latencyMillis);
    Percentiles ttft =
        percentiles(
            own.stream().filter(sample -> sample.firstToken() != 0).toList(),
            sample -> (sample.firstToken() - sample.issued()) / NANOS_PER_MILLI);
    return RunResultReplicaResultBuilder.builder()
        .name(replica.name())
        .completed((long) own.size())
        .failed((long) all.size() - own.size())
        .outputTokens(own.stream().mapToLong(SampleRecord::tokens).sum())
        .latencyP50(latency == null ? null : latency.p50())
        .latencyP99(latency == null ? null : latency.p99())
        .ttftP50(ttft == null ? null : ttft.p50())
        .ttftP99(ttft == null ? null : ttft.p99())
        .errors(errors(all))
        .takenOut(replica.takenOut())
        .build();
  }

  private static Map<String, Long> errors(List<SampleRecord> samples) {
    Map<String, Long> errors = new TreeMap<>();
    for (SampleRecord sample : samples) {
      RequestFailure failure = sample.failure();
      if (failure != null) {
        errors.merge(failure.kind().name(), 1L, Long::sum);
      }
    }
    return errors;
  }

  private static double latencyMillis(SampleRecord sample) {
    return (sample.ended() - sample.issued()) / NANOS_PER_MILLI;
  }

  private static @Nullable Percentiles percentiles(
      List<SampleRecord> of, ToDoubleFunction<SampleRecord> value) {
    if (of.isEmpty()) {
      return null;
    }
    double[] sorted = of.stream().mapToDouble(value).sorted().toArray();
    return new Percentiles(
        rounded(Arrays.stream(sorted).average().orElseThrow()),
        rounded(NearestRank.percentile(sorted, 50)),
        rounded(NearestRank.percentile(sorted, 90)),
        rounded(NearestRank.percentile(sorted, 99)),
        rounded(sorted[sorted.length - 1]));
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
