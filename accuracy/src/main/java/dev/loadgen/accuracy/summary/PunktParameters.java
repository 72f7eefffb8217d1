package dev.loadgen.accuracy.summary;

import dev.loadgen.accuracy.input.UnusableInputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * What Punkt has learnt of a language, in the files of NLTK's {@code punkt_tab}. They are read from
 * the user's copy, since their licence is not settled.
 *
 * @param abbreviations types of words that a period does not end
 * @param collocations pairs of types, divided by a tab, with a period between them that ends no
 *     sentence
 * @param sentenceStarters types of words that often begin a sentence
 * @param orthographicContext where types of words were seen in upper and lower case, as flags
 */
public record PunktParameters(
    Set<String> abbreviations,
    Set<String> collocations,
    Set<String> sentenceStarters,
    Map<String, Integer> orthographicContext) {
  private static final String ABBREVIATIONS = "abbrev_types.txt";
  private static final String COLLOCATIONS = "collocations.tab";
  private static final String STARTERS = "sent_starters.txt";
  private static final String CONTEXT = "ortho_context.tab";
  private static final String CURE = "give nltk_data's tokenizers/punkt_tab as it is";

  /** Copies the collections. */
  public PunktParameters {
    abbreviations = Set.copyOf(abbreviations);
    collocations = Set.copyOf(collocations);
    sentenceStarters = Set.copyOf(sentenceStarters);
    orthographicContext = Map.copyOf(orthographicContext);
  }

  /**
   * Reads the parameters of English.
   *
   * @param path {@code punkt_tab.zip}, or the unpacked folder {@code punkt_tab} or {@code
   *     punkt_tab/english}
   * @throws UnusableInputException if a file is missing or is not as NLTK writes it
   */
  public static PunktParameters read(Path path) throws UnusableInputException {
    try {
      if (!Files.isDirectory(path)) {
        return readZip(path);
      }
      Path english = path.resolve("english");
      Path folder = Files.isDirectory(english) ? english : path;
      return read(
          name -> {
            Path file = folder.resolve(name);
            return Files.exists(file) ? Files.newInputStream(file) : null;
          });
    } catch (ZipException e) {
      throw new UnusableInputException(
          path + " is not a zip file (" + e.getMessage() + "); " + CURE, e);
    } catch (CharacterCodingException e) {
      throw new UnusableInputException(path + " is not UTF-8; " + CURE, e);
    } catch (IOException e) {
      throw new UnusableInputException(path + " cannot be read: " + e, e);
    } catch (Malformed e) {
      throw new UnusableInputException(path + ": " + e.getMessage() + "; " + CURE, e);
    }
  }

  private static PunktParameters readZip(Path path) throws IOException, Malformed {
    try (ZipFile zip = new ZipFile(path.toFile())) {
      return read(
          name -> {
            ZipEntry entry = zip.getEntry("punkt_tab/english/" + name);
            return entry == null ? null : zip.getInputStream(entry);
          });
    }
  }

  private interface Source {
    @Nullable InputStream open(String name) throws IOException;
  }

  private static final class Malformed extends Exception {
    Malformed(String message) {
      super(message);
    }
  }

  private static PunktParameters read(Source source) throws IOException, Malformed {
    Set<String> collocations = new HashSet<>();
    for (String line : lines(source, COLLOCATIONS)) {
      fields(COLLOCATIONS, line);
      collocations.add(line);
    }
    Map<String, Integer> context = new HashMap<>();
    for (String line : lines(source, CONTEXT)) {
      String[] fields = fields(CONTEXT, line);
      try {
        context.put(fields[0], Integer.valueOf(fields[1]));
      } catch (NumberFormatException e) {
        throw new Malformed(CONTEXT + ": no number in \"" + line + "\"");
      }
    }
    return new PunktParameters(
        new HashSet<>(lines(source, ABBREVIATIONS)),
        collocations,
        new HashSet<>(lines(source, STARTERS)),
        context);
  }

  private static String[] fields(String name, String line) throws Malformed {
    String[] fields = line.split("\t", -1);
    if (fields.length != 2) {
      throw new Malformed(name + ": not two fields in \"" + line + "\"");
    }
    return fields;
  }

  private static List<String> lines(Source source, String name) throws IOException, Malformed {
    try (InputStream in = source.open(name)) {
      if (in == null) {
        throw new Malformed("there is no " + name);
      }
      BufferedReader reader =
          new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder()));
      List<String> lines = new ArrayList<>();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
      return lines;
    }
  }
}
