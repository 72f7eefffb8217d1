package dev.loadgen.runner.debug;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.RequestFailure;
import dev.loadgen.results.Records;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.runner.dispatch.Replica;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PhaseTableTest {
  private static final SampleRecord STREAMED =
      Records.timed(Records.streamed(7, 0, 100, 130, 200, 9), 101, 103, 110);
  private static final SampleRecord WHOLE =
      Records.timed(Records.whole(3, 1, 100, 105, 150, 4), 105, 106, 140);
  private static final SampleRecord REFUSED =
      Records.failed(1, 0, 100, 120, new RequestFailure(RequestFailure.Kind.CONNECT, "refused"));
  private static final SampleRecord UNSENT = Records.unsent(2, 100, 120);

  @Test
  void thePhasesOfAnAnswerAreItsLatency() {
    for (SampleRecord sample : List.of(STREAMED, WHOLE)) {
      double sum =
          Stream.of(SamplePhase.values())
              .map(phase -> phase.millis(sample))
              .filter(OptionalDouble::isPresent)
              .mapToDouble(OptionalDouble::getAsDouble)
              .sum();
      assertThat(sum).isEqualTo((sample.ended() - sample.issued()) / 1e6);
    }
  }

  @Test
  void aServerThatAnswersEarlySkipsAPhase() {
    SampleRecord early = Records.timed(Records.whole(3, 1, 100, 105, 150, 4), 106, 0, 110);

    assertThat(SamplePhase.SEND.millis(early)).isEmpty();
    assertThat(SamplePhase.FIRST_BYTE.millis(early)).hasValue(4);
    SampleRecord late = Records.timed(Records.whole(3, 1, 100, 105, 150, 4), 106, 112, 110);
    assertThat(SamplePhase.FIRST_BYTE.millis(late)).hasValue(0);
    assertThat(SamplePhase.STREAM.millis(late)).hasValue(38);
  }

  @Test
  void writesARowASample(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("phases.csv.gz");
    PhaseTable.write(
        file,
        List.of(STREAMED, WHOLE, REFUSED, UNSENT),
        List.of(
            new Replica(0, "a", URI.create("http://a")),
            new Replica(1, "b", URI.create("http://b"))));

    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo(
              """
              sample,replica,queue_ms,connect_ms,send_ms,first_byte_ms,first_token_ms,stream_ms,failure
              7,a,0.000,1.000,2.000,7.000,20.000,70.000,
              3,b,5.000,0.000,1.000,34.000,,10.000,
              1,a,0.000,,,,,,CONNECT
              2,,,,,,,,ABORTED
              """);
    }
  }

  @Test
  void summarisesEachPhaseOverThoseThatHadIt() {
    Map<String, Distribution> summary =
        PhaseTable.summary(List.of(STREAMED, WHOLE, REFUSED, UNSENT));

    assertThat(summary.keySet())
        .containsExactly("queue", "connect", "send", "first_byte", "first_token", "stream");
    assertThat(summary.values())
        .extracting(Distribution::count)
        .containsExactly(3L, 2L, 2L, 2L, 1L, 2L);
    assertThat(summary.values())
        .extracting(Distribution::max)
        .containsExactly(5.0, 1.0, 2.0, 34.0, 20.0, 70.0);
  }
}
