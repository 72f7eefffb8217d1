package dev.loadgen.runner.provenance;

import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineProfile;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The line of a server's log in which the engine says what arguments it runs with. vLLM writes
 * those that are not its defaults, SGLang all; as a dictionary of Python, or older ones as a call.
 */
final class EngineLog {
  private static final Logger LOG = LoggerFactory.getLogger(EngineLog.class);

  /** What goes before them in the logs of any engine. */
  private static final List<String> BEFORE =
      Stream.of(Engine.values())
          .flatMap(engine -> EngineProfile.of(engine).argumentsInLog().stream())
          .toList();

  /** Engines write the line when they start. */
  private static final int READ = 512 * 1024;

  private EngineLog() {}

  /** What the logs of a server in a results folder say; empty: nothing. */
  static SortedMap<String, String> arguments(Path folder, String server) {
    Path logs = folder.resolve("server");
    if (!Files.isDirectory(logs)) {
      return new TreeMap<>();
    }
    try (Stream<Path> files = Files.list(logs)) {
      return files
          .filter(file -> isOf(server, file.getFileName().toString()))
          // The beginning of a log is not in what came later.
          .sorted(
              Comparator.comparing(
                      (Path file) -> !file.getFileName().toString().contains(".beginning."))
                  .thenComparing(Path::toString))
          .flatMap(file -> read(file).stream())
          .findFirst()
          .orElseGet(TreeMap::new);
    } catch (IOException e) {
      LOG.warn("{} cannot be read: {}", logs, e.toString());
      return new TreeMap<>();
    }
  }

  private static boolean isOf(String server, String file) {
    return file.startsWith(server + ".")
        && file.endsWith(".log.gz")
        && !file.endsWith(".previous.log.gz");
  }

  private static Optional<SortedMap<String, String>> read(Path file) {
    try (InputStream in =
        new GZIPInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      return new String(in.readNBytes(READ), StandardCharsets.UTF_8)
          .lines()
          .flatMap(line -> arguments(line).stream())
          .findFirst();
    } catch (IOException e) {
      LOG.warn("{} cannot be read: {}", file, e.toString());
      return Optional.empty();
    }
  }

  /** The arguments in a line; empty: it has none, or they cannot be told apart. */
  static Optional<SortedMap<String, String>> arguments(String line) {
    for (String before : BEFORE) {
      int at = line.indexOf(before);
      if (at >= 0) {
        return parts(line, at + before.length())
            .map(parts -> pairs(parts, before.endsWith("{") ? ':' : '='))
            .map(EngineAccount::clean);
      }
    }
    return Optional.empty();
  }

  /** What stands between commas until the bracket closes; empty: it never does. */
  private static Optional<List<String>> parts(String line, int from) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    char quote = 0;
    int begin = from;
    for (int i = from; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quote != 0) {
        if (c == '\\') {
          i++;
        } else if (c == quote) {
          quote = 0;
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '{' || c == '[' || c == '(' || c == '<') {
        depth++;
      } else if (c == ',' && depth == 0) {
        parts.add(line.substring(begin, i));
        begin = i + 1;
      } else if (c == '}' || c == ']' || c == ')' || c == '>') {
        if (depth == 0) {
          parts.add(line.substring(begin, i));
          return Optional.of(parts);
        }
        depth--;
      }
    }
    return Optional.empty();
  }

  private static Map<String, String> pairs(List<String> parts, char separator) {
    Map<String, String> pairs = new TreeMap<>();
    for (String part : parts) {
      int at = part.indexOf(separator);
      if (at > 0) {
        String value = unquoted(part.substring(at + 1).strip());
        // What is None was not set.
        if (!value.equals("None")) {
          pairs.put(unquoted(part.substring(0, at).strip()), value);
        }
      }
    }
    return pairs;
  }

  /** A text without its quotes; whatever else there is stays as Python writes it. */
  private static String unquoted(String value) {
    boolean quoted =
        value.length() >= 2
            && (value.charAt(0) == '\'' || value.charAt(0) == '"')
            && value.indexOf(value.charAt(0), 1) == value.length() - 1
            && value.indexOf('\\') < 0;
    return quoted ? value.substring(1, value.length() - 1) : value;
  }
}
