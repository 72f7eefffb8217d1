package dev.loadgen.runner.report;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * The columns of {@code requests.csv.gz} that a report needs, about 45 bytes a sample. Columns are
 * found by their names, so that a table with more of them reads as well. Times are in milliseconds
 * since the first issue; NaN means that it did not happen.
 */
final class SampleColumns {
  private static final List<String> NEEDED =
      List.of(
          "replica",
          "issued_ms",
          "started_ms",
          "first_token_ms",
          "ended_ms",
          "output_tokens",
          "finish_reason",
          "failure",
          "message");
  private static final int FIRST_CAPACITY = 4096;

  private int size;
  private double[] issued = new double[FIRST_CAPACITY];
  private double[] started = new double[FIRST_CAPACITY];
  private double[] firstToken = new double[FIRST_CAPACITY];
  private double[] ended = new double[FIRST_CAPACITY];
  private int[] tokens = new int[FIRST_CAPACITY];
  private boolean[] failed = new boolean[FIRST_CAPACITY];
  private final Map<String, Failures> failures = new TreeMap<>();
  private final Map<String, Long> finishReasons = new TreeMap<>();

  private SampleColumns() {}

  /** The failures of one kind: how many on which replica, and what the first of them said. */
  record Failures(long count, Map<String, Long> byReplica, String example) {}

