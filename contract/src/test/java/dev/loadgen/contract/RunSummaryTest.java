package dev.loadgen.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunSummaryTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "\"verdictReasons\":[] | resultsPath: is missing",
        "\"verdictReasons\":[null],\"resultsPath\":\"r\" | verdictReasons: has an entry that is null; remove it",
        "\"verdictReasons\":[],\"resultsPath\":\"r\",\"failure\":{\"reason\":\"R\"} | failure.message: is missing",
        "\"verdictReasons\":[],\"resultsPath\":\"r\",\"provenance\":{\"servers\":[{}]} | provenance.servers.pods: is missing",
        "\"verdictReasons\":[],\"resultsPath\":\"r\",\"engine\":{\"differing\":[]} | engine.arguments: is missing",
      })
  void saysWhatItLacks(String fields, String words) throws Exception {
    RunSummary summary =
        ContractJson.readSummary("{\"version\":1," + fields + "}", new ArrayList<>());
    assertThat(summary.lacking()).contains(words);
  }
}
