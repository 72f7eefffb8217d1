package dev.loadgen.mlperf;

import java.util.AbstractList;
import java.util.RandomAccess;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What the native side calls. Each method returns whether it succeeded; the first failure is kept
 * for the caller of {@link LoadGen#startTest}, since no Java exception can pass through LoadGen.
 */
final class TestCallbacks {
  private final SystemUnderTest sut;
  private final QuerySampleLibrary qsl;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  TestCallbacks(SystemUnderTest sut, QuerySampleLibrary qsl) {
    this.sut = sut;
    this.qsl = qsl;
  }

  @Nullable Throwable failure() {
    return failure.get();
  }

  // Called from native code, by these names.

  boolean issueOne(long id, int index) {
    try {
      sut.issueQuery(id, index);
      return true;
    } catch (Throwable e) {
      return failed(e);
    }
  }

  boolean issue(long[] idsAndIndices) {
    return call(() -> sut.issueQuery(new Query(idsAndIndices)));
  }

  boolean flush() {
    return call(sut::flushQueries);
  }

  boolean load(int[] indices) {
    return call(() -> qsl.loadSamplesToRam(indices));
  }

  boolean unload(int[] indices) {
    return call(() -> qsl.unloadSamplesFromRam(indices));
  }

  private boolean call(Runnable body) {
    try {
      body.run();
      return true;
    } catch (Throwable e) {
      return failed(e);
    }
  }

  private boolean failed(Throwable e) {
    failure.compareAndSet(null, e);
    return false;
  }

  /** The samples of a query: pairs of id and index, as LoadGen has them in memory. */
  private static final class Query extends AbstractList<QuerySample> implements RandomAccess {
    private final long[] idsAndIndices;

    Query(long[] idsAndIndices) {
      this.idsAndIndices = idsAndIndices;
    }

    @Override
    public QuerySample get(int i) {
      return new QuerySample(idsAndIndices[2 * i], (int) idsAndIndices[2 * i + 1]);
    }

    @Override
    public int size() {
      return idsAndIndices.length / 2;
    }
  }
}
