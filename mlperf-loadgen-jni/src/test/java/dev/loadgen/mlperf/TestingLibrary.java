package dev.loadgen.mlperf;

import java.util.concurrent.atomic.AtomicInteger;

/** A library of a few samples that counts what LoadGen loads. */
class TestingLibrary implements QuerySampleLibrary {
  final AtomicInteger loaded = new AtomicInteger();
  private final int samples;

  TestingLibrary(int samples) {
    this.samples = samples;
  }

  @Override
  public String name() {
    return "testing library";
  }

  @Override
  public int totalSampleCount() {
    return samples;
  }

  @Override
  public int performanceSampleCount() {
    return samples;
  }

  @Override
  public void loadSamplesToRam(int[] indices) {
    loaded.addAndGet(indices.length);
  }

  @Override
  public void unloadSamplesFromRam(int[] indices) {
    loaded.addAndGet(-indices.length);
  }
}
