package dev.loadgen.rules.log;

/**
 * A measured number.
 *
 * @param name LoadGen's name for it without {@code result_}, such as {@code tokens_per_second}
 * @param value the number; LoadGen prints six significant digits of rates
 * @param unit such as {@code tokens/s} or {@code ms}
 */
public record Metric(String name, double value, String unit) {}
