package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.Ruleset;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bounds that docs/accuracy.md lists are those of the ruleset. */
class AccuracyPageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("repository.root"), "docs/accuracy.md");

  @ParameterizedTest
  @ValueSource(strings = {"llama3.1-8b", "gpt-oss-120b", "qwen3-vl-235b-a22b"})
  void everyBoundOfTheRoundIsListed(String benchmark) throws IOException {
    String row =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("| " + benchmark + " |"))
            .findFirst()
            .orElseThrow();

    for (AccuracyGate gate : Ruleset.named("v6.1").benchmark(benchmark).accuracyGates()) {
      assertThat(row).contains("`" + gate.metric() + "`");
      assertThat(
              Stream.of(gate.min(), gate.max())
                  .filter(Objects::nonNull)
                  .map(bound -> BigDecimal.valueOf(bound).toPlainString()))
          .allSatisfy(bound -> assertThat(row).contains(bound));
    }
  }
}
