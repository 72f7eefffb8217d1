package dev.loadgen.runner;

import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Projection;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.forecast.ExpectedLoad;
import dev.loadgen.runner.dispatch.SampleListener;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
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
  private volatile LateSamples late = LateSamples.NONE;
  private final LongAdder unlike = new LongAdder();
  private final AtomicReference<@Nullable String> unlikeExample = new AtomicReference<>();
  private volatile @Nullable AskedAnswer asked;
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

  /** The test begins now. */
  void begin(ExpectedLoad expected, LateSamples counted, AskedAnswer answers) {
    asked = answers;
    total = expected.samples();
    expectedSeconds = expected.durationMs() / 1e3;
    late = counted;
    startedAt = nanoTime.getAsLong();
    stage = Stage.Running;
  }

  @Override
  public void issued(int samples) {
    issued.add(samples);
  }

  @Override
  public void completed(SampleRecord sample) {
    completed.increment();
    tokens.add(sample.tokens());
    late.completed(sample);
    compare(sample);
  }

  private void compare(SampleRecord sample) {
    AskedAnswer like = asked;
    AskedAnswer.Fault fault =
        like == null ? null : like.fault(sample.tokens(), sample.finishReason());
    if (fault != null) {
      unlike.increment();
      unlikeExample.compareAndSet(
          null,
          "one of "
              + sample.tokens()
              + " tokens ended by "
              + sample.finishReason()
              + " ("
              + switch (fault) {
                case TOO_LONG -> "too long";
                case CUT -> "cut by the server";
                case TOO_SHORT -> "too short";
                case OTHER_STOP -> "a reason that was not asked for";
              }
              + ")");
    }
  }

  @Override
  public void failed() {
    failed.increment();
  }

  /** Whether the first query is on its way. */
  boolean hasIssued() {
    return issued.sum() > 0;
  }

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
        etaSeconds(done, all),
        late.most(),
        projection(done, all));
  }

  /** Why the test can no longer be Valid; empty: it can. */
  Optional<String> lost() {
    long failures = failed.sum();
    if (failures > 0) {
      return Optional.of(failures + " of " + issued.sum() + " samples failed, 0 may");
    }
    String example = unlikeExample.get();
    return example == null
        ? late.tooMany()
        : Optional.of(
            "%s of %s answers are not as they were asked for, 0 may: %s"
                .formatted(unlike.sum(), completed.sum(), example));
  }

  private @Nullable Projection projection(long done, long all) {
    if (lost().isPresent()) {
      return Projection.Lost;
    }
    if (tooEarly(done, all)) {
      return null;
    }
    return late.willBeTooMany(done) ? Projection.Fail : Projection.Pass;
  }

  /** A rate over the first few samples says nothing: all of them began at once. */
  private static boolean tooEarly(long done, long all) {
    return all == 0 || 20 * done < all;
  }

  private @Nullable Long etaSeconds(long done, long all) {
    if (stage != Stage.Running && stage != Stage.Draining) {
      return null;
    }
    double elapsed = (nanoTime.getAsLong() - startedAt) / 1e9;
    double bySchedule = expectedSeconds - elapsed;
    double byRate = tooEarly(done, all) ? 0 : elapsed / done * (all - done);
    return (long) Math.ceil(Math.max(0, Math.max(bySchedule, byRate)));
  }
}
