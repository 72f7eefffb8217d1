package dev.loadgen.rules.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EarlyStoppingTest {
  @ParameterizedTest
  @CsvSource({
    "6396, 45",
    "12792, 101",
    "19188, 160",
    "13368, 107",
    "26736, 229",
    "48289, 432",
    "96578, 894"
  })
  void theBudgetIsLoadGensMeasuredOne(long queries, long late) {
    assertThat(EarlyStopping.lateBudget(queries, 99)).isEqualTo(late);
    assertThat(EarlyStopping.minQueries(late, 99)).isLessThanOrEqualTo(queries);
    assertThat(EarlyStopping.minQueries(late + 1, 99)).isGreaterThan(queries);
  }

  @Test
  void theLeastTestsAreThoseThatLoadGenNames() {
    // LoadGen's own words in server-short: 331 more than the 128 that it processed.
    assertThat(EarlyStopping.minQueries(0, 99)).isEqualTo(128 + 331);
    // MultiStream.min_query_count of mlperf.conf, and single-stream's "at least 662".
    assertThat(EarlyStopping.minQueries(1, 99)).isEqualTo(662);
    // single-stream's "at least 64 queries" at the 90th percentile.
    assertThat(EarlyStopping.minQueries(1, 90)).isEqualTo(64);
    // LoadGen's words in server-late: 42804 more than the 384 that it processed, all late.
    assertThat(EarlyStopping.minQueries(384, 99)).isEqualTo(384 + 42804);
  }

  @Test
  void aTestThatIsTooShortHasNoBudget() {
    assertThat(EarlyStopping.lateBudget(458, 99)).isEqualTo(-1);
    assertThat(EarlyStopping.lateBudget(459, 99)).isZero();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.5, 10, 50, 90, 97, 99, 99.9, 99.99, 99.99999})
  void theBudgetIsThatOfAllProbabilitiesSummed(double percentile) {
    for (long queries = 1; queries < 60_000; queries += 1 + queries / 7) {
      assertThat(EarlyStopping.lateBudget(queries, percentile))
          .as("%d queries", queries)
          .isEqualTo(summed(queries, percentile));
    }
  }

  /** The criterion as it is defined, term by term: what the budget is takes all terms up to it. */
  private static long summed(long queries, double percentile) {
    double hit = percentile / 100;
    double logRatio = Math.log1p(-hit) - Math.log(hit);
    double logTerm = queries * Math.log(hit);
    double logSum = logTerm;
    long late = -1;
    while (late + 1 < queries && logSum < Math.log(1 - 0.99)) {
      late++;
      logTerm += Math.log((double) (queries - late) / (late + 1)) + logRatio;
      double greater = Math.max(logSum, logTerm);
      logSum = greater + Math.log1p(Math.exp(Math.min(logSum, logTerm) - greater));
    }
    return late;
  }

  @ParameterizedTest
  @ValueSource(doubles = {50, 90, 97, 99, 99.9})
  void theExpansionAgreesWithTheSumWhereItTakesOver(double percentile) {
    double hit = percentile / 100;
    long queries = (long) (1e8 / hit / (1 - hit));
    for (long more = 0; more < 40; more++) {
      long n = queries - 20_000 + 1_009 * more;
      Misses misses = Misses.of(n, percentile);
      double expanded = misses.quantile(-2.3263478740408408);
      long budget = (long) Math.ceil(expanded) - 1;

      assertThat(misses.logAtMost(budget)).as("%d queries", n).isLessThan(Math.log(0.01));
      assertThat(misses.logAtMost(budget + 1)).as("%d", n).isGreaterThanOrEqualTo(Math.log(0.01));
      assertThat(EarlyStopping.lateBudget(n, percentile)).isEqualTo(budget);
    }
  }

  @ParameterizedTest
  @ValueSource(
      doubles = {Double.MIN_VALUE, 1e-300, 1e-9, 1, 50, 90, 99, 99.9999, 99.99999999999999})
  void noNumberTakesLong(double percentile) {
    EarlyStopping.lateBudget(1_000_000, 99); // not the time of compilers
    for (long queries = 1; queries > 0; queries = queries * 3 + 1) {
      for (long count : new long[] {queries, Long.MAX_VALUE - queries}) {
        long budget = EarlyStopping.lateBudget(count, percentile);

        assertThat(budget).as("%d queries", count).isBetween(-1L, count - 1);
        assertThat(processorTime(() -> EarlyStopping.lateBudget(count, percentile)))
            .as("%d queries", count)
            .isLessThan(Duration.ofMillis(10));
      }
    }
    assertThat(EarlyStopping.minQueries(1, percentile)).isGreaterThan(1);
  }

  /** Of this thread, however many others there are; the least of several, without compilers. */
  private static Duration processorTime(Runnable work) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      long begun = threads.getCurrentThreadCpuTime();
      work.run();
      least = Math.min(least, threads.getCurrentThreadCpuTime() - begun);
    }
    return Duration.ofNanos(least);
  }

  @ParameterizedTest
  @CsvSource({
    // Sums with 40 digits, by mpmath.
    "4000000000000, 99, 39999537062",
    "4000000000000, 50, 1999997673651",
    "1000000000000, 99.9, 999926471",
    "10000000000, 99, 99976853",
    "100000000, 97, 2996031",
    "1000000, 99, 9768"
  })
  void theBudgetOfVeryLongTestsIsKnown(long queries, double percentile, long late) {
    assertThat(EarlyStopping.lateBudget(queries, percentile)).isEqualTo(late);
  }
}
