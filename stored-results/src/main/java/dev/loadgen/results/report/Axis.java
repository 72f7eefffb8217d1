package dev.loadgen.results.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A linear scale between round numbers, with ticks at round numbers.
 *
 * @param min start of the scale
 * @param max end of the scale, above {@code min}
 * @param step distance of the ticks
 */
record Axis(double min, double max, double step) {
  private static final int TICKS = 5;
  private static final double ROUNDING = 1e-9;

  /** The axis from 0 that holds values up to {@code largest}. */
  static Axis upTo(double largest) {
    if (!(largest > 0) || Double.isInfinite(largest)) {
      return new Axis(0, 1, 0.2);
    }
    double step = step(largest);
    return new Axis(0, Math.ceil(largest / step - ROUNDING) * step, step);
  }

  /**
   * The axis that holds values between two. It begins at 0 unless that would leave more than half
   * of it empty, so that differences between values that are alike can be seen.
   */
  static Axis around(double smallest, double largest) {
    double range = largest - smallest;
    if (!(smallest > largest / 2) || !(range > 0) || Double.isInfinite(largest)) {
      return upTo(largest);
    }
    double step = step(range);
    return new Axis(
        Math.floor(smallest / step + ROUNDING) * step,
        Math.ceil(largest / step - ROUNDING) * step,
        step);
  }

  /** The axis from 0 that ends where the values end, so that charts over one time line up. */
  static Axis exactly(double largest) {
    return !(largest > 0) || Double.isInfinite(largest)
        ? new Axis(0, 1, 0.2)
        : new Axis(0, largest, step(largest));
  }

  private static double step(double range) {
    double rough = range / TICKS;
    double magnitude = Math.pow(10, Math.floor(Math.log10(rough)));
    for (double factor : new double[] {1, 2, 2.5, 5}) {
      if (factor * magnitude >= rough * (1 - ROUNDING)) {
        return factor * magnitude;
      }
    }
    return magnitude * 10;
  }

  /** Where a value lies: 0 at the start, 1 at the end; what is outside lies at the nearer end. */
  double position(double value) {
    return Math.clamp((value - min) / (max - min), 0.0, 1.0);
  }

  List<Double> ticks() {
    List<Double> ticks = new ArrayList<>();
    for (int i = 0; min + i * step <= max + (max - min) * ROUNDING; i++) {
      ticks.add(min + i * step);
    }
    return ticks;
  }

  /** A tick's label: as many decimals as the step needs, thousands as k, millions as M. */
  String label(double tick) {
    double size = Math.max(Math.abs(min), Math.abs(max));
    double scale = size >= 1e10 ? 1e9 : size >= 1e7 ? 1e6 : size >= 1e4 ? 1e3 : 1;
    String prefix = scale == 1e9 ? "G" : scale == 1e6 ? "M" : scale == 1e3 ? "k" : "";
    int decimals = 0;
    for (double scaled = step / scale; decimals < 9 && !isWhole(scaled); scaled *= 10) {
      decimals++;
    }
    String number = String.format(Locale.ROOT, "%." + decimals + "f", tick / scale);
    return Math.abs(tick) < step * ROUNDING ? "0" : number + prefix;
  }

  private static boolean isWhole(double value) {
    return Math.abs(value - Math.rint(value)) < ROUNDING * Math.max(1, value);
  }
}
