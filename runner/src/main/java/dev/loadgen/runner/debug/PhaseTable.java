package dev.loadgen.runner.debug;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.loadgen.runner.client.RequestFailure;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.dispatch.SampleRecord;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.zip.GZIPOutputStream;

/**
 * Where the time of each sample went. {@code debug/phases.csv.gz}: a row a sample in the order of
 * issue, as {@code requests.csv.gz} has them, with a column for each {@link Phase} in milliseconds,
 * empty where the sample did not get there. {@code debug/phases.json}: the distribution of each.
 */
public final class PhaseTable {
  private PhaseTable() {}

  /** Writes the table. */
  public static void write(Path file, List<SampleRecord> samples, List<Replica> replicas)
      throws IOException {
    try (CsvWriter csv =
        CsvWriter.builder()
            .lineDelimiter(LineDelimiter.LF)
            .build(
                new OutputStreamWriter(
                    new GZIPOutputStream(Files.newOutputStream(file)), StandardCharsets.UTF_8))) {
      List<String> columns = new ArrayList<>(List.of("sample", "replica"));
      for (Phase phase : Phase.values()) {
        columns.add(phase.id() + "_ms");
      }
      columns.add("failure");
      csv.writeRecord(columns);
      for (SampleRecord sample : samples) {
        csv.writeRecord(row(sample, replicas));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static List<String> row(SampleRecord sample, List<Replica> replicas) {
    RequestFailure failure = sample.failure();
    List<String> row = new ArrayList<>();
    row.add(Integer.toString(sample.index()));
    row.add(sample.replica() < 0 ? "" : replicas.get(sample.replica()).name());
    for (Phase phase : Phase.values()) {
      OptionalDouble millis = phase.millis(sample);
      row.add(millis.isEmpty() ? "" : String.format(Locale.ROOT, "%.3f", millis.getAsDouble()));
    }
    row.add(failure == null ? "" : failure.kind().name());
    return row;
  }

  /** The distribution of each phase over the samples that had it, by {@link Phase#id}. */
  public static Map<String, Distribution> summary(List<SampleRecord> samples) {
    Map<String, Distribution> summary = new LinkedHashMap<>();
    for (Phase phase : Phase.values()) {
      Distribution distribution =
          Distribution.of(
              samples.stream()
                  .map(phase::millis)
                  .filter(OptionalDouble::isPresent)
                  .mapToDouble(OptionalDouble::getAsDouble)
                  .toArray());
      if (distribution != null) {
        summary.put(phase.id(), distribution);
      }
    }
    return summary;
  }
}
