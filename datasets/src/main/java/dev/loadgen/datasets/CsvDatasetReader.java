package dev.loadgen.datasets;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PushbackReader;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads CSV (RFC 4180) with a header in UTF-8, separated by comma, tab, semicolon or bar. Cells are
 * text; an empty one is null, because pandas writes both that way. An unnamed first column is the
 * index of {@code DataFrame.to_csv} and left out.
 */
final class CsvDatasetReader implements DatasetReader {
  private static final char[] SEPARATORS = {',', '\t', ';', '|'};

  private final @Nullable Character given;

  /**
   * @param separator null: told by the header
   */
  CsvDatasetReader(@Nullable Character separator) {
    this.given = separator;
  }

  /** The separator by which the header falls into most fields; null: into one by all. */
  static @Nullable Character separator(String start) {
    Character best = null;
    int most = 1;
    for (char separator : SEPARATORS) {
      int fields = headerFields(start, separator);
      if (fields > most) {
        most = fields;
        best = separator;
      }
    }
    return best;
  }

  private static int headerFields(String start, char separator) {
    try (CsvReader<CsvRecord> csv =
        CsvReader.builder().fieldSeparator(separator).ofCsvRecord(new StringReader(start))) {
      Iterator<CsvRecord> records = csv.iterator();
      return records.hasNext() ? records.next().getFieldCount() : 0;
    } catch (IOException | CsvParseException | UncheckedIOException notSeparatedSo) {
      return 0;
    }
  }

  @Override
  public void read(DatasetFile file, TableBuilder table) throws IOException {
    Character separator =
        given == null ? separator(new String(file.head(1 << 16), StandardCharsets.UTF_8)) : given;
    long line = 1;
    try (Reader text = withoutByteOrderMark(file);
        CsvReader<CsvRecord> csv =
            CsvReader.builder()
                .fieldSeparator(separator == null ? ',' : separator)
                // told by readRow, which knows the row
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .ofCsvRecord(text)) {
      Iterator<CsvRecord> records = csv.iterator();
      if (!records.hasNext()) {
        throw new InvalidContentException("has no header line");
      }
      List<String> header = records.next().getFields();
      while (records.hasNext()) {
        CsvRecord record = records.next();
        line = record.getStartingLineNumber();
        readRow(header, record, table);
      }
    } catch (CsvParseException | UncheckedIOException e) {
      if (e.getCause() instanceof CharacterCodingException) {
        throw new InvalidContentException("is not UTF-8 text after line " + line, e);
      }
      throw new InvalidContentException(
          "is not valid CSV after line %d: %s".formatted(line, e.getMessage()), e);
    }
  }

  private static void readRow(List<String> header, CsvRecord record, TableBuilder table) {
    if (record.getFieldCount() != header.size()) {
      throw new InvalidContentException(
          "line %d, row %d: has %d fields, but the header has %d; quote fields that hold separators or line ends"
              .formatted(
                  record.getStartingLineNumber(),
                  table.rows(),
                  record.getFieldCount(),
                  header.size()));
    }
    for (int i = 0; i < header.size(); i++) {
      if (i == 0 && header.get(0).isEmpty()) {
        continue;
      }
      String field = record.getField(i);
      table.put(header.get(i), field.isEmpty() ? null : field);
    }
    table.endRow();
  }

  private static Reader withoutByteOrderMark(DatasetFile file) throws IOException {
    PushbackReader text =
        new PushbackReader(
            new InputStreamReader(file.content(), StandardCharsets.UTF_8.newDecoder()));
    int first = text.read();
    if (first >= 0 && first != '\ufeff') {
      text.unread(first);
    }
    return text;
  }
}
