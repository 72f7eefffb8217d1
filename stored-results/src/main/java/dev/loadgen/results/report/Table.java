package dev.loadgen.results.report;

import java.util.Arrays;
import java.util.List;

/** A table whose first column names its rows. A column whose heading ends with a tab is text. */
final class Table {
  private final Html html = new Html();
  private final List<Boolean> text;

  Table(String... columns) {
    text = Arrays.stream(columns).map(column -> column.endsWith("\t")).toList();
    html.open("div", "class", "scroll").open("table").open("thead").open("tr");
    for (String column : columns) {
      if (column.endsWith("\t")) {
        html.element("th", column.strip(), "scope", "col", "class", "text");
      } else {
        html.element("th", column, "scope", "col");
      }
    }
    html.close("tr").close("thead").open("tbody");
  }

  /** A row; a cell's text may begin with {@link #GOOD}, {@link #BAD} or {@link #OPEN}. */
  Table row(String name, String... cells) {
    html.open("tr").element("th", name, "scope", "row");
    for (int i = 0; i < cells.length; i++) {
      if (i + 1 < text.size() && text.get(i + 1)) {
        html.element("td", cells[i], "class", "text");
      } else if (cells[i].startsWith(GOOD)) {
        html.element("td", cells[i], "class", "good");
      } else if (cells[i].startsWith(BAD)) {
        html.element("td", cells[i], "class", "bad");
      } else if (cells[i].startsWith(OPEN)) {
        html.element("td", cells[i], "class", "open");
      } else {
        html.element("td", cells[i]);
      }
    }
    html.close("tr");
    return this;
  }

  /** Begins a cell that tells something good; a sign, since not everybody sees its colour. */
  static final String GOOD = "✓ ";

  /** Begins a cell that tells something bad. */
  static final String BAD = "✗ ";

  /** Begins a cell that tells something undecided. */
  static final String OPEN = "? ";

  @Override
  public String toString() {
    return html + "</tbody></table></div>\n";
  }
}
