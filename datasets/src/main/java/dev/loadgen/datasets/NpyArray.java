package dev.loadgen.datasets;

import dev.loadgen.datasets.TableBuilder.ColumnBuilder;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One array in NumPy's file format, versions 1 to 3 (numpy.lib.format). Rows are decoded as they
 * are read, so that no values are held twice. Arrays of objects are pickles, and read as such.
 */
final class NpyArray {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int LONGEST_HEADER = 1 << 16;
  private static final Pattern TYPE = Pattern.compile("'descr'\\s*:\\s*'([^']*)'");
  private static final Pattern FORTRAN = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
  private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([^)]*)\\)");
  private static final Pattern LENGTHS =
      Pattern.compile("\\d{1,18}L?\\s*(?:,\\s*\\d{1,18}L?\\s*){0,31},?");
  private static final Pattern LENGTH = Pattern.compile("\\d+");

  private final InputStream in;
  private final NumpyType type;
  private final boolean fortran;

  /** Lengths of the axes; the first is that of the rows. */
  private final long[] shape;

  private NpyArray(InputStream in, NumpyType type, boolean fortran, long[] shape) {
    this.in = in;
    this.type = type;
    this.fortran = fortran;
    this.shape = shape;
  }

  /**
   * Appends the rows of an array.
   *
   * @param in buffered; must hold the array and nothing else
   * @param bound most bytes that {@code in} can give
   */
  static void read(InputStream in, long bound, ColumnBuilder column) throws IOException {
    NpyArray array = header(in);
    if (array.type.isObject()) {
      Object root = new PickleDecoder(in, bound, false).load();
      if (!(root instanceof NumpyArray objects) || objects.dimensions() == 0) {
        throw invalid("its objects are not an array of rows");
      }
      PickleDatasetReader.appendRows(objects, column);
      return;
    }
    array.checkSize(bound);
    array.readRows(column);
    if (in.read() >= 0) {
      throw invalid("it has more bytes than its shape says");
    }
  }

  private static NpyArray header(InputStream in) throws IOException {
    ByteBuffer start = bytes(in, 8);
    for (int i = 0; i < MAGIC.length; i++) {
      if (start.get(i) != MAGIC[i]) {
        throw invalid("it does not start as one");
      }
    }
    int version = start.get(6);
    if (version < 1 || version > 3) {
      throw invalid("it has version %d of the format, not 1 to 3".formatted(version));
    }
    int length =
        version == 1
            ? Short.toUnsignedInt(Short.reverseBytes(bytes(in, 2).getShort()))
            : Integer.reverseBytes(bytes(in, 4).getInt());
    if (length < 0 || length > LONGEST_HEADER) {
      throw invalid("its header claims %d bytes".formatted(Integer.toUnsignedLong(length)));
    }
    String text = new String(bytes(in, length).array(), StandardCharsets.UTF_8);
    Matcher type = TYPE.matcher(text);
    Matcher fortran = FORTRAN.matcher(text);
    Matcher shape = SHAPE.matcher(text);
    if (!type.find()) {
      if (text.contains("'descr'")) {
        throw new InvalidContentException(
            "is a NumPy array of records; write each of its fields as an array of one NPZ");
      }
      throw invalid("its header names no type");
    }
    if (!fortran.find() || !shape.find()) {
      throw invalid("its header names no order or no shape");
    }
    return new NpyArray(
        in,
        NumpyType.of(type.group(1)),
        fortran.group(1).equals("True"),
        shape(shape.group(1).strip()));
  }

  private static long[] shape(String text) {
    if (text.isEmpty()) {
      throw new InvalidContentException(
          "is a single value, not an array of rows; write one value a row");
    }
    if (!LENGTHS.matcher(text).matches()) {
      throw invalid("its shape is (%s)".formatted(CellWords.brief(text)));
    }
    return LENGTH.matcher(text).results().mapToLong(m -> Long.parseLong(m.group())).toArray();
  }

  /** Nothing is taken for values that the file cannot hold. */
  private void checkSize(long bound) throws EOFException {
    DatasetBounds.checkRows(shape[0]);
    if (fortran && shape.length > 2) {
      throw new InvalidContentException(
          "is a NumPy array of %d axes in Fortran order; write it with np.ascontiguousarray"
              .formatted(shape.length));
    }
    long width = 1;
    boolean empty = false;
    for (int i = 1; i < shape.length; i++) {
      DatasetBounds.checkCell(shape[i]);
      width *= Math.max(shape[i], 1);
      DatasetBounds.checkCell(width);
      empty |= shape[i] == 0;
    }
    if (empty) {
      DatasetBounds.checkEmpty(shape);
      return;
    }
    long rowBytes = width * type.itemSize();
    if (shape[0] > 0 && rowBytes > bound / shape[0]) {
      throw new EOFException();
    }
    if (rowBytes > Integer.MAX_VALUE) {
      throw new InvalidContentException(
          "is a NumPy array with rows of %d bytes; write it with shorter rows".formatted(rowBytes));
    }
  }

  private void readRows(ColumnBuilder column) throws IOException {
    if (fortran && shape.length == 2) {
      readByColumns(column);
      return;
    }
    for (long row = 0; row < shape[0]; row++) {
      column.append(cell(1));
    }
  }

  /** The next value of the axes from {@code axis} on. */
  private @Nullable Object cell(int axis) throws IOException {
    if (axis == shape.length) {
      return type.item(bytes(in, type.itemSize()).order(type.order()), 0);
    }
    int length = (int) shape[axis];
    if (axis < shape.length - 1) {
      List<@Nullable Object> list = new ArrayList<>(Math.min(length, 1024));
      for (int i = 0; i < length; i++) {
        list.add(cell(axis + 1));
      }
      return Collections.unmodifiableList(list);
    }
    ListBuilder list = new ListBuilder();
    ByteBuffer values = bytes(in, length * type.itemSize()).order(type.order());
    for (int i = 0; i < length; i++) {
      list.add(type.item(values, i * type.itemSize()));
    }
    return list.build();
  }

  /** All rows grow at once: the file has one column after the other. */
  private void readByColumns(ColumnBuilder column) throws IOException {
    List<PickleValue.PyList> rows = new ArrayList<>();
    for (long i = 0; i < shape[1]; i++) {
      for (int row = 0; row < shape[0]; row++) {
        Object item = type.item(bytes(in, type.itemSize()).order(type.order()), 0);
        if (i == 0) {
          rows.add(new PickleValue.PyList());
        }
        rows.get(row).add(item instanceof ByteBuffer bytes ? array(bytes) : item);
      }
    }
    for (long row = rows.size(); row < shape[0]; row++) {
      rows.add(new PickleValue.PyList());
    }
    rows.forEach(row -> column.append(row.cell(0)));
  }

  private static byte[] array(ByteBuffer bytes) {
    byte[] array = new byte[bytes.remaining()];
    bytes.duplicate().get(array);
    return array;
  }

  private static ByteBuffer bytes(InputStream in, int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException();
    }
    return ByteBuffer.wrap(bytes);
  }

  private static InvalidContentException invalid(String problem) {
    return new InvalidContentException(
        "is not a valid NumPy array: " + problem + "; copy or write it again");
  }
}
