package dev.loadgen.datasets;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs a pickle's opcodes, protocols 0 to 5, into the values of {@link PickleValue}.
 *
 * <p>Written for untrusted and large files: a name off the list of {@link PickleGlobal} ends the
 * reading where it occurs, no memory is taken for bytes that the file does not hold, nothing
 * recurses, and lists of integers are compact from their first element on. The opcodes are those of
 * Python's {@code pickletools}.
 */
final class PickleDecoder {
  private static final int HIGHEST_PROTOCOL = 5;

  private final InputStream in;
  private final long bound;
  private final boolean exact;
  private long position;

  private final ArrayList<@Nullable Object> stack = new ArrayList<>();
  private int[] marks = new int[16];
  private int markCount;
  private final ArrayList<@Nullable Object> memo = new ArrayList<>();
  private final Map<Long, @Nullable Object> sparseMemo = new HashMap<>();

  /**
   * @param in buffered
   * @param bound most bytes that {@code in} can give
   * @param exact whether it gives so many, so that memory for them can be taken at once
   */
  PickleDecoder(InputStream in, long bound, boolean exact) {
    this.in = in;
    this.bound = bound;
    this.exact = exact;
  }

  /**
   * The object of the pickle, which must be all that the stream holds.
   *
   * @throws EOFException when the stream ends before the pickle
   * @throws InvalidContentException when it is no pickle, or not of plain data
   */
  @Nullable Object load() throws IOException {
    while (true) {
      int opcode = in.read();
      if (opcode < 0) {
        throw new EOFException();
      }
      position++;
      if (opcode == '.') {
        Object result = pop();
        if (!stack.isEmpty() || markCount > 0) {
          throw invalid("ends with unused values");
        }
        if (in.read() >= 0) {
          throw invalid("has more bytes after its end; write one object into one file");
        }
        return result;
      }
      step(opcode);
    }
  }

  private void step(int opcode) throws IOException {
    switch (opcode) {
      case 0x80 -> protocol();
      case 0x95 -> claim(int64());
      // stack and memo
      case '(' -> mark();
      case '0' -> popAny();
      case '1' -> popMark();
      case '2' -> push(peek());
      case 'p' -> put(decimal(line()));
      case 'q' -> put(uint8());
      case 'r' -> put(uint32());
      case 0x94 -> put(memo.size() + (long) sparseMemo.size());
      case 'g' -> get(decimal(line()));
      case 'h' -> get(uint8());
      case 'j' -> get(uint32());
      // scalars
      case 'N' -> push(null);
      case 0x88 -> push(true);
      case 0x89 -> push(false);
      case 'K' -> push((long) uint8());
      case 'M' -> push((long) uint16());
      case 'J' -> push((long) (int) uint32());
      case 'I' -> pushIntLine(line());
      case 'L' -> pushLongLine(line());
      case 0x8a -> push(littleEndian(bytes(uint8())));
      case 0x8b -> push(littleEndian(bytes(bounded(uint32(), 1 << 10))));
      case 'F' -> pushFloatLine(line());
      case 'G' -> push(Double.longBitsToDouble(Long.reverseBytes(int64())));
      // text and bytes
      case 'V' -> push(PickleText.rawUnicodeEscape(line()));
      case 'S' -> push(PickleText.quoted(line()));
      case 0x8c -> push(utf8(uint8()));
      case 'X', 'T' -> push(utf8(uint32()));
      case 'U' -> push(utf8(uint8()));
      case 0x8d -> push(utf8(int64()));
      case 'C' -> push(bytes(uint8()));
      case 'B' -> push(bytes(uint32()));
      case 0x8e, 0x96 -> push(bytes(int64()));
      case 0x98 -> {
        // a buffer becomes read-only: we never write into one
      }
      // containers
      case ']' -> push(new PickleValue.PyList());
      case 'l' -> push(newList(popToMark()));
      case 'a' -> append();
      case 'e' -> appends();
      case ')' -> push(new PickleValue.PyTuple(new Object[0]));
      case 't' -> push(new PickleValue.PyTuple(popToMark().toArray()));
      case 0x85 -> pushTuple(1);
      case 0x86 -> pushTuple(2);
      case 0x87 -> pushTuple(3);
      case '}' -> push(new PickleValue.PyDict());
      case 'd' -> push(newDict(popToMark()));
      case 's' -> setItem();
      case 'u' -> setItems();
      case 0x8f -> push(new PickleValue.PyList());
      case 0x91 -> push(newList(popToMark()));
      case 0x90 -> appends();
      // objects
      case 'c' -> push(PickleGlobal.named(line(), line()));
      case 0x93 -> stackGlobal();
      case 'R', 0x81 -> construct();
      case 'b' -> build();
      case 'i' -> throw PickleGlobal.refused(line() + "." + line());
      default ->
          throw invalid(
              "has the opcode 0x%02x, which data written by pandas or plain Python does not use"
                  .formatted(opcode));
    }
  }

