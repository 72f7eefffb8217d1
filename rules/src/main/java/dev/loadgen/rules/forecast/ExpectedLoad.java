package dev.loadgen.rules.forecast;

import java.math.BigInteger;

/**
 * How many samples LoadGen will issue and how long that takes, by the formulae of its
 * test_settings_internal.cc and of GenerateQueries in loadgen.cc, which are the same in 5.1.2,
 * 6.0.15 and 6.0.17.
 *
 * @param samples samples that will be issued; SingleStream: at least, since a fast server gets more
 * @param exact whether {@code samples} is what LoadGen will issue, to the sample; false for
 *     SingleStream, for Server without a known schedule seed, and where a maximum duration may cut
 *     the test short
 * @param durationMs Server and Interactive: when the last query is due. Offline and SingleStream:
 *     how long the test takes at the target rate; a slower server takes longer
 * @param cutShort whether a maximum ends the test before its minimum, which LoadGen logs as an
 *     error
 */
public record ExpectedLoad(long samples, boolean exact, long durationMs, boolean cutShort) {
  /**
   * Above this many queries the schedule is estimated and not drawn: whoever asks may have others
   * wait.
   */
  private static final long DRAWN_QUERIES = 2_000_000;

  /** Predicts the load of a test. */
  public static ExpectedLoad of(LoadSettings settings) {
    if (settings.accuracy()) {
      return accuracy(settings);
    }
    return switch (settings.scenario()) {
      case Offline -> offline(settings);
      case SingleStream -> singleStream(settings);
      case Server, Interactive -> server(settings);
    };
  }

  private static ExpectedLoad accuracy(LoadSettings settings) {
    long samples = settings.accuracySet();
    // Neither duration nor counts bound an accuracy test.
    return new ExpectedLoad(samples, true, milliseconds(samples / settings.targetQps()), false);
  }

  private static ExpectedLoad offline(LoadSettings settings) {
    // LoadGen asks for 10 % more than the target rate fills the duration with.
    long wanted = (long) (1.1 * (settings.minDurationMs() / 1e3) * settings.targetQps());
    long samples = Math.max(settings.minQueryCount(), wanted);
    if (settings.sampleConcatenatePermutation()) {
      samples = roundUp(samples, settings.performanceSet());
    }
    // All samples are one query, which no maximum cuts.
    return new ExpectedLoad(samples, true, milliseconds(samples / settings.targetQps()), false);
  }

  private static ExpectedLoad singleStream(LoadSettings settings) {
    long queries = settings.minQueryCount();
    if (settings.sampleConcatenatePermutation()) {
      long expected = (long) (2.0 * (settings.minDurationMs() / 1e3) * settings.targetQps());
      queries = Math.max(queries, expected);
      // Adds a whole copy even to a multiple, unlike the other scenarios.
      long copy = settings.performanceSet();
      queries = queries > Long.MAX_VALUE - copy ? queries : queries + copy - queries % copy;
    }
    long durationMs =
        Math.max(settings.minDurationMs(), milliseconds(queries / settings.targetQps()));
    boolean cutShort =
        (settings.maxQueryCount() != 0 && settings.maxQueryCount() < queries)
            || (settings.maxDurationMs() != 0 && settings.maxDurationMs() < durationMs);
    long samples =
        settings.maxQueryCount() == 0 ? queries : Math.min(queries, settings.maxQueryCount());
    return new ExpectedLoad(Math.max(1, samples), false, durationMs, cutShort);
  }

  private static ExpectedLoad server(LoadSettings settings) {
    BigInteger seed = settings.scheduleSeed();
    double due = settings.minDurationMs() / 1e3 * settings.targetQps();
    boolean drawn =
        seed != null
            && Math.max(due, (double) settings.minQueryCount()) + copy(settings)
                < (double) DRAWN_QUERIES;
    ExpectedLoad whole =
        drawn && seed != null ? drawn(settings, seed.longValue()) : estimated(settings);
    return capped(whole, settings);
  }

  /** Draws LoadGen's own schedule: queries are made until one is due at the least duration. */
  private static ExpectedLoad drawn(LoadSettings settings, long seed) {
    PoissonSchedule schedule = new PoissonSchedule(seed);
    long copy = copy(settings);
    long wanted = roundUp(settings.minQueryCount(), copy);
    long minDurationNs = settings.minDurationMs() * 1_000_000;
    long queries = 0;
    long dueNs = 0;
    long nextNs = 0;
    while (dueNs < minDurationNs || queries < wanted) {
      queries++;
      dueNs = nextNs;
      nextNs += schedule.nextGapNs(settings.targetQps());
      if (queries >= wanted && dueNs < minDurationNs) {
        wanted += copy;
      }
    }
    return new ExpectedLoad(Math.max(1, queries), true, dueNs / 1_000_000, false);
  }

  private static ExpectedLoad estimated(LoadSettings settings) {
    long due = (long) Math.ceil(settings.minDurationMs() / 1e3 * settings.targetQps());
    long queries = roundUp(Math.max(1, Math.max(settings.minQueryCount(), due)), copy(settings));
    return new ExpectedLoad(
        queries, false, milliseconds((queries - 1) / settings.targetQps()), false);
  }

  private static ExpectedLoad capped(ExpectedLoad whole, LoadSettings settings) {
    long samples = whole.samples();
    long durationMs = whole.durationMs();
    boolean exact = whole.exact();
    if (settings.maxQueryCount() != 0 && settings.maxQueryCount() < samples) {
      durationMs = (long) (durationMs * ((double) settings.maxQueryCount() / samples));
      samples = settings.maxQueryCount();
    }
    if (settings.maxDurationMs() != 0 && settings.maxDurationMs() < durationMs) {
      samples = Math.max(1, (long) (samples * ((double) settings.maxDurationMs() / durationMs)));
      durationMs = settings.maxDurationMs();
      exact = false;
    }
    return new ExpectedLoad(samples, exact, durationMs, samples < whole.samples());
  }

  /** Queries by which a test grows. */
  private static long copy(LoadSettings settings) {
    return settings.sampleConcatenatePermutation() ? settings.performanceSet() : 1;
  }

  private static long roundUp(long count, long multiple) {
    // A count that no long holds is no test that anybody runs, but must not become a negative one.
    return count > Long.MAX_VALUE - multiple
        ? Long.MAX_VALUE / multiple * multiple
        : Math.ceilDiv(count, multiple) * multiple;
  }

  private static long milliseconds(double seconds) {
    return (long) Math.ceil(seconds * 1e3);
  }
}
