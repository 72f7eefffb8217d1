package dev.loadgen.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Changes of inputs by chance: of bytes, of text, of lines and of JSON. A changed input is little
 * longer than 64 KiB at most, or than it was.
 */
public final class Mutations {
  /** What an input may grow to. */
  private static final int LONGEST = 64 << 10;

  private static final int[] REPEATS = {1, 1, 1, 2, 3, 10, 100, 1_000, 10_000};

  private static final long[] NUMBERS = {
    0,
    1,
    -1,
    2,
    7,
    64,
    127,
    128,
    255,
    256,
    1_000,
    32_767,
    32_768,
    65_535,
    65_536,
    0x7fff_ffff,
    0x8000_0000L,
    0xffff_ffffL,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private static final List<String> ODD_TEXTS =
      List.of(
          "",
          " ",
          "\0",
          "\ufeff",
          "\ud800",
          "\udc00x",
          "\ud83d\ude00",
          "\u202e",
          "\u0130ſ\u212a",
          "\r",
          "\r\n",
          "\u2028",
          "'",
          "\"",
          "\\",
          "\\u",
          "%s%n",
          "../../..",
          "/",
          "${x}",
          "null",
          "-",
          ".",
          ",",
          ":",
          ";",
          "NaN",
          "1e999",
          "\u0663\u0664");

  private static final List<String> ODD_NUMBERS =
      List.of(
          "0",
          "-0",
          "1",
          "-1",
          "0.5",
          "-0.0",
          "1e0",
          "1e308",
          "1e309",
          "-1e-400",
          "1e999999999",
          "2147483647",
          "2147483648",
          "-2147483649",
          "4294967296",
          "9007199254740993",
          "9223372036854775807",
          "9223372036854775808",
          "18446744073709551616",
          "9".repeat(40),
          "9".repeat(1_001),
          "01",
          "1.",
          ".5",
          "NaN",
          "-Infinity");

  private static final List<String> ODD_VALUES =
      List.of(
          "null",
          "true",
          "false",
          "\"\"",
          "\"a\"",
          "\"\\ud83d\\ude00\"",
          "\"\\ud800\"",
          "\"\\u0000\"",
          "\"1\"",
          "\"true\"",
          "[]",
          "[null]",
          "[[]]",
          "[0,\"a\",null,{}]",
          "[1,2,3]",
          "{}",
          "{\"a\":1}",
          "{\"\":null}",
          "[{\"a\":[{}]}]");

  private static final List<String> ODD_NAMES =
      List.of(
          "\"\"",
          "\"a\"",
          "\"\\ud83d\\ude00\"",
          "\"\\u0061\"",
          "\"\\ud800\"",
          "\"0\"",
          "\"a.b/c d\"",
          "\"schema\"",
          "\"data\"");

  private final SplittableRandom random;

  Mutations(SplittableRandom random) {
    this.random = random;
  }

  /** A number from 0 up to, and without, {@code bound}. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** True once in {@code times} times. */
  public boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  /** One of a list. */
  public <T> T oneOf(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  /** One of these. */
  @SafeVarargs
  public final <T> T oneOf(T... values) {
    return values[random.nextInt(values.length)];
  }

  /** A number at an edge of some type, or any small one. */
  public long number() {
    return oneIn(3) ? random.nextInt(300) : NUMBERS[random.nextInt(NUMBERS.length)];
  }

  /** A number as text, seldom a usual one. */
  public String numeral() {
    return oneIn(3) ? Long.toString(number()) : oneOf(ODD_NUMBERS);
  }

  /** A JSON value that nobody expects. */
  public String value() {
    return switch (below(8)) {
      case 0, 1, 2 -> numeral();
      case 3 -> "[".repeat(REPEATS[below(8)]);
      case 4 -> nested(oneOf(ODD_VALUES));
      default -> oneOf(ODD_VALUES);
    };
  }

  private String nested(String value) {
    int depth = REPEATS[below(8)];
    return oneIn(2)
        ? "[".repeat(depth) + value + "]".repeat(depth)
        : "{\"a\":".repeat(depth) + value + "}".repeat(depth);
  }

  /** Changes one to four places. */
  public byte[] bytes(byte[] input) {
    return bytes(input, 0, input.length);
  }

  /** Changes one to four places from {@code from} up to, and without, {@code to}. */
  public byte[] bytes(byte[] input, int from, int to) {
    byte[] changed = input;
    for (int edits = 1 + below(4); edits > 0; edits--) {
      int end = Math.clamp(to + (long) changed.length - input.length, 0, changed.length);
      changed = edit(changed, Math.min(from, end), end);
    }
    return changed;
  }

  private byte[] edit(byte[] input, int from, int to) {
    if (from >= to) {
      return splice(input, from, from, new byte[] {(byte) below(256)});
    }
    int at = from + below(to - from);
    int end = at + 1 + below(Math.min(to - at, oneIn(4) ? to - at : 16));
    return switch (below(12)) {
      case 0, 1 -> {
        byte[] changed = input.clone();
        changed[at] ^= (byte) (1 << below(8));
        yield changed;
      }
      case 2, 3 -> {
        byte[] changed = input.clone();
        changed[at] = (byte) (oneIn(2) ? below(256) : number());
        yield changed;
      }
      case 4, 5 -> number(input, at, to);
      case 6 -> splice(input, at, end, new byte[0]);
      case 7 -> splice(input, at, at, new byte[] {(byte) below(256)});
      case 8 -> splice(input, at, at, repeated(Arrays.copyOfRange(input, at, end)));
      case 9 -> {
        int other = from + below(to - from);
        yield splice(
            input, other, Math.min(to, other + end - at), Arrays.copyOfRange(input, at, end));
      }
      case 10 -> {
        byte[] changed = input.clone();
        Arrays.fill(changed, at, end, (byte) number());
        yield changed;
      }
      default -> oneIn(3) ? Arrays.copyOf(input, at) : splice(input, at, end, new byte[end - at]);
    };
  }

  private byte[] number(byte[] input, int at, int to) {
    byte[] number =
        ByteBuffer.allocate(Long.BYTES)
            .order(oneIn(4) ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN)
            .putLong(number())
            .array();
    int width = Math.min(1 << below(4), to - at);
    byte[] changed = input.clone();
    System.arraycopy(number, 0, changed, at, width);
    return changed;
  }

  private byte[] repeated(byte[] part) {
    int times = Math.min(REPEATS[below(REPEATS.length)], Math.max(1, LONGEST / part.length));
    byte[] all = new byte[part.length * times];
    for (int i = 0; i < times; i++) {
      System.arraycopy(part, 0, all, i * part.length, part.length);
    }
    return all;
  }

  private static byte[] splice(byte[] input, int from, int to, byte[] part) {
    byte[] changed = new byte[from + part.length + input.length - to];
    System.arraycopy(input, 0, changed, 0, from);
    System.arraycopy(part, 0, changed, from, part.length);
    System.arraycopy(input, to, changed, from + part.length, input.length - to);
    return changed;
  }

  /** Changes one to three places of a text. */
  public String text(String text) {
    String changed = text;
    for (int edits = 1 + below(3); edits > 0; edits--) {
      int at = below(changed.length() + 1);
      int end = Math.min(changed.length(), at + below(oneIn(4) ? 40 : 4));
      String part = changed.substring(at, end);
      changed =
          changed.substring(0, at)
              + switch (below(8)) {
                case 0 -> "";
                case 1 -> numeral();
                case 2 -> part + part;
                case 3 -> (part.isEmpty() ? "a" : part).repeat(times(Math.max(1, part.length())));
                case 4 -> Character.toString(below(0x250)) + part;
                case 5 -> part + Character.toString(below(Character.MAX_CODE_POINT + 1));
                case 6 -> part.toUpperCase(java.util.Locale.ROOT);
                default -> oneOf(ODD_TEXTS) + (oneIn(2) ? part : "");
              }
              + changed.substring(end);
    }
    return oneIn(20) ? changed.substring(0, below(changed.length() + 1)) : changed;
  }

  private int times(int length) {
    return Math.min(REPEATS[below(REPEATS.length)], Math.max(1, LONGEST / length));
  }

  /** Changes the lines of a text: some are lost, doubled, moved, cut, joined or changed. */
  public String lines(String text) {
    List<String> lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
    for (int edits = 1 + below(4); edits > 0 && !lines.isEmpty(); edits--) {
      int at = below(lines.size());
      String line = lines.get(at);
      switch (below(8)) {
        case 0 -> lines.remove(at);
        case 1 -> lines.add(at, line);
        case 2 -> lines.add(below(lines.size()), lines.remove(at));
        case 3 -> lines.set(at, line.substring(0, below(line.length() + 1)));
        case 4 -> lines.set(at, line + (at + 1 < lines.size() ? lines.remove(at + 1) : ""));
        case 5 -> lines.set(at, " ".repeat(below(6)) + line.strip());
        default -> lines.set(at, text(line));
      }
    }
    return String.join(oneIn(20) ? "\r\n" : "\n", lines);
  }

  /**
   * Changes one to three values, names or brackets of a JSON document, or of what is nearly one.
   */
  public String json(String document) {
    String changed = document;
    for (int edits = 1 + below(3); edits > 0; edits--) {
      changed = oneIn(12) ? text(changed) : new JsonEdit(changed, this).apply();
    }
    return changed;
  }

  /** The same in UTF-8, of which a byte may be changed as well. */
  public byte[] json(byte[] document) {
    byte[] changed =
        json(new String(document, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    return oneIn(16) ? bytes(changed) : changed;
  }

  /** The name of a member, in quotes. */
  String name() {
    return oneOf(ODD_NAMES);
  }

  /** Brackets or members around a value. */
  String around(String value) {
    return value.length() > LONGEST ? value : nested(value);
  }

  /** How often something of this length may be repeated. */
  int repeats(int length) {
    return times(Math.max(1, length));
  }
}
