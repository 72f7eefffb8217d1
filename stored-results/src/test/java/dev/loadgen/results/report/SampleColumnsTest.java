package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.evidence.RunEvidence;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleColumnsTest {
  private static final String HEADER =
      "sample,replica,issued_ms,started_ms,first_token_ms,ended_ms,output_tokens,finish_reason,failure,message\n";

  private Path file;

  @BeforeEach
  void name(@TempDir Path folder) {
    file = folder.resolve("requests.csv.gz");
  }

  private static byte[] zipped(String csv) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      zip.write(csv.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  private SampleColumns read(String csv) throws Exception {
    Files.write(file, zipped(csv));
    return SampleColumns.read(file);
  }

  private void refused(byte[] content, String... parts) throws IOException {
    Files.write(file, content);
    assertThatThrownBy(() -> SampleColumns.read(file))
        .isInstanceOf(UnreadableRunException.class)
        .hasMessageContainingAll(parts)
        .hasMessageContaining(file.toString());
  }

  @Test
  void valuesOfEachSampleAreThoseOfItsRow() throws Exception {
    SampleColumns samples =
        read(
            HEADER
                + "7,a,0.000,1.000,10.500,100.500,10,stop,,\n"
                + "3,b,1000.000,1000.000,,1050.000,4,length,,\n"
                + "4,b,1001.000,1002.000,,1003.000,0,,BROKEN,\"a, \"\"b\"\"\"\n"
                + "5,,1002.000,,,1004.000,0,,BROKEN,ended\n");

    assertThat(samples.size()).isEqualTo(4);
    assertThat(samples.completed()).isEqualTo(2);
    assertThat(samples.seconds()).isEqualTo(1.05);
    assertThat(samples.issuedAtOnce()).isFalse();
    assertThat(samples.latencies()).containsExactly(100.5, 50, Double.NaN, Double.NaN);
    assertThat(samples.timesToFirstToken())
        .containsExactly(10.5, Double.NaN, Double.NaN, Double.NaN);
    assertThat(samples.timesPerOutputToken())
        .containsExactly(10, Double.NaN, Double.NaN, Double.NaN);
    assertThat(samples.outputTokens()).containsExactly(10, 4, Double.NaN, Double.NaN);
    assertThat(samples.sendDelays()).containsExactly(1, 0, 1, Double.NaN);
    assertThat(samples.meanRequestTime()).hasValue((99.5 + 50) / 2);
    assertThat(samples.mostInFlight()).isEqualTo(2);
    assertThat(samples.finishReasons()).isEqualTo(Map.of("stop", 1L, "length", 1L));
    assertThat(samples.unlike(new AskedAnswer(0, 10, true, false, false)))
        .isEqualTo(Map.of(AskedAnswer.Fault.CUT, new RunEvidence.FailureCount(1, "4 tokens")));
    assertThat(samples.unlike(new AskedAnswer(0, 4, false, false, false)))
        .isEqualTo(
            Map.of(AskedAnswer.Fault.TOO_LONG, new RunEvidence.FailureCount(1, "10 tokens")));
    assertThat(samples.unlike(new AskedAnswer(0, 10, false, false, false)))
        .containsEntry(AskedAnswer.Fault.OTHER_STOP, new RunEvidence.FailureCount(1, "stop"));
    assertThat(samples.failures()).containsOnlyKeys("BROKEN");
    SampleColumns.Failures broken = samples.failures().values().iterator().next();
    assertThat(broken.count()).isEqualTo(2);
    assertThat(broken.example()).isEqualTo("a, \"b\"");
    assertThat(broken.byReplica()).isEqualTo(Map.of("b", 1L, "", 1L));
  }

  @Test
  void answersOfOneTokenAreShort() throws Exception {
    SampleColumns samples =
        read(
            HEADER
                + "0,a,0,0,1,2,1,stop,,\n"
                + "1,a,0,0,1,2,2,stop,,\n"
                + "2,a,0,0,,2,0,,BROKEN,ended\n");

    assertThat(samples.shortAnswers()).isEqualTo(1);
  }

  @Test
  void issueLagLeavesOutWhatWasNeverSent() throws Exception {
    StringBuilder rows = new StringBuilder(HEADER);
    for (int i = 1; i <= 100; i++) {
      rows.append(i).append(",a,0,").append(i).append(",,200,2,stop,,\n");
    }
    rows.append("101,,0,,,9000,0,,BROKEN,ended\n");

    assertThat(read(rows.toString()).issueLagP99()).isEqualTo(99);
    assertThat(read(HEADER).issueLagP99()).isZero();
  }

  @Test
  void columnsAreFoundByTheirNames() throws Exception {
    SampleColumns samples =
        read(
            """
            connect_ms,message,failure,finish_reason,output_tokens,ended_ms,first_token_ms,started_ms,issued_ms,replica
            9,,,stop,3,30,10,2,0,a
            """);
    assertThat(samples.timesPerOutputToken()).containsExactly(10);
  }

  @Test
  void missingColumnIsNamed() throws Exception {
    refused(zipped("sample,replica\n1,a\n"), "has no column issued_ms");
  }

  @Test
  void emptyFileHasNoHeader() throws Exception {
    refused(zipped(""), "has no header");
  }

  @Test
  void fileThatEndsTooEarlyIsNoticed() throws Exception {
    StringBuilder rows = new StringBuilder(HEADER);
    for (int i = 0; i < 10_000; i++) {
      rows.append(i).append(",a,").append(i * 31 % 977).append(",1,,2,3,stop,,\n");
    }
    byte[] all = zipped(rows.toString());
    refused(Arrays.copyOf(all, all.length / 2), "ends too early", "copy the file again");
  }

  @Test
  void whatIsNotCompressedIsNoticed() throws Exception {
    refused(HEADER.getBytes(StandardCharsets.UTF_8), "is damaged");
  }

  @Test
  void numberThatIsNoneIsNoticed() throws Exception {
    refused(zipped(HEADER + "1,a,x,1,1,1,1,stop,,\n"), "\"x\"", "after 0 samples");
  }

  @Test
  void rowThatIsTooShortIsNoticed() throws Exception {
    refused(zipped(HEADER + "1,a,0\n"), "after 0 samples");
  }
}
