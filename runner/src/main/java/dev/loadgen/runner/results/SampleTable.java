package dev.loadgen.runner.results;

import dev.loadgen.runner.client.RequestFailure;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.dispatch.SampleRecord;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * {@code requests.csv.gz}: a row a sample, in the order of issue. Times are in milliseconds since
 * the first issue, for which {@code environment.json} has the machine's monotonic clock as {@code
 * firstIssueNanoTime}.
 */
public final class SampleTable {
  private SampleTable() {}

  public static void write(Path file, List<SampleRecord> samples, List<Replica> replicas)
      throws IOException {
    try (Writer csv =
        new OutputStreamWriter(
            new GZIPOutputStream(Files.newOutputStream(file)), StandardCharsets.UTF_8)) {
      csv.write(
          "sample,replica,issued_ms,started_ms,first_token_ms,ended_ms,output_tokens,finish_reason,failure,message\n");
      long origin = samples.isEmpty() ? 0 : samples.get(0).issued();
      for (SampleRecord sample : samples) {
        RequestFailure failure = sample.failure();
        csv.append(Integer.toString(sample.index())).append(',');
        csv.append(sample.replica() < 0 ? "" : quoted(replicas.get(sample.replica()).name()))
            .append(',');
        csv.append(millis(sample.issued(), origin)).append(',');
        csv.append(millis(sample.started(), origin)).append(',');
        csv.append(millis(sample.firstToken(), origin)).append(',');
        csv.append(millis(sample.ended(), origin)).append(',');
        csv.append(Integer.toString(sample.tokens())).append(',');
        csv.append(quoted(sample.finishReason())).append(',');
        csv.append(failure == null ? "" : failure.kind().name()).append(',');
        csv.append(failure == null ? "" : quoted(failure.message())).append('\n');
      }
    }
  }

  private static String millis(long nanoTime, long origin) {
    return nanoTime == 0
        ? ""
        : String.format(java.util.Locale.ROOT, "%.3f", (nanoTime - origin) / 1e6);
  }

  private static String quoted(String text) {
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
