package dev.loadgen.runner.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A linear scale from 0 to a round number, with ticks at round numbers.
 *
 * @param max end of the scale, above 0
 * @param step distance of the ticks
 */
record Axis(double max, double step) {
  private static final int TICKS = 5;

  /** The axis that holds values up to {@code largest}. */
  static Axis upTo(double largest) {
    if (!(largest > 0) || Double.isInfinite(largest)) {
      return new Axis(1, 0.2);
    }
    double rough = largest / TICKS;
    double magnitude = Math.pow(10, Math.floor(Math.log10(rough)));
    double step = magnitude * 10;
    for (double factor : new double[] {1, 2, 2.5, 5}) {
      if (factor * magnitude >= rough * (1 - 1e-9)) {
        step = factor * magnitude;
        break;
      }
    }
    return new Axis(Math.ceil(largest / step - 1e-9) * step, step);
  }

  List<Double> ticks() {
    List<Double> ticks = new ArrayList<>();
    for (int i = 0; i * step <= max * (1 + 1e-9); i++) {
      ticks.add(i * step);
    }
    return ticks;
  }

  /** A tick's label, with as many decimals as the step needs. */
  String label(double tick) {
    int decimals = (int) Math.clamp(Math.ceil(-Math.log10(step) + (isWhole(step) ? 0 : 0.4)), 0, 6);
    return String.format(Locale.ROOT, "%,." + decimals + "f", tick).replace(',', '\u2009');
  }

  private static boolean isWhole(double value) {
    double mantissa = value / Math.pow(10, Math.floor(Math.log10(value)));
    return Math.abs(mantissa - Math.rint(mantissa)) < 1e-9;
  }
}
