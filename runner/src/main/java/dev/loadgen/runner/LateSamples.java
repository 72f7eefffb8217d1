package dev.loadgen.runner;

import dev.loadgen.contract.Progress.Late;
import dev.loadgen.mlperf.LoadGenMode;
import dev.loadgen.mlperf.TestScenario;
import dev.loadgen.mlperf.TestSettings;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.rules.check.EarlyStopping;
import dev.loadgen.rules.forecast.ExpectedLoad;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Samples that miss the limits of LoadGen's early stopping, as they end. Latencies are LoadGen's
 * (loadgen.cc, logging.cc and results.cc) by the client's stamps. Counting is cheap and free of
 * locks; safe for use by many threads.
 */
final class LateSamples {
  /** Of a test that LoadGen holds against no limit. */
  static final LateSamples NONE = new LateSamples(List.of(), 99, 0, true);

  private final List<Limit> limits;
  private final double percentile;
  private final long total;
  private final boolean exact;
  private final long budget;

  private LateSamples(List<Limit> limits, double percentile, long total, boolean exact) {
    this.limits = limits;
    this.percentile = percentile;
    this.total = total;
    this.exact = exact;
    this.budget = limits.isEmpty() ? 0 : EarlyStopping.lateBudget(total, percentile);
  }

  /**
   * A limit and the samples over it.
   *
   * @param rule that judges it
   * @param latency of a sample in ns; negative: it has none
   */
  private record Limit(
      String rule, String noun, long nanos, ToLongFunction<SampleRecord> latency, LongAdder late) {
    Limit(String rule, String noun, long nanos, ToLongFunction<SampleRecord> latency) {
      this(rule, noun, nanos, latency, new LongAdder());
    }
  }

  /** The limits that LoadGen holds a test against: some in Server's performance mode alone. */
  static LateSamples of(TestSettings settings, ExpectedLoad expected) {
    if (settings.scenario != TestScenario.Server || settings.mode != LoadGenMode.PerformanceOnly) {
      return NONE;
    }
    List<Limit> limits =
        settings.useTokenLatencies
            ? List.of(
                new Limit(
                    "Ttft", "time to first token", settings.serverTtftLatency, LateSamples::ttft),
                new Limit(
                    "Tpot", "time per output token", settings.serverTpotLatency, LateSamples::tpot))
            : List.of(
                new Limit(
                    "Latency",
                    "query latency",
                    settings.serverTargetLatencyNs,
                    sample -> sample.ended() - sample.issued()));
    return new LateSamples(
        limits, 100 * settings.serverTargetLatencyPercentile, expected.samples(), expected.exact());
  }

  private static long ttft(SampleRecord sample) {
    return sample.firstToken() == 0 ? -1 : sample.firstToken() - sample.issued();
  }

  private static long tpot(SampleRecord sample) {
    return sample.firstToken() == 0 || sample.tokens() < 2
        ? -1
        : (sample.ended() - sample.firstToken()) / (sample.tokens() - 1);
  }

  /** Takes a sample that was answered in full. */
  void completed(SampleRecord sample) {
    for (Limit limit : limits) {
      if (limit.latency().applyAsLong(sample) > limit.nanos()) {
        limit.late().increment();
      }
    }
  }

  /** By the limit that most samples missed; null if there is none. */
  @Nullable Late most() {
    return worst().map(limit -> new Late(limit.rule(), limit.late().sum(), budget)).orElse(null);
  }

  private Optional<Limit> worst() {
    return limits.stream().max(Comparator.comparingLong(limit -> limit.late().sum()));
  }

  /** Whether more will be late than may be, if the rest is as what has ended. */
  boolean willBeTooMany(long ended) {
    return worst()
        .filter(limit -> (double) limit.late().sum() * total > (double) budget * ended)
        .isPresent();
  }

  /**
   * Why no test can pass in which what was late so far was late; empty: one can, or LoadGen may
   * issue more than is known.
   */
  Optional<String> tooMany() {
    if (!exact || limits.isEmpty()) {
      return Optional.empty();
    }
    if (budget < 0) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "LoadGen issues %d queries, and a test with fewer than %d cannot show its p%s; raise"
                  + " spec.load.minQueryCount or spec.load.minDuration",
              total,
              EarlyStopping.minQueries(0, percentile),
              number(percentile)));
    }
    return worst()
        .filter(limit -> limit.late().sum() > budget)
        .map(
            limit ->
                String.format(
                    Locale.ROOT,
                    "%d samples are over the limit of %s ms for the %s, and LoadGen's early"
                        + " stopping allows %d of %d; lower spec.load.targetQps or speed up the"
                        + " server",
                    limit.late().sum(),
                    number(limit.nanos() / 1e6),
                    limit.noun(),
                    budget,
                    total));
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? Long.toString((long) value)
        : Double.toString(Math.round(value * 1e3) / 1e3);
  }
}