  private InvalidContentException invalid(String problem) {
    return new InvalidContentException(
        "is not a valid pickle of data: at byte %d it %s".formatted(position, problem));
  }

  private void protocol() throws IOException {
    int protocol = uint8();
    if (protocol > HIGHEST_PROTOCOL) {
      throw invalid(
          "asks for protocol %d; write it with protocol %d or lower"
              .formatted(protocol, HIGHEST_PROTOCOL));
    }
  }

  // --- bytes

  private void claim(long length) throws IOException {
    if (length < 0 || length > bound - position) {
      throw new EOFException();
    }
  }

  private byte[] bytes(long length) throws IOException {
    claim(length);
    if (length > Integer.MAX_VALUE - 16) {
      throw invalid("holds a single value of " + length + " bytes");
    }
    byte[] bytes = exact ? new byte[(int) length] : in.readNBytes((int) length);
    if (bytes.length < length || (exact && in.readNBytes(bytes, 0, bytes.length) < length)) {
      throw new EOFException();
    }
    position += length;
    return bytes;
  }

  private int uint8() throws IOException {
    int value = in.read();
    if (value < 0) {
      throw new EOFException();
    }
    position++;
    return value;
  }

  private int uint16() throws IOException {
    return uint8() | uint8() << 8;
  }

  private long uint32() throws IOException {
    return uint16() | (long) uint16() << 16;
  }

  private long int64() throws IOException {
    return ByteBuffer.wrap(bytes(8)).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  private String line() throws IOException {
    byte[] line = new byte[32];
    int length = 0;
    for (int c = uint8(); c != '\n'; c = uint8()) {
      if (length == line.length) {
        line = Arrays.copyOf(line, length * 2);
      }
      line[length++] = (byte) c;
    }
    return new String(line, 0, length, StandardCharsets.ISO_8859_1);
  }

  private String utf8(long length) throws IOException {
    byte[] bytes = bytes(length);
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (text.indexOf('\ufffd') >= 0) {
      try {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      } catch (CharacterCodingException e) {
        throw invalid("has text that is not UTF-8");
      }
    }
    return text;
  }

  private long bounded(long value, long most) {
    if (value > most) {
      throw invalid("has an integer of " + value + " bytes");
    }
    return value;
  }

  // --- stack and memo

  private void push(@Nullable Object value) {
    stack.add(value);
  }

  private @Nullable Object pop() {
    checkAboveMark();
    return stack.removeLast();
  }

  private @Nullable Object peek() {
    checkAboveMark();
    return stack.getLast();
  }

  private void checkAboveMark() {
    if (stack.size() <= (markCount == 0 ? 0 : marks[markCount - 1])) {
      throw invalid("takes a value that was not put");
    }
  }

  private void mark() {
    if (markCount == marks.length) {
      marks = Arrays.copyOf(marks, markCount * 2);
    }
    marks[markCount++] = stack.size();
  }

  /** The values above the last mark, which is taken away with them; valid until the next opcode. */
  private List<@Nullable Object> popToMark() {
    List<@Nullable Object> top = aboveMark();
    ArrayList<@Nullable Object> values = new ArrayList<>(top);
    top.clear();
    markCount--;
    return values;
  }

  private List<@Nullable Object> aboveMark() {
    if (markCount == 0) {
      throw invalid("ends a group that was not begun");
    }
    return stack.subList(marks[markCount - 1], stack.size());
  }

  private void popMark() {
    aboveMark().clear();
    markCount--;
  }

  private void popAny() {
    if (markCount > 0 && marks[markCount - 1] == stack.size()) {
      markCount--;
    } else {
      var unused = pop();
    }
  }

  private void put(long key) {
    Object value = peek();
    if (key == memo.size()) {
      memo.add(value);
    } else if (key >= 0 && key < memo.size()) {
      memo.set((int) key, value);
    } else {
      sparseMemo.put(key, value);
    }
  }

  private void get(long key) {
    if (key >= 0 && key < memo.size()) {
      push(memo.get((int) key));
    } else if (sparseMemo.containsKey(key)) {
      push(sparseMemo.get(key));
    } else {
      throw invalid("refers to the object %d, which it has not".formatted(key));
    }
  }

  // --- scalars

  private long decimal(String line) {
    try {
      return Long.parseLong(line);
    } catch (NumberFormatException e) {
      throw invalid("has '%s' where a number belongs".formatted(CellWords.brief(line)));
    }
  }

  private void pushIntLine(String line) {
    switch (line) {
      case "00" -> push(false);
      case "01" -> push(true);
      default -> pushLongLine(line);
    }
  }

  private void pushLongLine(String line) {
    String digits = line.endsWith("L") ? line.substring(0, line.length() - 1) : line;
    if (digits.length() > DatasetBounds.DIGITS) {
      throw invalid("has an integer of %d digits".formatted(digits.length()));
    }
    try {
      push(narrow(new BigInteger(digits.strip())));
    } catch (NumberFormatException e) {
      throw invalid("has '%s' where an integer belongs".formatted(CellWords.brief(line)));
    }
  }

  private void pushFloatLine(String line) {
    try {
      push(
          switch (line.strip()) {
            case "inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "nan" -> Double.NaN;
            default -> Double.parseDouble(line);
          });
    } catch (NumberFormatException e) {
      throw invalid("has '%s' where a number belongs".formatted(CellWords.brief(line)));
    }
  }

  private static Object littleEndian(byte[] bytes) {
    byte[] reversed = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      reversed[i] = bytes[bytes.length - 1 - i];
    }
    return bytes.length == 0 ? 0L : narrow(new BigInteger(reversed));
  }

