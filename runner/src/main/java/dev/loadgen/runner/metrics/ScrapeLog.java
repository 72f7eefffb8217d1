package dev.loadgen.runner.metrics;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.loadgen.runner.metrics.Exposition.Sample;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * {@code server/scrapes.csv.gz} of a results folder: every series of every reading under the
 * server's own names, with the columns {@code unix_ms}, {@code replica}, {@code series}, {@code
 * value}. A series has a row where its value has changed since the reading before; a row {@code up}
 * is 1 for each reading that was made and 0 for each that failed. Series {@code _created} are left
 * out, since they are times and not measurements. Not safe for use by several threads.
 */
final class ScrapeLog implements AutoCloseable {
  static final String NAME = "server/scrapes.csv.gz";

  private final CsvWriter csv;
  private final Map<String, Map<String, Double>> written = new HashMap<>();

  private ScrapeLog(CsvWriter csv) {
    this.csv = csv;
  }

  /** Makes the file; its folder is there. */
  static ScrapeLog open(Path file) throws IOException {
    CsvWriter csv =
        CsvWriter.builder()
            .lineDelimiter(LineDelimiter.LF)
            .build(
                new OutputStreamWriter(
                    new GZIPOutputStream(Files.newOutputStream(file), 32 << 10),
                    StandardCharsets.UTF_8));
    csv.writeRecord("unix_ms", "replica", "series", "value");
    return new ScrapeLog(csv);
  }

  void read(long unixMillis, String replica, Exposition exposition) throws IOException {
    write(unixMillis, replica, "up", "1");
    Map<String, Double> known = written.computeIfAbsent(replica, name -> new HashMap<>());
    for (Map.Entry<String, List<Sample>> named : exposition.samples().entrySet()) {
      if (named.getKey().endsWith("_created")) {
        continue;
      }
      for (Sample sample : named.getValue()) {
        String series = sample.series();
        Double before = known.put(series, sample.value());
        if (before == null || Double.compare(before, sample.value()) != 0) {
          write(unixMillis, replica, series, number(sample.value()));
        }
      }
    }
  }

  void failed(long unixMillis, String replica) throws IOException {
    write(unixMillis, replica, "up", "0");
  }

  private void write(long unixMillis, String replica, String series, String value)
      throws IOException {
    try {
      csv.writeRecord(Long.toString(unixMillis), replica, series, value);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  @Override
  public void close() throws IOException {
    csv.close();
  }
}
