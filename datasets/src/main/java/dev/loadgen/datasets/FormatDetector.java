package dev.loadgen.datasets;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.loadgen.contract.DatasetFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Tells a file's format by its content: extensions lie, and a ConfigMap key may have none. */
final class FormatDetector {
  private static final int HEAD = 4096;

  /** Protocol 0: a list, dict or tuple after MARK, with its memo; or a class on two lines. */
  private static final Pattern TEXT_PICKLE =
      Pattern.compile("\\A(?:\\((?:[ldt](?:p\\d|\\.)|[dl][pq.(IVSFNL])|c[\\w.]+\\n\\w+\\n)");

  private FormatDetector() {}

  /** The format of the content; never {@code Auto}. */
  static DatasetFormat detect(DatasetFile file) throws IOException {
    byte[] head = file.head(HEAD);
    if (head.length == 0) {
      throw new InvalidContentException("is empty; check how it was written or copied");
    }
    DatasetFormat known = binaryFormat(head);
    if (known != null) {
      return known;
    }
    String binary = otherKind(head);
    if (binary != null) {
      throw new InvalidContentException(
          "is a file of %s, which is not a dataset format; write it as Parquet or JSON"
              .formatted(binary));
    }
    String text = text(head);
    String start = text.stripLeading();
    if (start.startsWith("[")) {
      return DatasetFormat.Json;
    }
    if (start.startsWith("{")) {
      return hasSecondObject(file) ? DatasetFormat.JsonLines : DatasetFormat.Json;
    }
    if (startsWith(head, "\u00ff\u00fe") || startsWith(head, "\u00fe\u00ff")) {
      throw new InvalidContentException("is UTF-16 text; write it in UTF-8");
    }
    if (start.startsWith("version https://git-lfs")) {
      throw new InvalidContentException(
          "is a pointer of Git LFS, not the file itself; fetch it with: git lfs pull");
    }
    if (start.isEmpty()) {
      throw new InvalidContentException("contains only white space; check how it was written");
    }
    Character separator = CsvDatasetReader.separator(text);
    if (!start.startsWith("<") && isText(head) && separator != null) {
      return separator == '\t' ? DatasetFormat.Tsv : DatasetFormat.Csv;
    }
    throw new InvalidContentException(
        "is not a dataset: it starts with '%s'; give a JSON, JSON lines, CSV, TSV, Parquet, Pickle, NPY or NPZ file"
            .formatted(printable(start)));
  }

  /**
   * Whether a format that the user gave can be that of the file; text formats are not told apart.
   */
  static void check(DatasetFormat given, DatasetFile file) throws IOException {
    byte[] head = file.head(HEAD);
    if (head.length == 0) {
      throw new InvalidContentException("is empty; check how it was written or copied");
    }
    DatasetFormat known = binaryFormat(head);
    String other = known == null ? otherKind(head) : null;
    if (known == given) {
      return;
    }
    if (known != null || other != null) {
      throw mismatch(given, "of " + (known == null ? other : known.name()));
    }
    boolean binaryGiven =
        switch (given) {
          case Parquet, Npy, Npz -> true;
          case Pickle -> isJson(head);
          default -> false;
        };
    if (binaryGiven) {
      throw mismatch(given, "of another kind");
    }
  }

  private static InvalidContentException mismatch(DatasetFormat given, String found) {
    return new InvalidContentException(
        "is a file %s, but spec.dataset.format says %s; leave that field out"
            .formatted(found, given));
  }

  private static boolean isJson(byte[] head) {
    String start = text(head).stripLeading();
    return start.startsWith("[") || start.startsWith("{");
  }

  private static @Nullable DatasetFormat binaryFormat(byte[] head) {
    if (startsWith(head, "PAR1")) {
      return DatasetFormat.Parquet;
    }
    if (startsWith(head, "\u0093NUMPY")) {
      return DatasetFormat.Npy;
    }
    if (isNpz(head)) {
      return DatasetFormat.Npz;
    }
    return isPickle(head) ? DatasetFormat.Pickle : null;
  }

  /** A ZIP whose first file is an array; names follow the 30 bytes of a local header. */
  private static boolean isNpz(byte[] head) {
    if (!startsWith(head, "PK\3\4") || head.length < 30) {
      return false;
    }
    int length = (head[26] & 0xff) | (head[27] & 0xff) << 8;
    String name = new String(head, 30, Math.min(length, head.length - 30), StandardCharsets.UTF_8);
    return name.endsWith(".npy");
  }

  private static @Nullable String otherKind(byte[] head) {
    if (startsWith(head, "PARE")) {
      return "encrypted Parquet";
    }
    if (startsWith(head, "PK\3\4") || startsWith(head, "PK\5\6")) {
      return "ZIP or Excel";
    }
    if (startsWith(head, "ARROW1")) {
      return "Arrow or Feather";
    }
    if (startsWith(head, "\u0089HDF")) {
      return "HDF5";
    }
    if (startsWith(head, "Obj\1")) {
      return "Avro";
    }
    if (startsWith(head, "(\u00b5/\u00fd")) {
      return "Zstandard";
    }
    if (startsWith(head, "\u00fd7zXZ")) {
      return "xz";
    }
    if (startsWith(head, "BZh")) {
      return "bzip2";
    }
    return null;
  }

  private static boolean isPickle(byte[] head) {
    int first = head[0] & 0xff;
    if (first == 0x80) {
      return head.length > 1 && head[1] >= 2 && head[1] <= 5;
    }
    // protocol 1 starts with an empty list or dict
    if ((first == ']' || first == '}') && head.length > 1 && (head[1] == 'q' || head[1] == '.')) {
      return true;
    }
    return TEXT_PICKLE.matcher(new String(head, StandardCharsets.ISO_8859_1)).find();
  }

  /** Whether something follows the first object, as in JSON lines. */
  private static boolean hasSecondObject(DatasetFile file) throws IOException {
    try (JsonParser parser = JsonDatasetReader.parser(file)) {
      parser.nextToken();
      parser.skipChildren();
      return parser.nextToken() == JsonToken.START_OBJECT;
    } catch (JacksonException e) {
      throw JsonDatasetReader.broken(e); // neither format has it
    }
  }

  private static boolean isText(byte[] head) {
    for (byte value : head) {
      if (value >= 0 && value < ' ' && value != '\n' && value != '\r' && value != '\t') {
        return false;
      }
    }
    return true;
  }

  private static String text(byte[] head) {
    String text = new String(head, StandardCharsets.UTF_8);
    return text.startsWith("\ufeff") ? text.substring(1) : text;
  }

  private static String printable(String start) {
    return start.substring(0, Math.min(start.length(), 16)).replaceAll("[^ -~]", "?");
  }

  private static boolean startsWith(byte[] head, String magic) {
    if (head.length < magic.length()) {
      return false;
    }
    for (int i = 0; i < magic.length(); i++) {
      if ((head[i] & 0xff) != magic.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