  /**
   * Reads the table.
   *
   * @throws UnreadableRunException if it is not one, or not all of one
   */
  static SampleColumns read(Path file) throws UnreadableRunException {
    SampleColumns columns = new SampleColumns();
    try (Reader text =
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file), 1 << 16), StandardCharsets.UTF_8);
        CsvReader<CsvRecord> csv = CsvReader.builder().ofCsvRecord(text)) {
      Iterator<CsvRecord> rows = csv.iterator();
      if (!rows.hasNext()) {
        throw columns.unreadable(file, "has no header");
      }
      int[] positions = positions(file, rows.next().getFields());
      while (rows.hasNext()) {
        columns.add(rows.next(), positions);
      }
      return columns;
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      throw columns.unreadable(file, "cannot be read: " + e.getMessage());
    } catch (CsvParseException | UncheckedIOException e) {
      throw columns.unreadable(file, reason(e.getCause() instanceof IOException io ? io : e));
    } catch (IOException e) {
      throw columns.unreadable(file, reason(e));
    }
  }

  private UnreadableRunException unreadable(Path file, String reason) {
    return new UnreadableRunException(
        file + ": " + reason + ", after " + size + " samples; copy the file again");
  }

  private static String reason(Exception e) {
    if (e instanceof EOFException) {
      return "ends too early";
    }
    return e instanceof ZipException
        ? "is damaged: " + e.getMessage()
        : "cannot be read: " + e.getMessage();
  }

  private static int[] positions(Path file, List<String> header) throws UnreadableRunException {
    int[] positions = new int[NEEDED.size()];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = header.indexOf(NEEDED.get(i));
      if (positions[i] < 0) {
        throw new UnreadableRunException(
            file
                + ": has no column "
                + NEEDED.get(i)
                + "; use the loadgen of the version that made the folder");
      }
    }
    return positions;
  }

  private void add(CsvRecord row, int[] at) {
    if (size == issued.length) {
      grow();
    }
    String replica = row.getField(at[0]);
    issued[size] = time(row.getField(at[1]));
    started[size] = time(row.getField(at[2]));
    firstToken[size] = time(row.getField(at[3]));
    ended[size] = time(row.getField(at[4]));
    tokens[size] = Integer.parseInt(row.getField(at[5]));
    String failure = row.getField(at[7]);
    failed[size] = !failure.isEmpty();
    if (failed[size]) {
      failures.merge(
          failure,
          new Failures(1, Map.of(replica, 1L), row.getField(at[8])),
          SampleColumns::together);
    } else {
      finishReasons.merge(row.getField(at[6]), 1L, Long::sum);
    }
    size++;
  }

  private static Failures together(Failures seen, Failures one) {
    Map<String, Long> byReplica =
        seen.byReplica() instanceof HashMap<String, Long> own
            ? own
            : new LinkedHashMap<>(seen.byReplica());
    one.byReplica().forEach((replica, count) -> byReplica.merge(replica, count, Long::sum));
    return new Failures(seen.count() + one.count(), byReplica, seen.example());
  }

  private static double time(String field) {
    return field.isEmpty() ? Double.NaN : Double.parseDouble(field);
  }

  private void grow() {
    int capacity = size * 2;
    issued = Arrays.copyOf(issued, capacity);
    started = Arrays.copyOf(started, capacity);
    firstToken = Arrays.copyOf(firstToken, capacity);
    ended = Arrays.copyOf(ended, capacity);
    tokens = Arrays.copyOf(tokens, capacity);
    failed = Arrays.copyOf(failed, capacity);
  }

  int size() {
    return size;
  }

  /** Samples answered in full. */
  int completed() {
    return (int) IntStream.range(0, size).filter(this::succeeded).count();
  }

  /** The failures by kind. */
  Map<String, Failures> failures() {
    return failures;
  }

  /** How many answers ended for which reason, as the server says. */
  Map<String, Long> finishReasons() {
    return finishReasons;
  }

  /** Seconds from the first issue to the last end. */
  double seconds() {
    double last =
        Arrays.stream(ended, 0, size).filter(end -> !Double.isNaN(end)).max().orElse(0) / 1e3;
    return Math.max(last, 1e-3);
  }

  /** Whether all samples were issued within the first tenth of the test, as in Offline. */
  boolean issuedAtOnce() {
    return Arrays.stream(issued, 0, size).max().orElse(0) / 1e3 < seconds() / 10;
  }

  /** Issues, in seconds. */
  double[] issues() {
    return each(i -> issued[i] / 1e3);
  }

  /** Starts of requests, in seconds. */
  double[] starts() {
    return each(i -> started[i] / 1e3);
  }

  /** Ends of whatever was sent, answered or failed, in seconds. */
  double[] endsOfSent() {
    return each(i -> Double.isNaN(started[i]) ? Double.NaN : ended[i] / 1e3);
  }

  /** Ends of the samples answered in full, in seconds. */
  double[] completions() {
    return each(i -> succeeded(i) ? ended[i] / 1e3 : Double.NaN);
  }

  /** Ends of the samples that failed, in seconds. */
  double[] failureTimes() {
    return each(i -> succeeded(i) ? Double.NaN : ended[i] / 1e3);
  }

  /**
   * When the tokens of an answer began to arrive, in seconds: at its first token, or at its end
   * where it was not streamed. NaN if it failed.
   */
  double[] tokenStarts() {
    return each(
        i ->
            !succeeded(i)
                ? Double.NaN
                : (Double.isNaN(firstToken[i]) ? ended[i] : firstToken[i]) / 1e3);
  }

  /** Output tokens of each answer; NaN if it failed. */
  double[] outputTokens() {
    return each(i -> succeeded(i) ? tokens[i] : Double.NaN);
  }

  /** Whole latencies in milliseconds, of the samples answered in full. */
  double[] latencies() {
    return each(i -> succeeded(i) ? ended[i] - issued[i] : Double.NaN);
  }

  /** Times to first token in milliseconds, of the streamed samples answered in full. */
  double[] timesToFirstToken() {
    return each(i -> succeeded(i) ? firstToken[i] - issued[i] : Double.NaN);
  }

  /** Times per output token after the first in milliseconds, where there is more than one. */
  double[] timesPerOutputToken() {
    return each(
        i ->
            succeeded(i) && tokens[i] > 1
                ? (ended[i] - firstToken[i]) / (tokens[i] - 1)
                : Double.NaN);
  }

  /** Milliseconds from a sample's issue to the start of its request. */
  double[] sendDelays() {
    return each(i -> started[i] - issued[i]);
  }

  /** The most requests that were in flight at once. */
  int mostInFlight() {
    double[] starts = sorted(starts());
    double[] ends = sorted(endsOfSent());
    int most = 0;
    int over = 0;
    for (int i = 0; i < starts.length; i++) {
      while (over < ends.length && ends[over] < starts[i]) {
        over++;
      }
      most = Math.max(most, i + 1 - over);
    }
    return most;
  }

  private static double[] sorted(double[] times) {
    return Arrays.stream(times).filter(time -> !Double.isNaN(time)).sorted().toArray();
  }

  private boolean succeeded(int i) {
    return !failed[i] && !Double.isNaN(ended[i]);
  }

  private double[] each(IntToDoubleFunction value) {
    return IntStream.range(0, size).mapToDouble(value).toArray();
  }
}
