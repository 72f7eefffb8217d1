package dev.loadgen.runner.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.loadgen.runner.dispatch.Records;
import dev.loadgen.runner.dispatch.SampleRecord;
import dev.loadgen.runner.report.Chart.Point;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SeriesTest {
  private static final List<SampleRecord> TWO =
      List.of(Records.streamed(0, 0, 0, 100, 600, 10), Records.streamed(1, 0, 500, 600, 1000, 20));

  private static double at(List<Point> points, double seconds) {
    return points.stream()
        .filter(point -> point.x() <= seconds)
        .reduce((before, after) -> after)
        .orElseThrow()
        .y();
  }

  @Test
  void distributionRisesToAllSamples() {
    List<Point> points =
        Series.distribution(TWO, sample -> (sample.ended() - sample.issued()) / 1e6);
    assertThat(points)
        .containsExactly(new Point(500, 50), new Point(600, 100), new Point(600, 100));
  }

  @Test
  void inFlightCountsWhatOverlaps() {
    List<Point> points = Series.inFlight(TWO, TWO.getFirst().issued(), 1);
    assertThat(at(points, 0.2)).isEqualTo(1);
    assertThat(at(points, 0.55)).isEqualTo(2);
    assertThat(at(points, 0.8)).isEqualTo(1);
  }

  @Test
  void tokenRateHoldsEveryToken() {
    List<Point> points = Series.tokenRate(TWO, TWO.getFirst().issued(), 1);
    double width = 1.0 / points.size();
    assertThat(points.stream().mapToDouble(point -> point.y() * width).sum())
        .isCloseTo(30, within(1e-6));
    assertThat(at(points, 0.05)).isZero();
    assertThat(at(points, 0.3)).isCloseTo(10 / 0.5, within(1.0));
  }

  @Test
  void manySamplesAreThinnedEvenly() {
    List<SampleRecord> samples =
        IntStream.range(0, 10_000).mapToObj(i -> Records.whole(i, 0, i, i, i + 5, 1)).toList();
    List<Point> points = Series.overTime(samples, samples.getFirst().issued(), sample -> 1);
    assertThat(points).hasSizeBetween(1400, 1600);
    assertThat(points.getFirst().x()).isZero();
    assertThat(points.getLast().x()).isGreaterThan(9.9);
  }
}
