package dev.loadgen.mlperf;

/** Which kind of file {@link TestSettings#fromConfig} reads; LoadGen honours other keys in each. */
public enum ConfType {
  /**
   * The {@code mlperf.conf} that is compiled into LoadGen: seeds, limits and sample counts of each
   * benchmark. No file is read.
   */
  MLPERF_CONF,

  /**
   * A submitter's {@code user.conf}. LoadGen applies {@link #MLPERF_CONF} first, whether or not
   * that was done already, and reads one such file in a process.
   */
  USER_CONF,

  /** An {@code audit.config}. It is usually given to {@link LoadGen#startTest} instead. */
  AUDIT
}
