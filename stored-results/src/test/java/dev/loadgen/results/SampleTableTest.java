package dev.loadgen.results;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.RequestFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SampleTableTest {
  private static final String HEADER =
      "sample,replica,issued_ms,started_ms,first_token_ms,ended_ms,output_tokens,finish_reason,failure,message";

  private static String table(Path folder, List<SampleRecord> samples) throws IOException {
    Path file = folder.resolve("requests.csv.gz");
    SampleTable.write(
        file, samples, List.of(new NamedServer(0, "a"), new NamedServer(1, "b,\"c\"")));
    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void rowsAreInTheOrderOfIssueWithTimesFromTheFirst(@TempDir Path folder) throws Exception {
    assertThat(
            table(
                folder,
                List.of(
                    Records.streamed(7, 0, 100, 110.5, 200.1234, 9),
                    Records.whole(3, 0, 101, 102, 150, 4))))
        .isEqualTo(
            HEADER
                + "\n7,a,0.000,0.000,10.500,100.123,9,length,,\n3,a,1.000,2.000,,50.000,4,length,,\n");
  }

  @Test
  void failuresHaveNoTokensAndTheirMessageIsQuoted(@TempDir Path folder) throws Exception {
    assertThat(
            table(
                folder,
                List.of(
                    Records.failed(
                        0,
                        1,
                        0,
                        5,
                        new RequestFailure(RequestFailure.Kind.HTTP_STATUS, "503: \"busy\", wait")),
                    Records.unsent(1, 2, 4))))
        .isEqualTo(
            HEADER
                + "\n0,\"b,\"\"c\"\"\",0.000,0.000,,5.000,0,,HTTP_STATUS,\"503: \"\"busy\"\", wait\""
                + "\n1,,2.000,,,4.000,0,,ABORTED,ended\n");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.000",
    "1, 0.000",
    "500, 0.001",
    "-500, -0.001",
    "-499, 0.000",
    "999499, 0.999",
    "999500, 1.000",
    "100123400, 100.123",
    "604800000000000, 604800000.000",
  })
  void timesAreRoundedToAMicrosecond(long nanos, String millis) {
    assertThat(SampleTable.millis(nanos)).isEqualTo(millis);
  }

  @Test
  void noSamplesLeaveTheHeader(@TempDir Path folder) throws Exception {
    assertThat(table(folder, List.of())).isEqualTo(HEADER + "\n");
  }
}
