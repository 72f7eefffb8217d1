package dev.loadgen.results.metrics;

import java.util.Locale;

/** What a number is of its metric. */
public enum Statistic {
  /** A gauge, as it was read. */
  VALUE,
  /** A counter's growth per second. */
  RATE,
  /** Mean of a gauge's readings, or of a histogram's observations. */
  MEAN,
  /** Median of a histogram's observations. */
  P50,
  /** 90th percentile of a histogram's observations. */
  P90,
  /** 99th percentile of a histogram's observations. */
  P99,
  /** Largest reading of a gauge. */
  MAX,
  /** A counter's growth. */
  TOTAL,
  /** How many observations a histogram got. */
  COUNT;

  /** Its name in files: in lower case. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
