package dev.loadgen.results.report;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.loadgen.results.GzippedCsv;
import dev.loadgen.results.NearestRank;
import dev.loadgen.results.SampleTable.Column;
import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.evidence.RunEvidence;
import java.io.EOFException;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.zip.ZipException;

/**
 * The columns of {@code requests.csv.gz} that a report needs, about 53 bytes a sample. Columns are
 * found by their names, so that a table with more of them reads as well. Times are in milliseconds
 * since the first issue; NaN means that it did not happen.
 */
final class SampleColumns {
  private static final int FIRST_CAPACITY = 4096;

  private int size;
  private double[] issued = new double[FIRST_CAPACITY];
  private double[] started = new double[FIRST_CAPACITY];
  private double[] firstToken = new double[FIRST_CAPACITY];
  private double[] ended = new double[FIRST_CAPACITY];
  private int[] tokens = new int[FIRST_CAPACITY];
  private boolean[] failed = new boolean[FIRST_CAPACITY];
  private String[] finishReason = new String[FIRST_CAPACITY];
  private final Map<String, Failures> failures = new TreeMap<>();
  private final Map<String, Long> finishReasons = new TreeMap<>();
  private final Map<String, String> words = new HashMap<>();

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
    try (Reader text = GzippedCsv.reader(file);
        CsvReader<CsvRecord> csv = CsvReader.builder().ofCsvRecord(text)) {
      Iterator<CsvRecord> rows = csv.iterator();
      if (!rows.hasNext()) {
        throw columns.unreadable(file, "has no header");
      }
      Positions at = Positions.in(rows.next().getFields(), file);
      while (rows.hasNext()) {
        columns.add(rows.next(), at);
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

  /** Where the columns stand in the table. */
  private record Positions(
      int replica,
      int issued,
      int started,
      int firstToken,
      int ended,
      int tokens,
      int finishReason,
      int failure,
      int message) {
    static Positions in(List<String> header, Path file) throws UnreadableRunException {
      return new Positions(
          of(Column.REPLICA, header, file),
          of(Column.ISSUED_MS, header, file),
          of(Column.STARTED_MS, header, file),
          of(Column.FIRST_TOKEN_MS, header, file),
          of(Column.ENDED_MS, header, file),
          of(Column.OUTPUT_TOKENS, header, file),
          of(Column.FINISH_REASON, header, file),
          of(Column.FAILURE, header, file),
          of(Column.MESSAGE, header, file));
    }

    private static int of(Column column, List<String> header, Path file)
        throws UnreadableRunException {
      int position = header.indexOf(column.header());
      if (position < 0) {
        throw new UnreadableRunException(
            "%s: has no column %s; use the loadgen of the version that made the folder"
                .formatted(file, column.header()));
      }
      return position;
    }
  }

  private void add(CsvRecord row, Positions at) {
    if (size == issued.length) {
      grow();
    }
    issued[size] = time(row.getField(at.issued()));
    started[size] = time(row.getField(at.started()));
    firstToken[size] = time(row.getField(at.firstToken()));
    ended[size] = time(row.getField(at.ended()));
    tokens[size] = Integer.parseInt(row.getField(at.tokens()));
    String failure = row.getField(at.failure());
    failed[size] = !failure.isEmpty();
    if (failed[size]) {
      String replica = row.getField(at.replica());
      String message = row.getField(at.message());
      failures.merge(
          failure, new Failures(1, Map.of(replica, 1L), message), SampleColumns::together);
    } else {
      // The same few words in every row: one object for all of them.
      String reason = words.computeIfAbsent(row.getField(at.finishReason()), word -> word);
      finishReason[size] = reason;
      finishReasons.merge(reason, 1L, Long::sum);
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
    finishReason = Arrays.copyOf(finishReason, capacity);
  }

  int size() {
    return size;
  }

  /** Samples answered in full. */
  int completed() {
    return (int) IntStream.range(0, size).filter(this::succeeded).count();
  }

  Map<String, Failures> failures() {
    return failures;
  }

  /** How many answers ended for which reason, as the server says. */
  Map<String, Long> finishReasons() {
    return finishReasons;
  }

  /** The answers that are not as they were asked for. */
  Map<AskedAnswer.Fault, RunEvidence.FailureCount> unlike(AskedAnswer asked) {
    Map<AskedAnswer.Fault, RunEvidence.FailureCount> faults =
        new EnumMap<>(AskedAnswer.Fault.class);
    for (int i = 0; i < size; i++) {
      AskedAnswer.Fault fault = succeeded(i) ? asked.fault(tokens[i], finishReason[i]) : null;
      if (fault != null) {
        String example =
            fault == AskedAnswer.Fault.OTHER_STOP
                ? finishReason[i].isEmpty() ? "no reason given" : finishReason[i]
                : tokens[i] + (tokens[i] == 1 ? " token" : " tokens");
        faults.merge(
            fault,
            new RunEvidence.FailureCount(1, example),
            (seen, one) -> new RunEvidence.FailureCount(seen.count() + 1, seen.example()));
      }
    }
    return faults;
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

  /** Milliseconds from the start of a request to its end, of the samples answered in full. */
  double[] requestTimes() {
    return each(i -> succeeded(i) ? ended[i] - started[i] : Double.NaN);
  }

  /** Milliseconds from a sample's issue to the start of its request. */
  double[] sendDelays() {
    return each(i -> started[i] - issued[i]);
  }

  /** Samples answered in full with fewer than two tokens, of which no time per token is known. */
  long shortAnswers() {
    return Arrays.stream(outputTokens()).filter(tokens -> tokens < 2).count();
  }

  /** The 99th percentile of {@link #sendDelays}; 0 if nothing was sent. */
  double issueLagP99() {
    double[] lags = sorted(sendDelays());
    return lags.length == 0 ? 0 : NearestRank.percentile(lags, 99);
  }

  /** Mean of {@link #requestTimes}; empty if nothing was answered. */
  OptionalDouble meanRequestTime() {
    return Arrays.stream(requestTimes()).filter(time -> !Double.isNaN(time)).average();
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
