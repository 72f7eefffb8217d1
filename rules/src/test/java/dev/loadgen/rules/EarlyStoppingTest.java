package dev.loadgen.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
