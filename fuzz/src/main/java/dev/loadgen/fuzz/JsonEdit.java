package dev.loadgen.fuzz;

import java.util.ArrayList;
import java.util.List;

/**
 * One change of a JSON document by its structure. What is not quite JSON is divided as well as it
 * goes, since one change follows another.
 */
final class JsonEdit {
  private final String text;
  private final Mutations chance;

  /** A value, and where its member or element begins: at its name, if it has one. */
  private record Span(int start, int from, int to) {}

  private record Open(int start, int from) {}

  private final List<Span> values = new ArrayList<>();
  private final List<Span> names = new ArrayList<>();

  JsonEdit(String text, Mutations chance) {
    this.text = text;
    this.chance = chance;
    divide();
  }

  private void divide() {
    List<Open> open = new ArrayList<>();
    int start = -1;
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      int from = at;
      switch (c) {
        case '{', '[' -> {
          open.add(new Open(start < 0 ? at : start, at));
          start = -1;
          at++;
        }
        case '}', ']' -> {
          at++;
          start = -1;
          if (!open.isEmpty()) {
            Open begun = open.removeLast();
            values.add(new Span(begun.start(), begun.from(), at));
          }
        }
        case ',' -> {
          at++;
          start = -1;
        }
        case ':' -> at++;
        default -> {
          if (c <= ' ') {
            at++;
            continue;
          }
          at = c == '"' ? afterString(at) : afterWord(at);
          if (c == '"' && isName(at)) {
            start = from;
            names.add(new Span(from, from, at));
          } else {
            values.add(new Span(start < 0 ? from : start, from, at));
            start = -1;
          }
        }
      }
    }
  }

  private int afterString(int quote) {
    int at = quote + 1;
    while (at < text.length() && text.charAt(at) != '"') {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(at + 1, text.length());
  }

  private int afterWord(int from) {
    int at = from;
    while (at < text.length() && "{}[],:\" \n\r\t".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return Math.max(at, from + 1);
  }

  private boolean isName(int after) {
    int at = after;
    while (at < text.length() && text.charAt(at) <= ' ') {
      at++;
    }
    return at < text.length() && text.charAt(at) == ':';
  }

  String apply() {
    if (values.isEmpty()) {
      return chance.text(text);
    }
    Span one = chance.oneOf(values);
    return switch (chance.below(12)) {
      case 0, 1, 2 -> replaced(one, chance.value());
      case 3, 4 -> replaced(one, value(chance.oneOf(values)));
      case 5 -> replaced(one, chance.around(value(one)));
      case 6, 7 -> without(one);
      case 8 -> doubled(one);
      case 9 -> names.isEmpty() ? without(one) : renamed(chance.oneOf(names));
      case 10 -> string(one);
      default -> chance.oneIn(3) ? text.substring(0, one.to()) : replaced(one, chance.value());
    };
  }

  private String value(Span span) {
    return text.substring(span.from(), span.to());
  }

  private String replaced(Span span, String value) {
    return text.substring(0, span.from()) + value + text.substring(span.to());
  }

  private String without(Span span) {
    int from = span.start();
    int to = span.to();
    if (to < text.length() && text.charAt(to) == ',') {
      to++;
    } else if (from > 0 && text.charAt(from - 1) == ',') {
      from--;
    }
    return text.substring(0, from) + text.substring(to);
  }

  private String doubled(Span span) {
    String again = "," + text.substring(span.start(), span.to());
    return text.substring(0, span.to())
        + again.repeat(chance.repeats(again.length()))
        + text.substring(span.to());
  }

  private String renamed(Span span) {
    return replaced(span, chance.oneIn(2) ? chance.name() : value(chance.oneOf(names)));
  }

  /** Changes what is between the quotes, or puts quotes around what has none. */
  private String string(Span span) {
    String value = value(span);
    return value.length() > 1 && value.startsWith("\"")
        ? replaced(span, "\"" + chance.text(value.substring(1, value.length() - 1)) + "\"")
        : value.startsWith("{") || value.startsWith("[")
            ? replaced(span, chance.value())
            : replaced(span, "\"" + value + "\"");
  }
}
