package dev.loadgen.testreport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExtentTest {
  @ParameterizedTest
  @ValueSource(strings = {"test", "package", "pre-integration-test", "integration-test"})
  void buildsThatDoNotJudgeIntegrationTestsReportAfterUnitTests(String phase) {
    Extent extent = Extent.of(List.of("clean", phase));

    assertThat(extent).isEqualTo(Extent.UNIT_TESTS);
    assertThat(extent.endsIn("test")).isTrue();
    assertThat(extent.endsIn("verify")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"verify", "install", "deploy"})
  void othersReportAfterAllTests(String phase) {
    assertThat(Extent.of(List.of(phase))).isEqualTo(Extent.ALL_TESTS);
  }

  @Test
  void theLastPhaseOfSeveralCounts() {
    assertThat(Extent.of(List.of("test", "verify"))).isEqualTo(Extent.ALL_TESTS);
  }
}
