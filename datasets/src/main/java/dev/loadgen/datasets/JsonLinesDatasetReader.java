package dev.loadgen.datasets;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Reads JSON lines: objects one after another, each a row. */
final class JsonLinesDatasetReader implements DatasetReader {
  @Override
  public void read(DatasetFile file, TableBuilder table) throws IOException {
    try (JsonParser parser = JsonDatasetReader.parser(file)) {
      while (parser.nextToken() != null) {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
          throw new InvalidContentException(
              "line %d, row %d: is %s, not an object with the columns as names"
                  .formatted(
                      parser.currentTokenLocation().getLineNr(),
                      table.rows(),
                      CellWords.kind(JsonValues.read(parser, 0))));
        }
        JsonDatasetReader.readRow(parser, table);
      }
    } catch (JacksonException e) {
      throw JsonDatasetReader.broken(e);
    }
  }
}