  private static Object narrow(BigInteger integer) {
    return integer.bitLength() < Long.SIZE ? (Object) integer.longValue() : integer;
  }

  // --- containers

  private static PickleValue.PyList newList(List<@Nullable Object> values) {
    PickleValue.PyList list = new PickleValue.PyList();
    values.forEach(list::add);
    return list;
  }

  private void append() {
    Object value = pop();
    list().add(value);
  }

  private void appends() {
    List<@Nullable Object> values = aboveMark();
    int mark = marks[markCount - 1];
    markCount--;
    // the list is below the mark; its values are taken from the stack without a copy
    int floor = markCount == 0 ? 0 : marks[markCount - 1];
    if (mark <= floor || !(stack.get(mark - 1) instanceof PickleValue.PyList list)) {
      throw invalid("appends to what is not a list");
    }
    list.reserve(values.size());
    values.forEach(list::add);
    values.clear();
  }

  private PickleValue.PyList list() {
    if (peek() instanceof PickleValue.PyList list) {
      return list;
    }
    throw invalid("appends to what is not a list");
  }

  private void pushTuple(int size) {
    @Nullable Object[] values = new Object[size];
    for (int i = size - 1; i >= 0; i--) {
      values[i] = pop();
    }
    push(new PickleValue.PyTuple(values));
  }

  private PickleValue.PyDict newDict(List<@Nullable Object> keysAndValues) {
    PickleValue.PyDict dict = new PickleValue.PyDict();
    putAll(dict, keysAndValues);
    return dict;
  }

  private void putAll(PickleValue.PyDict dict, List<@Nullable Object> keysAndValues) {
    if (keysAndValues.size() % 2 != 0) {
      throw invalid("has a name without a value");
    }
    for (int i = 0; i < keysAndValues.size(); i += 2) {
      dict.put(keysAndValues.get(i), keysAndValues.get(i + 1));
    }
  }

  private void setItem() {
    Object value = pop();
    Object key = pop();
    dict().put(key, value);
  }

  private void setItems() {
    List<@Nullable Object> keysAndValues = popToMark();
    putAll(dict(), keysAndValues);
  }

  private PickleValue.PyDict dict() {
    if (peek() instanceof PickleValue.PyDict dict) {
      return dict;
    }
    throw invalid("sets names of what is not a dict");
  }

  // --- objects

  private void stackGlobal() {
    Object name = pop();
    Object module = pop();
    if (!(name instanceof String nameText) || !(module instanceof String moduleText)) {
      throw invalid("names a class by what is not text");
    }
    push(PickleGlobal.named(moduleText, nameText));
  }

  private void construct() {
    Object args = pop();
    Object callable = pop();
    if (!(callable instanceof PickleGlobal global)
        || !(args instanceof PickleValue.PyTuple tuple)) {
      throw invalid("calls what is not a class");
    }
    push(PickleObjects.construct(global, tuple));
  }

  private void build() {
    Object state = pop();
    if (!(peek() instanceof PickleValue.Stateful target)) {
      throw invalid("sets the state of what has none");
    }
    target.setState(state);
  }
}
