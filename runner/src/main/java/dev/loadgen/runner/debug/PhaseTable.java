package dev.loadgen.runner.debug;

import dev.loadgen.contract.RequestFailure;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.results.SampleTable;
import dev.loadgen.runner.dispatch.Replica;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Where the time of each sample went. {@code debug/phases.csv.gz}: a row a sample in the order of
 * issue, as {@code requests.csv.gz} has them, with a column for each {@link SamplePhase} in
 * milliseconds, empty where the sample did not get there. {@code debug/phases.json}: the
 * distribution of each.
 */
public final class PhaseTable {
  private PhaseTable() {}

  /** Writes the table. */
  public static void write(Path file, List<SampleRecord> samples, List<Replica> replicas)
      throws IOException {
    List<String> columns = new ArrayList<>(List.of("sample", "replica"));
    for (SamplePhase phase : SamplePhase.values()) {
      columns.add(phase.id() + "_ms");
    }
    columns.add("failure");
    SampleTable.write(file, columns, samples, sample -> row(sample, replicas));
  }

  private static List<String> row(SampleRecord sample, List<Replica> replicas) {
    RequestFailure failure = sample.failure();
    List<String> row = new ArrayList<>();
    row.add(Integer.toString(sample.index()));
    row.add(SampleTable.replica(sample, replicas));
    for (SamplePhase phase : SamplePhase.values()) {
      OptionalDouble millis = phase.millis(sample);
      row.add(millis.isEmpty() ? "" : String.format(Locale.ROOT, "%.3f", millis.getAsDouble()));
    }
    row.add(failure == null ? "" : failure.kind().name());
    return row;
  }

  /** The distribution of each phase over the samples that had it, by {@link SamplePhase#id}. */
  public static Map<String, Distribution> summary(List<SampleRecord> samples) {
    Map<String, Distribution> summary = new LinkedHashMap<>();
    for (SamplePhase phase : SamplePhase.values()) {
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
