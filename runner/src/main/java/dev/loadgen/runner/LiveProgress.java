package dev.loadgen.runner;

import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Progress;
import dev.loadgen.runner.dispatch.SampleListener;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Counts a test as it goes. Counting is cheap and free of locks; safe for use by many threads. */
final class LiveProgress implements SampleListener {
  private final LongSupplier nanoTime;
  private final LongAdder issued = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder tokens = new LongAdder();
  private volatile Stage stage = Stage.Preparing;
  private volatile long total;
  private volatile double expectedSeconds;
  private volatile long startedAt;

  LiveProgress(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void enter(Stage next) {
    stage = next;
  }

  Stage stage() {
    return stage;
  }

  /**
   * The test begins now; LoadGen is expected to issue {@code samples} over about {@code seconds}.
   */
  void begin(long samples, double seconds) {
    total = samples;
    expectedSeconds = seconds;
    startedAt = nanoTime.getAsLong();
    stage = Stage.Running;
  }

  @Override
  public void issued(int samples) {
    issued.add(samples);
  }

  @Override
  public void completed(int outputTokens) {
    completed.increment();
    tokens.add(outputTokens);
  }

  @Override
  public void failed() {
    failed.increment();
  }

  /** Whether the first query is on its way. */
  boolean hasIssued() {
    return issued.sum() > 0;
  }

  /** Output tokens so far. */
  long tokens() {
    return tokens.sum();
  }

  /** What a person sees now. */
  Progress snapshot() {
    long done = completed.sum() + failed.sum();
    long seen = issued.sum();
    // LoadGen may issue more than was foreseen, and a percentage above 100 would be nonsense.
    long all = Math.max(total, seen);
    return new Progress(
        stage.name(),
        seen,
        completed.sum(),
        failed.sum(),
        all == 0 ? null : all,
        all == 0 ? null : (int) (100 * done / all),
        etaSeconds(done, all));
  }

  private @Nullable Long etaSeconds(long done, long all) {
    if (stage != Stage.Running && stage != Stage.Draining) {
      return null;
    }
    double elapsed = (nanoTime.getAsLong() - startedAt) / 1e9;
    double bySchedule = expectedSeconds - elapsed;
    // A rate over the first few samples says nothing: all of them began at once.
    double byRate = 20 * done < all ? 0 : elapsed / done * (all - done);
    return (long) Math.ceil(Math.max(0, Math.max(bySchedule, byRate)));
  }
}
