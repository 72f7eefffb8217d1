package dev.loadgen.results.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chart as an HTML figure: a caption with title and key, and a drawing in SVG. Colours are CSS
 * variables of the page, so that one chart serves light, dark and paper. What is drawn later lies
 * above what was drawn before. Values are in the units of the axes; what lies outside an axis is
 * drawn at its end.
 */
final class Chart {
  /** Colours that people with any colour vision tell apart; further series use them again. */
  static final int COLOURS = 8;

  private static final int WIDTH = 460;
  private static final int HEIGHT = 232;
  private static final int LEFT = 46;
  private static final int RIGHT = 14;
  private static final int RIGHT_WITH_AXIS = 42;
  private static final int TOP = 24;
  private static final int BOTTOM = 40;
  private static final int LABEL_ROW = 14;
  private static final double LABEL_CHARACTER = 8;

  private final String title;
  private final Axis x;
  private final String xTitle;
  private final Axis y;
  private final String yTitle;
  private final @Nullable Axis second;
  private final String secondTitle;
  private final Html marks = new Html();
  private final Html cells = new Html();
  private final Html key = new Html();
  private final List<Marker> markers = new ArrayList<>();
  private final List<String> facts = new ArrayList<>();

  private Chart(
      String title,
      Axis x,
      String xTitle,
      Axis y,
      String yTitle,
      @Nullable Axis second,
      String secondTitle) {
    this.title = title;
    this.x = x;
    this.xTitle = xTitle;
    this.y = y;
    this.yTitle = yTitle;
    this.second = second;
    this.secondTitle = secondTitle;
  }

  /** A chart with one scale of values. */
  static Chart of(String title, Axis x, String xTitle, Axis y, String yTitle) {
    return new Chart(title, x, xTitle, y, yTitle, null, "");
  }

  /** A chart with a second scale of values at its right. */
  static Chart of(
      String title, Axis x, String xTitle, Axis y, String yTitle, Axis second, String secondTitle) {
    return new Chart(title, x, xTitle, y, yTitle, second, secondTitle);
  }

  /** A vertical line with a label at its upper end. */
  private record Marker(String label, double at, String style) {}

  /** What a colour stands for. */
  Chart key(int colour, String name) {
    key.open("span", "class", "swatch k" + colour(colour))
        .close("span")
        .element("span", name)
        .text(" ");
    return this;
  }

  /** A sentence or figure beside the key. */
  Chart fact(String text) {
    facts.add(text);
    return this;
  }

  /** Bars over equal parts of a range. */
  Chart bars(int colour, double begin, double end, double[] values) {
    double part = (end - begin) / values.length;
    marks.open("g", "class", "bar k" + colour(colour));
    for (int i = 0; i < values.length; i++) {
      if (values[i] > 0) {
        double from = px(begin + i * part);
        double top = Math.min(py(values[i]), base() - 0.8);
        marks.empty(
            "rect",
            "x",
            from,
            "y",
            top,
            "width",
            Math.max(0.5, px(begin + (i + 1) * part) - from - 0.8),
            "height",
            base() - top);
      }
    }
    marks.close("g");
    return this;
  }

  /** A line through points; NaN interrupts it, and a point without neighbours is a dot. */
  Chart line(int colour, double[] xs, double[] ys) {
    return path("k" + colour(colour), xs, ys, y);
  }

  /** A thin line, for one series of many. */
  Chart thinLine(int colour, double[] xs, double[] ys) {
    return path("thin k" + colour(colour), xs, ys, y);
  }

  /** A line on the second scale. */
  Chart secondLine(int colour, double[] xs, double[] ys) {
    return path("k" + colour(colour), xs, ys, second == null ? y : second);
  }

