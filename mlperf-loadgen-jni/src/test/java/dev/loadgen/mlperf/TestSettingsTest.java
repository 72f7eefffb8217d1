package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class TestSettingsTest {
  private static List<Field> fields() {
    return Arrays.stream(TestSettings.class.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .toList();
  }

  @Test
  void fieldsAreThoseOfLoadGenInItsOrder() {
    assertThat(fields())
        .extracting(field -> field.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT))
        .containsExactly(NativeLoadGen.settingNames());
  }

  @Test
  void defaultsAreThoseOfLoadGen() {
    assertThat(new TestSettings().toArray()).containsExactly(NativeLoadGen.defaultSettings());
  }

  @Test
  void everyFieldSurvivesTheWayThroughLoadGen() throws IllegalAccessException {
    var settings = new TestSettings();
    settings.scenario = TestScenario.Offline;
    settings.mode = LoadGenMode.AccuracyOnly;
    long next = 3;
    for (Field field : fields()) {
      switch (field.getType().getName()) {
        case "long" -> field.setLong(settings, next++ << 40);
        case "int" -> field.setInt(settings, (int) next++);
        case "double" -> field.setDouble(settings, next++ / 7.0);
        case "boolean" -> field.setBoolean(settings, !field.getBoolean(settings));
        default -> {}
      }
    }
    settings.useTokenLatencies = false;
    settings.inferTokenLatencies = false;

    long[] values = settings.toArray();
    byte[] nothing = "none".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    int result =
        NativeLoadGen.fromConfig(
            values,
            "/dev/null".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
            nothing,
            nothing,
            2);

    assertThat(result).isZero();
    assertThat(values).containsExactly(settings.toArray());
    var copy = new TestSettings();
    copy.read(values);
    assertThat(copy).usingRecursiveComparison().isEqualTo(settings);
  }

  @Test
  void mlperfConfHasTheLimitsOfABenchmark() {
    var settings = new TestSettings();
    settings.serverTargetQps = 12;

    settings.fromConfig(null, "llama3_1-8b", TestScenario.Server, ConfType.MLPERF_CONF);

    assertThat(settings.useTokenLatencies).isTrue();
    assertThat(settings.serverTtftLatency).isEqualTo(2_000_000_000L);
    assertThat(settings.serverTpotLatency).isEqualTo(100_000_000L);
    assertThat(settings.performanceSampleCountOverride).isEqualTo(13368);
    assertThat(settings.sampleConcatenatePermutation).isTrue();
    assertThat(settings.minDurationMs).isEqualTo(600_000);
    assertThat(settings.qslRngSeed).isNotZero();
  }

  @Test
  void mlperfConfIsNotReadFromAFile() {
    assertThatThrownBy(
            () ->
                new TestSettings()
                    .fromConfig(
                        Path.of("mlperf.conf"), "m", TestScenario.Server, ConfType.MLPERF_CONF))
        .hasMessageContaining("compiled into LoadGen");
  }
}
