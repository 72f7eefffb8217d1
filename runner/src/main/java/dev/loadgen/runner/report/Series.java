package dev.loadgen.runner.report;

import dev.loadgen.runner.dispatch.SampleRecord;
import dev.loadgen.runner.report.Chart.Point;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Points of charts from records of samples, never more than a screen can show. */
final class Series {
  private static final int MOST_POINTS = 1500;
  private static final int BUCKETS = 120;

  private Series() {}

  /** The share of samples, in percent, whose value is at most x. */
  static List<Point> distribution(
      List<SampleRecord> samples, ToDoubleFunction<SampleRecord> value) {
    double[] sorted = samples.stream().mapToDouble(value).sorted().toArray();
    List<Point> points = new ArrayList<>();
    int stride = Math.max(1, sorted.length / 400);
    for (int i = 0; i < sorted.length; i += stride) {
      points.add(new Point(sorted[i], 100.0 * (i + 1) / sorted.length));
    }
    if (sorted.length > 0) {
      points.add(new Point(sorted[sorted.length - 1], 100));
    }
    return points;
  }

  /**
   * The value of each sample by the seconds at which it was issued; of many samples, some, evenly
   * chosen.
   */
  static List<Point> overTime(
      List<SampleRecord> samples, long origin, ToDoubleFunction<SampleRecord> value) {
    List<Point> points = new ArrayList<>();
    double stride = Math.max(1.0, samples.size() / (double) MOST_POINTS);
    for (double i = 0; i < samples.size(); i += stride) {
      SampleRecord sample = samples.get((int) i);
      points.add(new Point((sample.issued() - origin) / 1e9, value.applyAsDouble(sample)));
    }
    return points;
  }

  /**
   * Requests in flight, by seconds: the most within each of {@value #BUCKETS} equal parts of the
   * test.
   */
  static List<Point> inFlight(List<SampleRecord> samples, long origin, double seconds) {
    List<SampleRecord> sent =
        samples.stream().filter(s -> s.started() != 0 && s.ended() != 0).toList();
    long[] starts = sent.stream().mapToLong(SampleRecord::started).sorted().toArray();
    long[] ends = sent.stream().mapToLong(SampleRecord::ended).sorted().toArray();
    double[] most = new double[BUCKETS];
    int ended = 0;
    for (int started = 0; started < starts.length; started++) {
      while (ended < ends.length && ends[ended] < starts[started]) {
        ended++;
      }
      int bucket = bucket(starts[started], origin, seconds);
      most[bucket] = Math.max(most[bucket], started + 1 - ended);
    }
    // A part in which nothing starts has what is left at its beginning.
    for (int i = 0; i < BUCKETS; i++) {
      if (most[i] == 0) {
        long at = origin + (long) (seconds * 1e9 * i / BUCKETS);
        most[i] = notAfter(starts, at) - notAfter(ends, at);
      }
    }
    return points(most, seconds);
  }

  /**
   * Output tokens a second, by seconds; the tokens of an answer are spread evenly from its first
   * token to its end.
   */
  static List<Point> tokenRate(List<SampleRecord> samples, long origin, double seconds) {
    double[] tokens = new double[BUCKETS];
    for (SampleRecord sample : samples) {
      if (!sample.succeeded()) {
        continue;
      }
      int from =
          bucket(sample.firstToken() != 0 ? sample.firstToken() : sample.ended(), origin, seconds);
      int to = bucket(sample.ended(), origin, seconds);
      for (int i = from; i <= to; i++) {
        tokens[i] += sample.tokens() / (double) (to - from + 1);
      }
    }
    double width = seconds / BUCKETS;
    return points(Arrays.stream(tokens).map(t -> t / width).toArray(), seconds);
  }

  private static int notAfter(long[] sorted, long at) {
    int position = Arrays.binarySearch(sorted, at);
    return position >= 0 ? position + 1 : -position - 1;
  }

  private static int bucket(long nanoTime, long origin, double seconds) {
    return Math.clamp((long) ((nanoTime - origin) / 1e9 / seconds * BUCKETS), 0, BUCKETS - 1);
  }

  private static List<Point> points(double[] values, double seconds) {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      points.add(new Point(seconds * i / BUCKETS, Math.max(0, values[i])));
    }
    return points;
  }
}
