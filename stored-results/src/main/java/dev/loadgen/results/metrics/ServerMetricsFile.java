package dev.loadgen.results.metrics;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import de.siegmar.fastcsv.writer.CsvWriter;
import dev.loadgen.results.GzippedCsv;
import dev.loadgen.results.metrics.ServerMetrics.Point;
import dev.loadgen.results.metrics.ServerMetrics.Series;
import dev.loadgen.results.metrics.ServerMetrics.Total;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * {@code server/metrics.csv.gz} of a results folder: a row a value, with the columns {@code
 * seconds} since the first issue (empty: of the whole test), {@code replica}, {@code metric},
 * {@code kind}, {@code statistic}, {@code unit}, {@code value}. Values have six significant digits.
 */
public final class ServerMetricsFile {
  /** Its path in a results folder. */
  public static final String NAME = "server/metrics.csv.gz";

  private static final List<String> COLUMNS =
      List.of("seconds", "replica", "metric", "kind", "statistic", "unit", "value");

  private ServerMetricsFile() {}

  /** Writes the file; its folder is there. */
  public static void write(Path file, ServerMetrics metrics) throws IOException {
    try (CsvWriter csv = GzippedCsv.writer(file)) {
      csv.writeRecord(COLUMNS);
      for (Series series : metrics.series()) {
        for (Point point : series.points()) {
          csv.writeRecord(
              String.format(Locale.ROOT, "%.3f", point.seconds()),
              series.replica(),
              series.metric(),
              series.kind().name().toLowerCase(Locale.ROOT),
              series.statistic().id(),
              series.unit(),
              number(point.value()));
        }
      }
      for (Total total : metrics.totals()) {
        csv.writeRecord(
            "",
            total.replica(),
            total.metric(),
            total.kind().name().toLowerCase(Locale.ROOT),
            total.statistic().id(),
            total.unit(),
            number(total.value()));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Reads the file.
   *
   * @throws IOException if it cannot be read, or is not such a file; names it and the line
   */
  public static ServerMetrics read(Path file) throws IOException {
    Map<List<Object>, List<Point>> points = new LinkedHashMap<>();
    List<Total> totals = new ArrayList<>();
    try (Reader text = GzippedCsv.reader(file);
        CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(text)) {
      for (NamedCsvRecord row : csv) {
        take(row, points, totals);
      }
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException | UncheckedIOException | CsvParseException e) {
      throw new IOException(file.getFileName() + " cannot be read: " + e.getMessage(), e);
    }
    List<Series> series = new ArrayList<>();
    points.forEach(
        (key, values) ->
            series.add(
                new Series(
                    (String) key.get(0),
                    (String) key.get(1),
                    (Kind) key.get(2),
                    (Statistic) key.get(3),
                    (String) key.get(4),
                    values)));
    return new ServerMetrics(series, totals);
  }

  private static void take(
      NamedCsvRecord row, Map<List<Object>, List<Point>> points, List<Total> totals)
      throws IOException {
    try {
      takeValid(row, points, totals);
    } catch (IllegalArgumentException | NoSuchElementException e) {
      throw new IOException(
          "line "
              + row.getStartingLineNumber()
              + " does not have the columns of server metrics: "
              + String.join(", ", COLUMNS),
          e);
    }
  }

  private static void takeValid(
      NamedCsvRecord row, Map<List<Object>, List<Point>> points, List<Total> totals) {
    String replica = row.getField("replica");
    String metric = row.getField("metric");
    Kind kind = Kind.valueOf(row.getField("kind").toUpperCase(Locale.ROOT));
    Statistic statistic = Statistic.valueOf(row.getField("statistic").toUpperCase(Locale.ROOT));
    String unit = row.getField("unit");
    double value = Double.parseDouble(row.getField("value"));
    String seconds = row.getField("seconds");
    if (seconds.isEmpty()) {
      totals.add(new Total(replica, metric, kind, statistic, unit, value));
    } else {
      points
          .computeIfAbsent(
              List.of(replica, metric, kind, statistic, unit), key -> new ArrayList<>())
          .add(new Point(Double.parseDouble(seconds), value));
    }
  }

  private static String number(double value) {
    if (!Double.isFinite(value)) {
      return Double.toString(value);
    }
    // Counters and gauges of whole things keep all their digits.
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    return new BigDecimal(value).round(new MathContext(6)).stripTrailingZeros().toPlainString();
  }
}
