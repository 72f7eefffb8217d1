package dev.loadgen.rules.logged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Logs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadGenSummaryTest {
  private static List<LoadGenSummary.Difference> differences(String summary, String log) {
    return new LoadGenSummary(summary).differences(DetailLog.parse(log));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "v61-server",
        "v61-offline",
        "v61-accuracy",
        "server-late",
        "server-plain",
        "single-stream",
        "server-capped"
      })
  void aTestsOwnSummaryDiffersInNothing(String name) {
    assertThat(differences(SummaryText.of(Logs.read(name)), Logs.text(name))).isEmpty();
  }

  /** Six digits in the log, two decimals in the summary. */
  @ParameterizedTest
  @CsvSource({
    "82136.1, 82136.08, true",
    "1.43309e+06, 1433094.12, true",
    "222.29, 222.29, true",
    "222.29, 222.31, false",
    "82136.1, 82137.08, false",
    "45, 45.00, true",
    "0.001, 0.00, true",
  })
  void ratesAreTheSameAsFarAsTheyArePrinted(String logged, String printed, boolean same) {
    String summary =
        SummaryText.of(Logs.read("v61-server")).replace(": 222.29\n", ": " + printed + "\n");
    String log = Logs.with(Logs.text("v61-server"), "result_completed_tokens_per_second", logged);

    assertThat(differences(summary, log).isEmpty()).isEqualTo(same);
  }

  @ParameterizedTest
  @CsvSource({
    "result_99.90_percentile_latency_ns, 410666829, 99.90 percentile latency (ns), 410666828",
    "result_time_to_output_token_max, 1, Max Time per Output Token (ns), 106586902",
    "effective_target_qps, 45, target_qps, 44",
    "effective_qsl_rng_seed, 1, qsl_rng_seed, 2085463073848966840",
    "effective_performance_issue_unique, true, performance_issue_unique, 0",
    "result_min_duration_met, false, Min duration satisfied, Yes",
    "sut_name, '\"other\"', SUT name, PySUT",
  })
  void eachNumberIsHeldAgainstTheLog(String key, String value, String name, String found) {
    String summary = SummaryText.of(Logs.read("v61-server"));

    assertThat(differences(summary, Logs.with(Logs.text("v61-server"), key, value)))
        .containsExactly(new LoadGenSummary.Difference(name, found, value.replace("\"", "")));
  }

  @Test
  void whatASummaryLacksIsADifference() {
    assertThat(differences("Result is : VALID\n", Logs.text("v61-server")))
        .contains(
            new LoadGenSummary.Difference("Scenario", "nothing", "Server"),
            new LoadGenSummary.Difference("errors encountered", "nothing", "0"))
        .doesNotContain(new LoadGenSummary.Difference("Result is", "nothing", "VALID"))
        .hasSizeGreaterThan(40);
  }

  /** LoadGen 5.1 has another name for the time per output token. */
  @Test
  void anOlderLoadGensWordsAreRead() {
    String summary =
        SummaryText.of(Logs.read("v61-server"))
            .replaceAll("(Min|Max|Mean) Time per Output Token", "$1 Time to Output Token");

    assertThat(summary).contains("Min Time to Output Token (ns)");
    assertThat(differences(summary, Logs.text("v61-server"))).isEmpty();
  }
}
