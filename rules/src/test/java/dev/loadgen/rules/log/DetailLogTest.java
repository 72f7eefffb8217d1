package dev.loadgen.rules.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.Scenario;
import java.io.BufferedWriter;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DetailLogTest {
  @TempDir Path folder = Path.of("");

  @Test
  void aServerLogGivesSettingsAndResults() {
    DetailLog log = Logs.read("server-valid");

    assertThat(log.complete()).isTrue();
    assertThat(log.validity()).isEqualTo(DetailLog.Validity.VALID);
    assertThat(log.loadGenVersion()).hasValue("6.0.17 @ d6147c7eb7");
    assertThat(log.scenario()).hasValue("Server");
    assertThat(log.mode()).hasValue("PerformanceOnly");
    assertThat(log.flag("requested_use_token_latencies")).hasValue(true);
    assertThat(log.integer("effective_min_duration_ms")).hasValue(2000);
    assertThat(log.unsigned("effective_schedule_rng_seed"))
        .hasValue(new BigInteger("16159082839903944936"));
    assertThat(log.integer("effective_schedule_rng_seed")).isEmpty();
    assertThat(log.issuedSamples()).hasValue(1088);
    assertThat(log.errorCount()).isZero();
    assertThat(log.ttftMs(99)).hasValue(0.524866);
    assertThat(log.tpotMs(99)).hasValue(2.566793);
    assertThat(log.latencyMs(99.9)).hasValue(13.134951);
    assertThat(log.invalidReason()).isEmpty();
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "server-valid, Server, completed_tokens_per_second, 2607.2, tokens/s",
    "server-valid, Interactive, completed_tokens_per_second, 2607.2, tokens/s",
    "server-plain, Server, completed_samples_per_sec, , samples/s",
    "offline-valid, Offline, tokens_per_second, 533.063, tokens/s",
    "offline-unpadded, Offline, samples_per_second, , samples/s",
    "single-stream, SingleStream, 90.00_percentile_latency, , ms",
  })
  void theHeadlineIsTheScenariosMetric(
      String name, Scenario scenario, String metric, String value, String unit) {
    Metric headline = Logs.read(name).headlineMetric(scenario).orElseThrow();

    assertThat(headline.name()).isEqualTo(metric);
    assertThat(headline.unit()).isEqualTo(unit);
    assertThat(headline.value()).isPositive();
    if (value != null) {
      assertThat(headline.value()).isEqualTo(Double.parseDouble(value));
    }
  }

  @Test
  void accuracyLogsHaveNoHeadlineAndNoValidityButAreComplete() {
    for (String name : new String[] {"server-accuracy", "v61-accuracy"}) {
      DetailLog log = Logs.read(name);

      assertThat(log.accuracy()).isTrue();
      assertThat(log.complete()).isTrue();
      assertThat(log.validity()).isEqualTo(DetailLog.Validity.ABSENT);
      assertThat(log.headlineMetric(Scenario.Server)).isEmpty();
    }
    assertThat(Logs.read("server-accuracy").issuedSamples()).hasValue(64);
    assertThat(Logs.read("v61-accuracy").issuedSamples()).hasValue(13368);
  }

  @Test
  void anAccuracyLogThatEndsBetweenTwoSetsIsNotComplete() {
    String text = Logs.text("server-accuracy");
    int second = text.indexOf("loaded_qsl_set", text.indexOf("loaded_qsl_set") + 1);
    String first = text.substring(0, text.lastIndexOf(":::MLLOG", second));

    assertThat(DetailLog.parse(first).complete()).isFalse();
    assertThat(DetailLog.parse(first).issuedSamples()).isEmpty();
  }

  @Test
  void theLogOfAKilledTestIsNotComplete() {
    DetailLog log = Logs.read("server-killed");

    assertThat(log.entries()).isPositive();
    assertThat(log.complete()).isFalse();
    assertThat(log.issuedSamples()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"server-valid", "offline-valid", "v61-accuracy"})
  void noPrefixOfALogIsComplete(String name) {
    String text = Logs.text(name).stripTrailing();
    String withoutLastLine = text.substring(0, text.lastIndexOf('\n'));

    for (int length : new int[] {0, 1, 100, text.length() / 3, withoutLastLine.length()}) {
      assertThat(DetailLog.parse(text.substring(0, length)).complete()).isFalse();
    }
  }

  @Test
  void errorsAreCountedAndTheFirstKept() {
    DetailLog log = Logs.read("server-capped");

    assertThat(log.errorCount()).isEqualTo(51);
    assertThat(log.errors())
        .hasSize(51)
        .contains("Number of tokens need to be greater than 1")
        .anyMatch(error -> error.contains("Max query count reached"));
    assertThat(log.invalidReason()).hasValueSatisfying(r -> assertThat(r).contains("exited early"));
  }

  @Test
  void warningsAreNotErrors() {
    DetailLog log = Logs.read("offline-100qps-gptoss");

    assertThat(log.errorCount()).isZero();
    assertThat(log.warnings()).isNotEmpty();
    assertThat(log.warnings().getFirst()).contains("Logging allocation detected");
  }

  @Test
  void aFileIsReadLikeItsText() throws IOException {
    Path file = folder.resolve("log.txt");
    Files.writeString(file, Logs.text("v61-accuracy"));

    DetailLog log = DetailLog.read(file);

    assertThat(log.complete()).isTrue();
    assertThat(log.entries()).isEqualTo(Logs.read("v61-accuracy").entries());
    assertThat(log.unreadableLines()).isZero();
  }

  @Test
  void whatCannotBeReadIsNamed() {
    assertThatThrownBy(() -> DetailLog.read(folder.resolve("absent.txt")))
        .isInstanceOf(UnreadableLogException.class)
        .hasMessageContaining("absent.txt: no such file");
    assertThatThrownBy(() -> DetailLog.read(folder))
        .isInstanceOf(UnreadableLogException.class)
        .hasMessageContaining(folder.toString());
  }

  @Test
  void garbageIsAnEmptyLog() throws IOException {
    byte[] garbage = new byte[300_000];
    new Random(7).nextBytes(garbage);
    Path file = folder.resolve("garbage");
    Files.write(file, garbage);

    DetailLog log = DetailLog.read(file);

    assertThat(log.entries()).isZero();
    assertThat(log.complete()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ":::MLLOG",
        ":::MLLOG ",
        ":::MLLOG {",
        ":::MLLOG []",
        ":::MLLOG null",
        ":::MLLOG {\"key\": 3, \"value\": 4}",
        ":::MLLOG {\"value\": 4}",
        ":::MLLOG {\"key\": \"a\", \"value\": \"unclosed",
        ":::MLLOG {\"key\": \"a\", \"value\": 1e999999999999}",
      })
  void faultyLinesArePassedOver(String line) {
    DetailLog log = DetailLog.parse(line + "\n" + Logs.text("server-valid") + line + "\n");

    assertThat(log.complete()).isTrue();
    assertThat(log.ttftMs(99)).isPresent();
  }

  @Test
  void deeplyNestedLinesArePassedOver() {
    String line = ":::MLLOG {\"key\": \"a\", \"value\": " + "[".repeat(30_000) + "\n";

    assertThat(DetailLog.parse(line + Logs.text("server-valid")).complete()).isTrue();
  }

  @Test
  void numbersThatAreNoneAreAbsent() {
    for (String value : new String[] {"nan", "-nan", "inf", "-inf"}) {
      DetailLog log =
          DetailLog.parse(
              Logs.with(Logs.text("server-plain"), "result_completed_samples_per_sec", value));

      assertThat(log.unreadableLines()).isZero();
      assertThat(log.strangeNumbers()).isEqualTo(1);
      assertThat(log.number("result_completed_samples_per_sec")).isEmpty();
      assertThat(log.headlineMetric(Scenario.Server)).isEmpty();
      assertThat(log.text("result_completed_samples_per_sec")).hasValue(value);
    }
  }

  @Test
  void whatLoadGenWritesIntoEveryLogIsMissedWhereItLacks() {
    assertThat(Logs.read("v61-server").missing(true)).isEmpty();
    assertThat(Logs.read("v61-offline").missing(true)).isEmpty();
    assertThat(Logs.read("server-plain").missing(false)).isEmpty();
    assertThat(
            DetailLog.parse(
                    Logs.with(
                        Logs.without(Logs.text("v61-server"), "early_stopping_met"),
                        "effective_target_latency_ns",
                        "\"none\""))
                .missing(true))
        .containsExactly("effective_target_latency_ns", "early_stopping_met");
    assertThat(
            DetailLog.parse(Logs.without(Logs.text("v61-offline"), "result_tokens_per_second"))
                .missing(true))
        .containsExactly("result_tokens_per_second");
  }

  @Test
  void ofTwoValuesTheFirstCountsAndBothAreTold() {
    String line = ":::MLLOG {\"key\": \"effective_min_duration_ms\", \"value\": %d}\n";
    DetailLog log = DetailLog.parse(line.formatted(600) + line.formatted(600_000));

    assertThat(log.integer("effective_min_duration_ms")).hasValue(600);
    assertThat(log.contradictions()).containsExactly("effective_min_duration_ms");
    assertThat(DetailLog.parse(line.formatted(600) + line.formatted(600)).contradictions())
        .isEmpty();
    assertThat(Logs.read("v61-accuracy").contradictions()).isEmpty();
  }

  @Test
  void memoryIsBoundedWhateverTheFileHolds() throws IOException {
    Path file = folder.resolve("huge");
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write(":::MLLOG {\"key\": \"loaded_qsl_set\", \"value\": [");
      for (int i = 0; i < 3_000_000; i++) {
        out.write("1234567,");
      }
      out.write("1]}\n");
      for (int i = 0; i < 50_000; i++) {
        out.write(
            ":::MLLOG {\"key\": \"result_" + i + "\", \"value\": \"" + "x".repeat(100) + "\"}\n");
        out.write(
            ":::MLLOG {\"key\": \"error_runtime\", \"value\": \"e"
                + i
                + "\", \"metadata\": {\"is_error\": true}}\n");
      }
      out.write(Logs.text("server-valid"));
    }

    DetailLog log = DetailLog.read(file);

    assertThat(log.errorCount()).isEqualTo(50_000);
    assertThat(log.errors()).hasSize(100);
    assertThat(log.text("result_0")).isPresent();
    assertThat(log.text("result_49999")).isEmpty();
    assertThat(log.entries()).isGreaterThan(100_000);
  }

  @Test
  void strangersKeysDoNotHideTheResult() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 5_000; i++) {
      text.append(":::MLLOG {\"key\": \"k").append(i).append("\", \"value\": 1}\n");
    }
    text.append(Logs.text("server-late"));

    assertThat(DetailLog.parse(text.toString()).validity()).isEqualTo(DetailLog.Validity.INVALID);
  }
}
