package dev.loadgen.mlperf;

/**
 * The data set that LoadGen draws samples from. Called on the thread that called {@link
 * LoadGen#startTest}. Exceptions are treated as those of {@link SystemUnderTest}.
 */
public interface QuerySampleLibrary {
  /**
   * A name for LoadGen's log. Read once, before the test. No control characters, quotation marks or
   * backslashes.
   */
  String name();

  /** The number of samples in the library, at least 1. Read once, before the test. */
  int totalSampleCount();

  /** The number of samples that fit in memory at once, at least 1. Read once, before the test. */
  int performanceSampleCount();

  /**
   * Prepares samples. LoadGen does not time this, so all that depends on the sample alone belongs
   * here: tokenizing, building request bodies.
   *
   * @param indices positions in this library, not sorted; in MultiStream the same one may occur
   *     more than once
   */
  void loadSamplesToRam(int[] indices);

  /**
   * The opposite of {@link #loadSamplesToRam}, with the same indices. Not called when the test was
   * aborted.
   */
  void unloadSamplesFromRam(int[] indices);
}