  private Chart path(String style, double[] xs, double[] ys, Axis scale) {
    StringBuilder path = new StringBuilder();
    StringBuilder alone = new StringBuilder();
    boolean gap = true;
    for (int i = 0; i < xs.length; i++) {
      if (!isPoint(xs, ys, i)) {
        gap = true;
        continue;
      }
      if (gap && !isPoint(xs, ys, i + 1)) {
        dot(alone, xs[i], ys[i], scale);
      } else {
        point(path, gap ? 'M' : 'L', xs[i], ys[i], scale);
      }
      gap = false;
    }
    if (!path.isEmpty()) {
      marks.empty("path", "class", "line " + style, "d", path);
    }
    if (!alone.isEmpty()) {
      marks.empty("path", "class", "dots " + style, "d", alone);
    }
    return this;
  }

  /** Horizontal steps over equal parts of a range that begins at 0. */
  Chart steps(int colour, double end, double[] values) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      double from = px(end * i / values.length);
      if (i == 0) {
        path.append('M').append(Html.coordinate(from)).append(' ');
        path.append(Html.coordinate(py(values[i])));
      } else {
        path.append('V').append(Html.coordinate(py(values[i])));
      }
      path.append('H').append(Html.coordinate(px(end * (i + 1) / values.length)));
    }
    marks.empty("path", "class", "line k" + colour(colour), "d", path);
    return this;
  }

  /** The area between two lines; NaN interrupts it. */
  Chart band(int colour, double[] xs, double[] low, double[] high) {
    StringBuilder path = new StringBuilder();
    int begin = 0;
    for (int i = 0; i <= xs.length; i++) {
      if (i < xs.length && Double.isFinite(low[i]) && Double.isFinite(high[i])) {
        continue;
      }
      for (int j = begin; j < i; j++) {
        point(path, j == begin ? 'M' : 'L', xs[j], high[j], y);
      }
      for (int j = i - 1; j >= begin; j--) {
        point(path, 'L', xs[j], low[j], y);
      }
      if (i > begin) {
        path.append('Z');
      }
      begin = i + 1;
    }
    if (!path.isEmpty()) {
      marks.empty("path", "class", "band k" + colour(colour), "d", path);
    }
    return this;
  }

  /** Single values. */
  Chart dots(int colour, double[] xs, double[] ys) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < xs.length; i++) {
      if (isPoint(xs, ys, i)) {
        dot(path, xs[i], ys[i], y);
      }
    }
    if (!path.isEmpty()) {
      marks.empty("path", "class", "dots k" + colour(colour), "d", path);
    }
    return this;
  }

  /** A vertical line at a percentile. */
  Chart percentile(String label, double at) {
    markers.add(new Marker(label, at, "mark"));
    return this;
  }

  /** A vertical line at a limit. */
  Chart limitAcross(String label, double at) {
    markers.add(new Marker(label, at, "limit"));
    return this;
  }

  /** A horizontal line at a limit. */
  Chart limit(String label, double at) {
    return level("limit", label, at);
  }

  /** A horizontal line at a mean. */
  Chart mean(String label, double at) {
    return level("mark", label, at);
  }

  private Chart level(String style, String label, double at) {
    double level = py(at);
    marks.empty(
        "line", "class", style, "x1", LEFT, "y1", level, "x2", WIDTH - right(), "y2", level);
    marks.element(
        "text",
        label,
        "class",
        style,
        "x",
        WIDTH - right() - 4,
        "y",
        level < TOP + LABEL_ROW ? level + 13 : level - 4,
        "text-anchor",
        "end");
    return this;
  }

  /** What a part of the x axis has to say when it is pointed at. */
  Chart cell(double from, double to, String text) {
    double start = px(from);
    cells
        .open(
            "rect",
            "x",
            start,
            "y",
            TOP,
            "width",
            Math.max(0.1, px(to) - start),
            "height",
            base() - TOP)
        .element("title", text)
        .markup("</rect>");
    return this;
  }

  String figure() {
    Html figure = new Html();
    figure.open("figure").open("figcaption").element("h3", title);
    if (!key.toString().isEmpty() || !facts.isEmpty()) {
      figure.open("p").markup(key.toString());
      figure.element("span", String.join(" · ", facts), "class", "facts").close("p");
    }
    figure.close("figcaption");
    figure.open(
        "svg",
        "viewBox",
        "0 0 " + WIDTH + " " + HEIGHT,
        "role",
        "img",
        "aria-label",
        facts.isEmpty() ? title : title + ": " + String.join(", ", facts));
    axes(figure);
    figure.markup(marks.toString());
    labels(figure);
    figure.open("g", "class", "cells").markup(cells.toString()).close("g");
    return figure.close("svg").close("figure").toString();
  }

  private void axes(Html svg) {
    for (double tick : y.ticks()) {
      double at = py(tick);
      svg.empty("line", "class", "grid", "x1", LEFT, "y1", at, "x2", WIDTH - right(), "y2", at);
      svg.element("text", y.label(tick), "x", LEFT - 7, "y", at + 4, "text-anchor", "end");
    }
    if (second != null) {
      for (double tick : second.ticks()) {
        double at = base() - second.position(tick) * (base() - TOP);
        svg.element("text", second.label(tick), "x", WIDTH - right() + 7, "y", at + 4);
      }
      svg.element("text", secondTitle, "x", WIDTH - 2, "y", 13, "text-anchor", "end");
    }
    for (double tick : x.ticks()) {
      double at = px(tick);
      svg.empty("line", "class", "axis", "x1", at, "y1", base(), "x2", at, "y2", base() + 4);
      svg.element("text", x.label(tick), "x", at, "y", base() + 18, "text-anchor", "middle");
    }
    svg.empty(
        "line", "class", "axis", "x1", LEFT, "y1", base(), "x2", WIDTH - right(), "y2", base());
    svg.element("text", xTitle, "x", WIDTH - right(), "y", HEIGHT - 5, "text-anchor", "end");
    svg.element("text", yTitle, "x", 2, "y", 13);
  }

  /** The labels of vertical lines, each in the first row in which it meets no other. */
  private void labels(Html svg) {
    List<Double> rowEnds = new ArrayList<>();
    for (Marker marker : markers.stream().sorted(Comparator.comparingDouble(Marker::at)).toList()) {
      double at = px(marker.at());
      double width = marker.label().length() * LABEL_CHARACTER;
      boolean before = at + width + 8 > WIDTH - right();
      double from = before ? at - width - 8 : at;
      int row = 0;
      while (row < rowEnds.size() && rowEnds.get(row) > from) {
        row++;
      }
      if (row == rowEnds.size()) {
        rowEnds.add(0.0);
      }
      rowEnds.set(row, from + width + 8);
      svg.empty("line", "class", marker.style(), "x1", at, "y1", TOP, "x2", at, "y2", base());
      svg.element(
          "text",
          marker.label(),
          "class",
          marker.style(),
          "x",
          before ? at - 4 : at + 4,
          "y",
          TOP + 11 + LABEL_ROW * row,
          "text-anchor",
          before ? "end" : "start");
    }
  }

  private static boolean isPoint(double[] xs, double[] ys, int i) {
    return i < xs.length && Double.isFinite(xs[i]) && Double.isFinite(ys[i]);
  }

  /** With round ends a line of no length is a dot. */
  private void dot(StringBuilder path, double atX, double atY, Axis scale) {
    point(path, 'M', atX, atY, scale);
    path.append("h0");
  }

  private void point(StringBuilder path, char command, double atX, double atY, Axis scale) {
    path.append(command).append(Html.coordinate(px(atX))).append(' ');
    path.append(Html.coordinate(base() - scale.position(atY) * (base() - TOP)));
  }

  private double px(double value) {
    return LEFT + x.position(value) * (WIDTH - LEFT - right());
  }

  private double py(double value) {
    return base() - y.position(value) * (base() - TOP);
  }

  private static double base() {
    return HEIGHT - BOTTOM;
  }

  private int right() {
    return second == null ? RIGHT : RIGHT_WITH_AXIS;
  }

  private static int colour(int colour) {
    return colour % COLOURS;
  }
}
