package dev.loadgen.runner.dispatch;

import dev.loadgen.results.SampleRecord;

/** Hears of samples as they go, for progress; called on the hot path, by many threads. */
public interface SampleListener {
  /** LoadGen has issued samples. */
  void issued(int samples);

  /** A sample was answered in full; its record is complete. */
  void completed(SampleRecord sample);

  /** A sample failed. */
  void failed();
}
