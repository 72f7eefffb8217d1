package dev.loadgen.runner.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A chart as SVG. Colours are CSS variables of the page, so that one chart serves light, dark and
 * paper.
 */
final class Chart {
  private static final int WIDTH = 560;
  private static final int HEIGHT = 260;
  private static final int LEFT = 64;
  private static final int RIGHT = 16;
  private static final int TOP = 34;
  private static final int BOTTOM = 44;

  private final String title;
  private final String xTitle;
  private final String yTitle;
  private final List<Plot> series = new ArrayList<>();
  private final List<Marker> markers = new ArrayList<>();

  Chart(String title, String xTitle, String yTitle) {
    this.title = title;
    this.xTitle = xTitle;
    this.yTitle = yTitle;
  }

  /** How points are drawn. */
  enum Style {
    LINE,
    STEP,
    DOTS
  }

  /** A point; both values are 0 or more. */
  record Point(double x, double y) {}

  private record Plot(String name, Style style, List<Point> points) {}

  private record Marker(String name, double x) {}

  Chart with(String name, Style style, List<Point> points) {
    series.add(new Plot(name, style, points));
    return this;
  }

  /** A vertical line with a label. */
  Chart marked(String name, double x) {
    markers.add(new Marker(name, x));
    return this;
  }

  String svg() {
    Axis x =
        Axis.upTo(
            Math.max(
                series.stream()
                    .flatMap(s -> s.points().stream())
                    .mapToDouble(Point::x)
                    .max()
                    .orElse(0),
                markers.stream().mapToDouble(Marker::x).max().orElse(0)));
    Axis y =
        Axis.upTo(
            series.stream()
                .flatMap(s -> s.points().stream())
                .mapToDouble(Point::y)
                .max()
                .orElse(0));
    StringBuilder svg = new StringBuilder();
    svg.append(
        text(
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" xmlns=\"http://www.w3.org/2000/svg\">%n",
            WIDTH, HEIGHT, Html.escaped(title)));
    svg.append(
        text("<text class=\"title\" x=\"%d\" y=\"18\">%s</text>%n", LEFT, Html.escaped(title)));
    axes(svg, x, y);
    for (int i = 0; i < series.size(); i++) {
      draw(svg, series.get(i), i + 1, x, y);
    }
    legend(svg);
    for (int i = 0; i < markers.size(); i++) {
      Marker marker = markers.get(i);
      double at = px(x, marker.x());
      svg.append(
          text(
              "<line class=\"marker\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
              at, TOP, at, HEIGHT - BOTTOM));
      boolean left = at > WIDTH - 120;
      svg.append(
          text(
              "<text class=\"mark\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>%n",
              left ? at - 4 : at + 4,
              TOP + 12 + 13 * i,
              left ? "end" : "start",
              Html.escaped(marker.name())));
    }
    return svg.append("</svg>\n").toString();
  }

  private void axes(StringBuilder svg, Axis x, Axis y) {
    for (double tick : y.ticks()) {
      double at = py(y, tick);
      svg.append(
          text(
              "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>",
              LEFT, at, WIDTH - RIGHT, at));
      svg.append(
          text(
              "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
              LEFT - 6, at + 4, y.label(tick)));
    }
    for (double tick : x.ticks()) {
      double at = px(x, tick);
      svg.append(
          text(
              "<line class=\"axis\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
              at, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 4));
      svg.append(
          text(
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
              at, HEIGHT - BOTTOM + 17, x.label(tick)));
    }
    svg.append(
        text(
            "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
            LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM));
    svg.append(
        text(
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n",
            WIDTH - RIGHT, HEIGHT - 8, Html.escaped(xTitle)));
    svg.append(
        text(
            "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>%n",
            (TOP + HEIGHT - BOTTOM) / 2, Html.escaped(yTitle)));
  }

  private static void draw(StringBuilder svg, Plot s, int colour, Axis x, Axis y) {
    if (s.style() == Style.DOTS) {
      svg.append(text("<g class=\"dots c%d\">", colour));
      for (Point p : s.points()) {
        svg.append(text("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.6\"/>", px(x, p.x()), py(y, p.y())));
      }
      svg.append("</g>\n");
      return;
    }
    StringBuilder path = new StringBuilder();
    for (Point p : s.points()) {
      if (path.isEmpty()) {
        path.append(text("M%.1f %.1f", px(x, p.x()), py(y, p.y())));
      } else if (s.style() == Style.STEP) {
        path.append(text("H%.1fV%.1f", px(x, p.x()), py(y, p.y())));
      } else {
        path.append(text("L%.1f %.1f", px(x, p.x()), py(y, p.y())));
      }
    }
    svg.append(text("<path class=\"line c%d\" d=\"%s\"/>%n", colour, path));
  }

  private void legend(StringBuilder svg) {
    if (series.size() < 2) {
      return;
    }
    double at = WIDTH - RIGHT;
    for (int i = series.size() - 1; i >= 0; i--) {
      String name = series.get(i).name();
      svg.append(
          text(
              "<text class=\"c%d key\" x=\"%.0f\" y=\"18\" text-anchor=\"end\">%s</text>%n",
              i + 1, at, Html.escaped(name)));
      at -= 7.2 * name.length() + 14;
    }
  }

  private static double px(Axis axis, double value) {
    return LEFT + value / axis.max() * (WIDTH - LEFT - RIGHT);
  }

  private static double py(Axis axis, double value) {
    return HEIGHT - BOTTOM - value / axis.max() * (HEIGHT - TOP - BOTTOM);
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
