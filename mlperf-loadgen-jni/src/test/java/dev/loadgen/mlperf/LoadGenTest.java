package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(90)
class LoadGenTest {
  private final Path folder;

  LoadGenTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private ForkedLoadGen run(String scenario, String... arguments) {
    return ForkedLoadGen.run(folder, scenario, arguments).succeeded();
  }

  private static void assertValid(ForkedLoadGen test) {
    assertThat(test.detail("result_validity"))
        .as("%s", test.detail("result_invalid_reason"))
        .containsExactly("VALID");
    assertThat(test.detail("num_errors")).as(test.log("detail.txt")).containsExactly("0");
  }

  @Test
  void offlineIssuesAllSamplesOnceAndRefusesWhatComesTooLate() {
    ForkedLoadGen test = run("offline");

    assertValid(test);
    assertThat(test.detail("sut_name")).containsExactly("testing system");
    assertThat(test.detail("qsl_name")).containsExactly("testing library");
    assertThat(test.value("issued")).isEqualTo("220");
    assertThat(test.value("seen")).isEqualTo("220");
    assertThat(test.value("distinctIds")).isEqualTo("220");
    assertThat(test.value("indicesInRange")).isEqualTo("true");
    assertThat(test.value("loadedAtIssue")).isEqualTo("64");
    assertThat(test.value("loadedAtEnd")).isEqualTo("0");
    assertThat(test.value("secondCompletions")).isEqualTo("0");
    assertThat(test.value("lateCompletion")).isEqualTo("false");
    assertThat(test.value("lateFirstToken")).isEqualTo("false");
    assertThat(test.value("lateAbort")).isEqualTo("0");
    assertThat(test.value("secondTest"))
        .startsWith("IllegalStateException: LoadGen runs one test in a process");
    assertThat(folder.resolve("mlperf_log_trace.json")).isEmptyFile();
  }

  @Test
  void serverMeasuresTokensFromVirtualThreadsAndRefusesMadeUpIds() {
    ForkedLoadGen test = run("server");

    assertValid(test);
    assertThat(test.value("madeUp")).isEqualTo("0");
    assertThat(test.detail("result_first_token_99.00_percentile_latency_ns")).hasSize(1);
    assertThat(Double.parseDouble(test.detail("result_time_to_output_token_mean").getFirst()))
        .isBetween(0.0, 1e8);
  }

  @ParameterizedTest
  @EnumSource(names = {"SingleStream", "MultiStream"})
  void streamsRunAccuracyAndThenPerformance(TestScenario scenario) {
    ForkedLoadGen test = run("streams", scenario.name());

    assertValid(test);
    assertThat(test.detail("effective_scenario")).containsExactly(scenario.name());
    assertThat(test.accuracyEntries()).hasSize(64);
  }

  @Test
  void coalescedQueriesArriveAsOneList() {
    ForkedLoadGen test = run("coalesced");

    assertThat(test.detail("result_validity"))
        .as("%s", test.detail("result_invalid_reason"))
        .containsExactly("VALID");
    assertThat(Integer.parseInt(test.value("largest"))).isGreaterThan(1);
  }

  @Test
  void completionWithoutFirstTokenDoesNotCrashAndIsAnErrorInTheLog() {
    ForkedLoadGen test = run("accuracyWithoutFirstToken");

    assertThat(test.accuracyEntries())
        .hasSize(64)
        .allMatch(entry -> entry.contains("\"token_data\" : \"616E73776572"));
    assertThat(test.detail("error_runtime"))
        .hasSize(64)
        .allMatch(error -> error.startsWith("A sample was completed without a first token"));
  }

  @Test
  void completionThatOvertakesItsFirstTokenIsRecordedAfterIt() {
    ForkedLoadGen test = run("overtakenFirstTokens");

    assertThat(test.detail("error_runtime")).isEmpty();
    assertThat(test.accuracyEntries())
        .hasSize(64)
        .allMatch(entry -> entry.contains("\"token_data\" : \"6669727374206F66"));
    assertThat(Double.parseDouble(test.detail("result_time_to_output_token_min").getFirst()))
        .isNotNegative();
    assertThat(Double.parseDouble(test.detail("result_time_to_output_token_max").getFirst()))
        .isLessThan(20e9);
  }

