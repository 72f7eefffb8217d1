package dev.loadgen.mlperf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.StringTokenizer;
import java.util.regex.Pattern;

/**
 * The grammar of LoadGen's configuration files: lines of {@code key = number}, separated by white
 * space, and lines that begin with a {@code #} of its own.
 *
 * <p>LoadGen puts its complaints in the log of a test that may never start; this says them at once,
 * with the line.
 */
final class ConfigFile {
  // What strtoul with base 0 or strtod takes whole.
  private static final Pattern NUMBER =
      Pattern.compile(
          "[+-]?(\\d+\\.?\\d*(e[+-]?\\d+)?|\\.\\d+(e[+-]?\\d+)?|0x[0-9a-f]+\\.?[0-9a-f]*(p[+-]?\\d+)?|inf|infinity|nan)",
          Pattern.CASE_INSENSITIVE);

  private ConfigFile() {}

  /**
   * @throws IllegalArgumentException if LoadGen could not read the file; the message has the line
   */
  static void check(Path path) {
    List<String> lines;
    try {
      // Any bytes may stand in comments.
      lines = Files.readAllLines(path, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(path + ": there is no such file", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(path + ": cannot be read: " + e.getMessage(), e);
    }
    for (int number = 1; number <= lines.size(); number++) {
      checkLine(path, number, lines.get(number - 1));
    }
  }

  private static void checkLine(Path path, int number, String line) {
    var words = new StringTokenizer(line);
    if (!words.hasMoreTokens()) {
      return;
    }
    String key = words.nextToken();
    if (key.equals("#")) {
      return;
    }
    String place = path + ", line " + number + ": ";
    String equals = words.hasMoreTokens() ? words.nextToken() : "";
    if (equals.isEmpty() || equals.equals("#")) {
      throw new IllegalArgumentException(
          place
              + "'"
              + key
              + "' has no value; expected is 'model.scenario.key = number', or '# ' before a comment");
    }
    if (!equals.equals("=")) {
      throw new IllegalArgumentException(
          place
              + "expected is 'model.scenario.key = number' with blanks around '=', found is '"
              + line.strip()
              + "'");
    }
    if (!words.hasMoreTokens()) {
      throw new IllegalArgumentException(place + "'" + key + "' has no value after '='");
    }
    while (words.hasMoreTokens()) {
      String value = words.nextToken();
      if (!NUMBER.matcher(value).matches()) {
        throw new IllegalArgumentException(
            place
                + "the value of '"
                + key
                + "' must be a number and nothing may follow it, found is '"
                + value
                + "'");
      }
    }
  }
}
