package dev.loadgen.mlperf;

import java.nio.file.Path;

/**
 * LoadGen's {@code LogOutputSettings}: where it writes its log files. Fields carry LoadGen's names
 * and defaults.
 */
public final class LogOutputSettings {
  /** The folder of the log files. It must exist. */
  public Path outdir = Path.of(".");

  /** What file names begin with: {@code mlperf_log_summary.txt}. */
  public String prefix = "mlperf_log_";

  /** What file names have before their extension. */
  public String suffix = "";

  /** Whether the date and time of the start follow the prefix. */
  public boolean prefixWithDatetime = false;

  /** Whether the detail log is also printed to standard output. */
  public boolean copyDetailToStdout = false;

  /** Whether the summary is also printed to standard output. */
  public boolean copySummaryToStdout = false;
}
