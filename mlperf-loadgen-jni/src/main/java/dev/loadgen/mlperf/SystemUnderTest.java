package dev.loadgen.mlperf;

import java.util.List;

/**
 * What LoadGen drives. Called on the thread that called {@link LoadGen#startTest}, or on those that
 * called {@link LoadGen#registerIssueQueryThread}, several at once.
 *
 * <p>An exception from any of these methods aborts the test as {@link LoadGen#abortOutstanding}
 * does, and {@link LoadGen#startTest} throws it when LoadGen has ended.
 */
public interface SystemUnderTest {
  /**
   * A name for LoadGen's log. Read once, before the test. No control characters, quotation marks or
   * backslashes.
   */
  String name();

  /**
   * Takes a query. It should only hand the samples over: LoadGen issues the next query when this
   * returns, and in the Server scenario the time spent here is added to the latency of queries that
   * are due meanwhile. Samples may be completed from within.
   *
   * @param samples the samples of the query; an immutable list that may be kept
   */
  void issueQuery(List<QuerySample> samples);

  /**
   * Takes a query of one sample, as all are in SingleStream and, without {@link
   * TestSettings#serverCoalesceQueries}, in Server. Override it to take such queries without
   * allocation.
   */
  default void issueQuery(long id, int index) {
    issueQuery(List.of(new QuerySample(id, index)));
  }

  /** No query follows for now: samples that were collected to be sent together must be sent. */
  void flushQueries();
}
