package dev.loadgen.commands;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.loadgen.contract.DatasetFormat;
import dev.loadgen.datasets.Dataset;
import dev.loadgen.datasets.DatasetException;
import dev.loadgen.datasets.DatasetOptions;
import dev.loadgen.datasets.DatasetSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadgen inspect}: what the runner sees in a dataset. */
@Command(
    name = "inspect",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Print what the runner reads from a dataset: one JSON object per row, each on its own line.",
      "Each object has the row's number as \"index\", then each column by its name; bytes are"
          + " base64.",
      "A file that names no columns, such as NPY, has the column \"value\". If the file has a"
          + " column \"index\", that column is shown instead."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {"0:the file was read", "2:the file or an option cannot be used"})
final class InspectCommand implements Callable<Integer> {
  private static final Pattern ROWS = Pattern.compile("(\\d{1,9})(?:(-)(\\d{1,9})?)?");
  private static final String INDEX = "index";

  private final Surroundings surroundings;

  @Parameters(
      paramLabel = "FILE",
      description = "JSON, JSON lines, CSV, TSV, Parquet, Pickle, NPY or NPZ, also in gzip.")
  private Path file = Path.of("");

  @Option(
      names = "--rows",
      paramLabel = "N|FROM-TO",
      description =
          "The first N rows, or those from FROM to TO, both included and counted from 0; FROM- is up"
              + " to the last. Default: all.")
  private String rows = "0-";

  @Option(
      names = "--columns",
      split = ",",
      paramLabel = "NAME",
      description = "Print only these columns, in this order. Default: all.")
  private List<String> columns = List.of();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "One of ${COMPLETION-CANDIDATES}. Default: detected from the content.")
  private DatasetFormat format = DatasetFormat.Auto;

  @Option(
      names = "--summary",
      description =
          "Instead of rows: one JSON object with counts, columns and their types, the distribution of"
              + " prompt lengths, and the file's SHA-256 and MD5.")
  private boolean summary;

  InspectCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException, DatasetException, BadInputException {
    print(read());
    return 0;
  }

  private Dataset read() throws DatasetException, BadInputException {
    return Dataset.read(
        InputFile.argument(file).existing(),
        DatasetOptions.DEFAULTS.withoutPrompt().withFormat(format));
  }

  private void print(Dataset dataset) throws IOException, BadInputException {
    PrintWriter out = surroundings.out();
    if (summary) {
      ObjectMapper mapper = new ObjectMapper(factory());
      mapper.enable(SerializationFeature.INDENT_OUTPUT);
      out.println(mapper.writeValueAsString(DatasetSummary.of(dataset)));
      out.flush();
      return;
    }
    Range range = range(dataset);
    List<String> shown = columns(dataset);
    JsonFactory factory = factory();
    for (int row = range.first(); row <= range.last(); row++) {
      StringWriter line = new StringWriter();
      try (JsonGenerator json = factory.createGenerator(line)) {
        json.writeStartObject();
        if (!shown.contains(INDEX)) {
          json.writeNumberField(INDEX, row);
        }
        for (String column : shown) {
          json.writeFieldName(column);
          dataset.writeValue(json, column, row);
        }
        json.writeEndObject();
      }
      line.write('\n');
      out.write(line.toString());
      // whoever reads may have had enough, such as head
      if (out.checkError()) {
        return;
      }
    }
  }

  /** JSON that the terminal's or pipe's character set can carry. */
  private static JsonFactory factory() {
    Charset charset = System.out.charset();
    return JsonFactory.builder()
        .configure(JsonWriteFeature.ESCAPE_NON_ASCII, !charset.equals(StandardCharsets.UTF_8))
        .build();
  }

  /** Rows to print, from 0; none where {@code last} is before {@code first}. */
  private record Range(int first, int last) {}

  private Range range(Dataset dataset) throws BadInputException {
    Matcher parts = ROWS.matcher(rows);
    if (!parts.matches()) {
      throw new BadInputException("--rows " + rows + ": write a count, such as 10, or FROM-TO");
    }
    int number = Integer.parseInt(parts.group(1));
    int end = dataset.size() - 1;
    if (parts.group(2) == null) {
      return new Range(0, Math.min(number - 1, end));
    }
    int last = parts.group(3) == null ? end : Integer.parseInt(parts.group(3));
    if (number > end || last < number) {
      throw new BadInputException(
          "--rows %s: %s has the rows 0 to %d; write FROM-TO within them"
              .formatted(rows, file, end));
    }
    return new Range(number, Math.min(last, end));
  }

  private List<String> columns(Dataset dataset) throws BadInputException {
    if (columns.isEmpty()) {
      return dataset.columns();
    }
    List<String> unknown = new ArrayList<>(columns);
    unknown.removeAll(dataset.columns());
    if (!unknown.isEmpty()) {
      throw new BadInputException(
          "--columns: %s has no column '%s'; it has %s"
              .formatted(file, unknown.getFirst(), String.join(", ", dataset.columns())));
    }
    return columns.stream().distinct().toList();
  }
}
