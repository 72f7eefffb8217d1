package dev.loadgen.datasets;

import dev.loadgen.datasets.PickleObjects.Frame;
import dev.loadgen.datasets.PickleValue.PyDict;
import dev.loadgen.datasets.PickleValue.PyList;
import dev.loadgen.datasets.PickleValue.PyTuple;
import dev.loadgen.datasets.TableBuilder.ColumnBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a pickle of plain data: a DataFrame or Series of pandas 1.5 to 3.x, a list of dicts, a dict
 * of lists, a list of lists or of text, or a two-dimensional NumPy array. No Python runs and no
 * class is looked up: see {@link PickleGlobal}.
 */
final class PickleDatasetReader implements DatasetReader {
  @Override
  public void read(DatasetFile file, TableBuilder table) throws IOException {
    Object root;
    try (InputStream content = file.content()) {
      root = new PickleDecoder(content, file.contentBound(), !file.gzip()).load();
    }
    switch (root) {
      case Frame frame -> PandasTable.read(frame, table);
      case PyDict dict -> readColumns(dict, table);
      case PyList list -> readRows(PickleObjects.values(list), table);
      case PyTuple tuple -> readRows(PickleObjects.values(tuple), table);
      case NumpyArray array when array.dimensions() > 0 ->
          appendRows(array, table.column(TableBuilder.UNNAMED));
      case null, default ->
          throw new InvalidContentException(
              "is a pickle of a single value, not of a DataFrame, a list of dicts or a dict of lists");
    }
  }

  private static void readRows(List<@Nullable Object> rows, TableBuilder table) {
    Class<?> kind = null;
    for (Object row : rows) {
      if (kind != null && !kind.isInstance(row)) {
        throw new InvalidContentException(
            "row %d is of another kind than the rows before it; make all rows dicts"
                .formatted(table.rows()));
      }
      switch (row) {
        case PyDict dict -> {
          kind = PyDict.class;
          for (Map.Entry<@Nullable Object, @Nullable Object> entry : dict.values().entrySet()) {
            table.put(String.valueOf(entry.getKey()), PickleValue.cell(entry.getValue(), 0));
          }
        }
        case String text -> {
          kind = String.class;
          table.put(TableBuilder.UNNAMED, text);
        }
        case PickleValue list -> {
          kind = list.getClass();
          table.put(TableBuilder.UNNAMED, list.cell(0));
        }
        case null, default ->
            throw new InvalidContentException(
                "row %d is not a dict with the columns as keys".formatted(table.rows()));
      }
      table.endRow();
    }
  }

  private static void readColumns(PyDict dict, TableBuilder table) {
    for (Map.Entry<@Nullable Object, @Nullable Object> entry : dict.values().entrySet()) {
      String name = String.valueOf(entry.getKey());
      switch (entry.getValue()) {
        case PyList list -> append(PickleObjects.values(list), table.column(name));
        case PyTuple tuple -> append(PickleObjects.values(tuple), table.column(name));
        case NumpyArray array when array.dimensions() > 0 -> appendRows(array, table.column(name));
        case null, default ->
            throw new InvalidContentException(
                "key '%s' is not a list of a column's rows; write a dict of lists, or a list of dicts"
                    .formatted(CellWords.brief(name)));
      }
    }
  }

  private static void append(List<@Nullable Object> values, ColumnBuilder column) {
    for (Object value : values) {
      column.append(PickleValue.cell(value, 0));
    }
  }

  /** Appends each element along the first axis of an array that has one. */
  static void appendRows(NumpyArray array, ColumnBuilder column) {
    DatasetBounds.checkRows(array.length());
    for (int row = 0; row < array.length(); row++) {
      column.append(array.element(row, 0));
    }
  }
}
