package dev.loadgen.reconcile.events;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts what happens again to an object, so that it becomes one Event with a count. Each series
 * may be written {@value #BURST} times at once and then once in {@link #REFILL}; what comes faster
 * is counted and reported by the next write. Not thread-safe.
 */
final class EventSeries {
  /** Writes of one series that may follow each other at once. */
  static final int BURST = 10;

  /** How long until a series may be written once more. */
  static final Duration REFILL = Duration.ofSeconds(30);

  /** API servers keep an Event for an hour after its last write by default. */
  static final Duration RETENTION = Duration.ofHours(1);

  /** Series that are remembered; of more, those that were quiet longest are forgotten. */
  static final int MOST = 4_096;

  private final Map<Key, Series> series = new LinkedHashMap<>(64, 0.75f, true);

  record Key(String uid, ObjectEvent.Type type, String reason) {}

  /** What to do about something that happened. */
  sealed interface Step {
    /** The Event {@code name} is written, with its count so far. */
    record Write(String name, int count, Instant first) implements Step {}

    /** Counted; nothing is written. */
    record Hold() implements Step {}
  }

  private static final class Series {
    final String name;
    final Instant first;
    int count;
    double budget = BURST;
    Instant counted;
    Instant written;

    Series(String name, Instant now) {
      this.name = name;
      this.first = now;
      this.counted = now;
      this.written = now;
    }

    boolean spend(Instant now) {
      double refilled = (double) Duration.between(counted, now).toMillis() / REFILL.toMillis();
      budget = Math.min(BURST, budget + Math.max(0, refilled));
      counted = now;
      if (budget < 1) {
        return false;
      }
      budget--;
      written = now;
      return true;
    }
  }

  /**
   * Counts.
   *
   * @param newName the name of the Event, should this be the first of its series
   */
  Step next(Key key, Instant now, String newName) {
    Series known = series.get(key);
    if (known == null || Duration.between(known.written, now).compareTo(RETENTION) >= 0) {
      known = new Series(newName, now);
      series.put(key, known);
      if (series.size() > MOST) {
        series.remove(series.keySet().iterator().next());
      }
    }
    known.count++;
    return known.spend(now)
        ? new Step.Write(known.name, known.count, known.first)
        : new Step.Hold();
  }
}
