package dev.loadgen.commands.console;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns that line up. */
public final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  /** Adds a row; a row may have fewer cells than others. */
  public TextTable row(List<String> cells) {
    rows.add(List.copyOf(cells));
    return this;
  }

  /** Adds a row. */
  public TextTable row(String... cells) {
    return row(List.of(cells));
  }

  /** Prints each row on a line, after so many blanks. */
  public void print(PrintWriter out, int indent) {
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder(" ".repeat(indent));
      for (int column = 0; column < row.size(); column++) {
        String cell = row.get(column);
        line.append(cell).append(" ".repeat(width(column) - cell.length() + 2));
      }
      out.println(line.toString().stripTrailing());
    }
  }

  private int width(int column) {
    return rows.stream()
        .filter(row -> row.size() > column)
        .mapToInt(row -> row.get(column).length())
        .max()
        .orElse(0);
  }
}
