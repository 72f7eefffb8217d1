package dev.loadgen.results;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.loadgen.contract.RequestFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * A gzipped CSV file with a row a sample, in the order of issue. {@code requests.csv.gz} is the one
 * that every run has: times are in milliseconds since the first issue, for which {@code
 * environment.json} has the machine's monotonic clock as {@code firstIssueNanoTime}.
 */
public final class SampleTable {
  /** The columns of {@code requests.csv.gz}, in their order. */
  public enum Column {
    SAMPLE,
    REPLICA,
    ISSUED_MS,
    STARTED_MS,
    FIRST_TOKEN_MS,
    ENDED_MS,
    OUTPUT_TOKENS,
    FINISH_REASON,
    FAILURE,
    MESSAGE;

    /** Its name in the header. */
    public String header() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private SampleTable() {}

  /** Writes {@code requests.csv.gz}. */
  public static void write(
      Path file, List<SampleRecord> samples, List<? extends TestedServer> replicas)
      throws IOException {
    long origin = samples.isEmpty() ? 0 : samples.getFirst().issued();
    List<String> columns = Arrays.stream(Column.values()).map(Column::header).toList();
    write(file, columns, samples, sample -> row(sample, replicas, origin));
  }

  /** Writes a table with columns of its own. */
  public static void write(
      Path file,
      List<String> columns,
      List<SampleRecord> samples,
      Function<SampleRecord, List<String>> row)
      throws IOException {
    try (CsvWriter csv = GzippedCsv.writer(file)) {
      csv.writeRecord(columns);
      for (SampleRecord sample : samples) {
        csv.writeRecord(row.apply(sample));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static List<String> row(
      SampleRecord sample, List<? extends TestedServer> replicas, long origin) {
    RequestFailure failure = sample.failure();
    return List.of(
        Integer.toString(sample.index()),
        replica(sample, replicas),
        millis(sample.issued(), origin),
        millis(sample.started(), origin),
        millis(sample.firstToken(), origin),
        millis(sample.ended(), origin),
        Integer.toString(sample.tokens()),
        sample.finishReason(),
        failure == null ? "" : failure.kind().name(),
        failure == null ? "" : failure.message());
  }

  /** The name of the replica that a sample was sent to; empty if it was not sent. */
  public static String replica(SampleRecord sample, List<? extends TestedServer> replicas) {
    return sample.replica() < 0 ? "" : replicas.get(sample.replica()).name();
  }

  private static String millis(long nanoTime, long origin) {
    return nanoTime == 0 ? "" : millis(nanoTime - origin);
  }

  /** A time in milliseconds, to a microsecond; a formatter would take most of a table's time. */
  static String millis(long nanos) {
    long micros = (Math.abs(nanos) + 500) / 1000;
    StringBuilder text = new StringBuilder(16);
    if (nanos < 0 && micros > 0) {
      text.append('-');
    }
    text.append(micros / 1000).append('.');
    long fraction = micros % 1000;
    return text.append((char) ('0' + fraction / 100))
        .append((char) ('0' + fraction / 10 % 10))
        .append((char) ('0' + fraction % 10))
        .toString();
  }
}
