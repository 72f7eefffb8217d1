package dev.loadgen.datasets;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects a table from a reader, either row by row ({@link #put}, {@link #endRow}) or column by
 * column ({@link #column}). Values are those that {@link Dataset#value} documents.
 */
final class TableBuilder {
  /** The column of a file that names none. */
  static final String UNNAMED = "value";

  private final Map<String, ColumnBuilder> columns = new LinkedHashMap<>();
  private final long most;
  private long cells;
  private int rows;
  private boolean byColumn;

  /**
   * A table without columns.
   *
   * @param bytes of the file, which bound the cells that it is believed to have
   */
  TableBuilder(long bytes) {
    most = Math.max(DatasetBounds.TABLE_CELLS, bytes * DatasetBounds.CELLS_PER_BYTE);
  }

  final class ColumnBuilder {
    private final List<@Nullable Object> values;

    private ColumnBuilder(List<@Nullable Object> values) {
      this.values = values;
    }

    void append(@Nullable Object value) {
      DatasetBounds.checkRows(values.size() + 1L);
      take(1);
      // pandas writes a missing value of a numeric or object column as NaN
      values.add(value instanceof Double number && number.isNaN() ? null : value);
    }

    int size() {
      return values.size();
    }
  }

  /** Sets a cell of the current row. */
  void put(String name, @Nullable Object value) {
    ColumnBuilder column =
        columns.computeIfAbsent(name, unused -> new ColumnBuilder(new ArrayList<>()));
    DatasetBounds.checkColumns(columns.size());
    if (column.size() > rows) {
      throw new InvalidContentException(
          "row " + rows + " has the column '" + name + "' twice; give each column one name");
    }
    padTo(column, rows);
    column.append(value);
  }

  private void take(long more) {
    cells += more;
    if (cells > most) {
      throw new InvalidContentException(
          ("has more than %d cells, which is more than a file of its size can hold; the file is"
                  + " damaged or is not a dataset")
              .formatted(most));
    }
  }

  /** Ends the current row; columns that it lacks are null in it. */
  void endRow() {
    rows++;
    DatasetBounds.checkRows(rows);
  }

  /** Rows that are complete. */
  int rows() {
    return rows;
  }

  /** A new column, to be filled by the caller; all must get the same length. */
  ColumnBuilder column(String name) {
    return column(name, new ArrayList<>());
  }

  /** A column whose values are there, or are made when they are requested. */
  void readOnlyColumn(String name, List<@Nullable Object> values) {
    DatasetBounds.checkRows(values.size());
    column(name, values);
  }

  private ColumnBuilder column(String name, List<@Nullable Object> values) {
    byColumn = true;
    DatasetBounds.checkColumns(columns.size() + 1L);
    ColumnBuilder column = new ColumnBuilder(values);
    if (columns.putIfAbsent(name, column) != null) {
      throw new InvalidContentException(
          "has the column '" + name + "' twice; give each column its own name");
    }
    return column;
  }

  /** Forgets a column, if it is there. */
  void leaveOut(String name) {
    columns.remove(name);
  }

  Set<String> names() {
    return columns.keySet();
  }

  /** The columns, whose lengths are equal, in the order of the file. The builder is used up. */
  Map<String, List<@Nullable Object>> build() {
    if (byColumn) {
      checkLengths();
    }
    Map<String, List<@Nullable Object>> table = new LinkedHashMap<>();
    columns.forEach(
        (name, column) -> {
          if (!byColumn) {
            padTo(column, rows);
          }
          if (column.values instanceof ArrayList<?> list) {
            list.trimToSize();
          }
          table.put(name, column.values);
        });
    return table;
  }

  /** The columns, whatever their lengths, after which another table can be built. */
  Map<String, List<@Nullable Object>> take() {
    Map<String, List<@Nullable Object>> table = new LinkedHashMap<>();
    columns.forEach((name, column) -> table.put(name, column.values));
    columns.clear();
    cells = 0;
    rows = 0;
    byColumn = false;
    return table;
  }

  private void checkLengths() {
    String firstName = null;
    int length = 0;
    for (Map.Entry<String, ColumnBuilder> entry : columns.entrySet()) {
      int size = entry.getValue().size();
      if (firstName == null) {
        firstName = entry.getKey();
        length = size;
      } else if (size != length) {
        throw new InvalidContentException(
            "column '%s' has %d rows, but column '%s' has %d; write all columns with one length"
                .formatted(entry.getKey(), size, firstName, length));
      }
    }
  }

  private void padTo(ColumnBuilder column, int size) {
    if (cells + size - column.size() > most) {
      throw new InvalidContentException(
          "has %d rows, but its rows have few of its %d columns; write what differs from row to row into one column, as objects"
              .formatted(rows, columns.size()));
    }
    while (column.size() < size) {
      column.append(null);
    }
  }
}