  @Test
  void tokenCountsBelowTwoAreErrorsInTheLogOnly() {
    ForkedLoadGen test = run("tokenCounts");

    assertThat(test.detail("error_runtime")).hasSize(30);
    assertThat(test.detail("num_errors")).containsExactly("30");
  }

  @Test
  void batchAcceptsWhatIsOutstandingAndLogsItsData() {
    ForkedLoadGen test = run("batches");

    assertThat(test.value("accepted")).isEqualTo("64");
    assertThat(test.value("nothing")).isEqualTo("0");
    assertThat(test.accuracyEntries())
        .hasSize(64)
        .anyMatch(entry -> entry.contains("\"qsl_idx\" : 31, \"data\" : \"1F\""));
    assertThat(test.detail("error_runtime")).isEmpty();
  }

  @Test
  void largeResponseIsLoggedWhole() {
    ForkedLoadGen test = run("largeResponses");

    assertThat(test.accuracyEntries())
        .hasSize(64)
        .allMatch(entry -> entry.contains("\"" + "AB".repeat(99_990) + "\""));
  }

  @ParameterizedTest
  @CsvSource({
    "issueQueryOffline, UnsupportedOperationException",
    "issueQueryServer, AssertionError",
    "loadSamplesToRam, UnsupportedOperationException",
    "flushQueries, UnsupportedOperationException",
    "unloadSamplesFromRamOffline, UnsupportedOperationException"
  })
  void exceptionOfTheCallerEndsTheTestAndIsThrown(String where, String type) {
    ForkedLoadGen test = run("exception", where);

    assertThat(test.value("thrown")).isEqualTo(type + " thrown by " + where);
    if (!where.startsWith("unload")) {
      assertThat(test.detail("error_runtime"))
          .isNotEmpty()
          .allMatch(error -> error.contains("aborted"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"Offline", "Server"})
  void watchdogEndsATestWhoseSamplesAreNeverCompleted(TestScenario scenario) {
    ForkedLoadGen test = run("abort", scenario.name());

    assertThat(test.value("abortBefore")).isEqualTo("0");
    assertThat(test.value("abortedByWatchdog")).isEqualTo("true");
    assertThat(test.value("aborted")).isEqualTo("true");
    assertThat(Integer.parseInt(test.value("abandoned"))).isPositive();
    assertThat(test.value("late")).isEqualTo("0");
    assertThat(test.detail("error_runtime"))
        .isNotEmpty()
        .allMatch(error -> error.contains("aborted"));
  }

  @Test
  void whatLoadGenCannotWorkWithIsRefusedBeforeItStarts() {
    ForkedLoadGen test = run("refusals");

    assertThat(test.value("virtualThread"))
        .contains("startTest must be called from a platform thread");
    assertThat(test.value("virtualIssueThread")).contains("must be called from a platform thread");
    assertThat(test.value("missingFolder")).contains("logOutput.outdir", "missing is not a folder");
    assertThat(test.value("unwritableFile")).contains("logOutput.outdir", "mlperf_log_detail.txt");
    assertThat(test.value("missingAudit")).contains("missing.config: there is no such file");
    assertThat(test.value("name")).contains("system under test");
    assertThat(test.value("emptyLibrary")).contains("totalSampleCount");
    assertThat(test.value("noRate")).contains("offlineExpectedQps must be a positive number");
    assertThat(test.value("afterwards")).isEqualTo("none");
    assertValid(test);
  }

  @Test
  void registeredThreadsIssueTheQueries() {
    ForkedLoadGen test = run("issueThreads");

    assertThat(test.value("tooMany"))
        .contains(
            "serverNumIssueQueryThreads is 1, but LoadGen.registerIssueQueryThread was called by 2 threads");
    assertThat(test.value("dismissed")).contains("The test did not start");
    assertThat(test.value("issuing")).isEqualTo("[one, two]");
    assertThat(test.value("tooLate")).contains("The test has started or ended");
    assertValid(test);
  }

  @Test
  void processMayExitInTheMiddleOfATest() {
    ForkedLoadGen test = ForkedLoadGen.run(folder, "exitInTheMiddle");

    assertThat(test.exitCode()).as(test.output()).isEqualTo(3);
    assertThat(test.output()).doesNotContain("terminate called", "SIGABRT");
  }

  @Test
  void processMayBeTerminatedInTheMiddleOfATest() throws Exception {
    Process process = ForkedLoadGen.start(folder, "hang");
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!Files.readString(folder.resolve("output.txt")).contains("started")
        && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    process.destroy();
    ForkedLoadGen test = ForkedLoadGen.await(folder, process);

    assertThat(test.exitCode()).as(test.output()).isEqualTo(128 + 15);
    assertThat(test.output()).contains("started").doesNotContain("terminate called", "SIGABRT");
  }

  @Test
  void moreThreadsThanLoadGenHoldsAreRefusedInsteadOfLockingUp() {
    ForkedLoadGen test = run("manyThreads");

    assertThat(Integer.parseInt(test.value("refused"))).isBetween(300, 303);
    assertThat(test.value("message")).contains("More than 1000 threads", "virtual threads");
    assertThat(test.value("issued")).isEqualTo("1300");
    assertValid(test);
  }

  @Test
  void threadsThatEndMakeRoomForOthers() {
    ForkedLoadGen test = run("shortThreads");

    assertThat(test.value("issued")).isEqualTo("3000");
    assertValid(test);
  }

  @Test
  void auditConfigAppliesOnlyWhenGiven() {
    ForkedLoadGen test = run("audit");

    assertThat(test.detail("effective_min_sample_count")).containsExactly("300");
    assertThat(test.value("issued")).isEqualTo("300");
    assertThat(test.detail("effective_accuracy_log_sampling_target")).containsExactly("3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"settings", "audit"})
  void performanceTestLogsTheDataThatItIsAskedFor(String asker) {
    ForkedLoadGen test = run("loggedPerformance", asker);

    assertThat(test.accuracyEntries())
        .hasSize(Integer.parseInt(test.value("issued")))
        .allMatch(entry -> entry.contains("\"data\" : \"616E73776572"))
        .allMatch(entry -> entry.contains("\"token_data\" : \"6669727374206F66"));
  }

  @Test
  void userConfIsAppliedOnTopAndOnlyOnce() {
    ForkedLoadGen test = run("userConf");

    assertThat(test.value("bad"))
        .contains("bad.conf, line 3", "'*.Server.min_duration'", "found is '10s'");
    assertThat(test.value("missing")).contains("none: there is no such file");
    assertThat(test.value("unchanged")).isEqualTo("1.0");
    assertThat(test.value("targetQps")).isEqualTo("77.5");
    assertThat(test.value("minDuration")).isEqualTo("100");
    assertThat(test.value("kept")).isEqualTo("9");
    assertThat(test.value("seedOfMlperfConf")).isEqualTo("true");
    assertThat(test.value("second")).contains("LoadGen reads one user.conf in a process");
    assertThat(test.detail("error_invalid_config")).isEmpty();
    assertThat(test.detail("effective_target_qps")).containsExactly("77.5");
  }

  @Test
  void logFilesGoWhereTheSettingsSay() {
    ForkedLoadGen test = run("logSettings");

    assertThat(test.value("files"))
        .isEqualTo(
            List.of("p_accuracy_s.json", "p_detail_s.txt", "p_summary_s.txt", "p_trace_s.json")
                .toString());
    assertThat(test.value("trace")).isEqualTo("true");
    assertThat(test.output()).contains("MLPerf Results Summary");
  }
}
