package dev.loadgen.rules.log;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Whether LoadGen's logs end as LoadGen ends them. It writes through C++ streams and asks none of
 * them for errors: after a write that failed, for example on a full disk, a stream drops all that
 * follows, and LoadGen goes on. So a log that was cut lacks its end (AsyncLog::SetLogFiles in
 * logging.cc, the same in 5.1.2 to 6.0.17). Whether the detail log is whole, {@link
 * DetailLog#complete()} says.
 */
public final class LogEnds {
  private static final String SUMMARY = "mlperf_log_summary.txt";
  private static final String ACCURACY = "mlperf_log_accuracy.json";
  private static final int TAIL_BYTES = 256;
  private static final Pattern SUMMARY_END =
      Pattern.compile(
          "(?s).*(No errors encountered during test|ERRORS? encountered\\. See detailed log)\\.");

  private LogEnds() {}

  /**
   * What is cut, in words: each of the summary and the accuracy log that is in a folder and ends in
   * the middle. One that is not there is not cut.
   *
   * @throws IOException if one cannot be read
   */
  public static List<String> cut(Path folder) throws IOException {
    List<String> cut = new ArrayList<>();
    look(folder.resolve(SUMMARY), cut);
    look(folder.resolve(ACCURACY), cut);
    return cut;
  }

  private static void look(Path file, List<String> cut) throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    String tail = tail(file).stripTrailing();
    boolean whole =
        file.endsWith(ACCURACY) ? tail.endsWith("]") : SUMMARY_END.matcher(tail).matches();
    if (!whole) {
      cut.add(
          "%s ends in the middle, after %d bytes".formatted(file.getFileName(), Files.size(file)));
    }
  }

  private static String tail(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      byte[] tail = new byte[(int) Math.min(TAIL_BYTES, open.length())];
      open.seek(open.length() - tail.length);
      open.readFully(tail);
      return new String(tail, StandardCharsets.ISO_8859_1);
    }
  }
}
