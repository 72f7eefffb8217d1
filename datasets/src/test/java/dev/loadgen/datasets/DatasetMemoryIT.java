package dev.loadgen.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A JVM whose heap holds a dataset once, and not twice, reads it: what a pod with little more
 * memory than its dataset needs.
 */
@Timeout(300)
class DatasetMemoryIT {
  private static final int ROWS = 512;
  private static final int ROW_BYTES = 128 << 10;

  /** Of the values alone: 64 MiB. */
  private static final int VALUES_MIB = (ROWS * ROW_BYTES) >> 20;

  private static final int HEAP_MIB = VALUES_MIB * 3 / 2;
  private static final int YOUNG_MIB = 12;

  private final Path file;

  DatasetMemoryIT(@TempDir Path folder) {
    this.file = folder.resolve("data");
  }

  /** Reads the file that is its argument, and prints its rows. */
  public static void main(String[] args) throws DatasetException {
    Dataset dataset = Dataset.read(Path.of(args[0]), DatasetOptions.DEFAULTS);
    long used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    System.out.println("rows " + dataset.size() + ", MiB " + (used >> 20));
  }

  private interface Content {
    void write(OutputStream out, int row, byte[] text) throws IOException;
  }

  private void write(String before, Content rows, String after) throws IOException {
    byte[] text = new byte[ROW_BYTES];
    Arrays.fill(text, (byte) 'x');
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
      out.write(before.getBytes(StandardCharsets.ISO_8859_1));
      for (int row = 0; row < ROWS; row++) {
        rows.write(out, row, text);
      }
      out.write(after.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  private void isReadWithin(int heapMib) throws IOException, InterruptedException {
    String output = read(heapMib);
    assertThat(output).contains("rows " + ROWS);
  }

  private String read(int heapMib) throws IOException, InterruptedException {
    Path output = file.resolveSibling("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx" + heapMib + "m",
                "-Xmn" + YOUNG_MIB + "m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                DatasetMemoryIT.class.getName(),
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    return Files.readString(output);
  }

  @Test
  void jsonLines() throws Exception {
    write(
        "",
        (out, row, text) -> {
          out.write("{\"input\": \"".getBytes(StandardCharsets.US_ASCII));
          out.write(text);
          out.write("\"}\n".getBytes(StandardCharsets.US_ASCII));
        },
        "");

    isReadWithin(HEAP_MIB);
    // the limit does bind: what does not fit once is refused, with the reason
    assertThat(read(VALUES_MIB * 3 / 4)).contains("does not fit into the runner's memory");
  }

  @Test
  void csv() throws Exception {
    write(
        "input,n\n",
        (out, row, text) -> {
          out.write(text);
          out.write(",%d\n".formatted(row).getBytes(StandardCharsets.US_ASCII));
        },
        "");

    isReadWithin(HEAP_MIB);
  }

  /** A list of dicts of protocol 4; each text is memoised, as Python does. */
  @Test
  void pickle() throws Exception {
    write(
        "\u0080\4]\u0094(",
        (out, row, text) -> {
          out.write("}\u0094\u008c\5input\u0094X".getBytes(StandardCharsets.ISO_8859_1));
          out.write(littleEndian(ROW_BYTES));
          out.write(text);
          out.write("\u0094s".getBytes(StandardCharsets.ISO_8859_1));
        },
        "e.");

    isReadWithin(HEAP_MIB);
  }

  /** A Series of pandas 3, whose text is one buffer of Arrow. */
  @Test
  void pickleOfArrowsText() throws Exception {
    ByteBuffer offsets =
        ByteBuffer.allocate((ROWS + 1) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int row = 0; row <= ROWS; row++) {
      offsets.putLong((long) row * ROW_BYTES);
    }
    String type = global("pyarrow.lib", "type_for_alias") + text("large_string") + "\u0085R";
    String buffer = global("pyarrow.lib", "py_buffer") + "\u0096";
    String before =
        "\u0080\5"
            + (global("pandas", "Series") + ")\u0081}(" + text("_mgr"))
            + (global("pandas.core.internals.managers", "SingleBlockManager") + ")\u0081(NNN")
            + ("}(" + text("0.14.1") + "}(" + text("axes") + "]" + text("blocks") + "](")
            + ("}(" + text("mgr_locs") + "N" + text("values"))
            + (global("pandas.arrays", "ArrowStringArray") + ")\u0081}" + text("_pa_array"))
            + (global("pyarrow.lib", "_restore_array") + "(" + type)
            + ("J" + latin1(littleEndian(ROWS)) + "K\0K\0](N")
            + (buffer + length(offsets.capacity()) + latin1(offsets.array()) + "\u0085R")
            + (buffer + length(ROWS * ROW_BYTES));
    String after =
        "\u0085Re]Nt\u0085Rsbueuutb"
            + (text("_typ") + text("series") + text("_name") + text("input") + "ub.");

    write(before, (out, row, text) -> out.write(text), after);

    isReadWithin(HEAP_MIB);
  }

  @Test
  void npyInRowsAndInColumns() throws Exception {
    for (String fortran : new String[] {"False", "True"}) {
      String header =
          "{'descr': '<i4', 'fortran_order': %s, 'shape': (%d, %d), }\n"
              .formatted(fortran, ROWS, ROW_BYTES / Integer.BYTES);
      write(
          "\u0093NUMPY\1\0" + (char) header.length() + "\0" + header,
          (out, row, text) -> out.write(text),
          "");

      isReadWithin(HEAP_MIB);
    }
  }

  private static String global(String module, String name) {
    return "c" + module + "\n" + name + "\n";
  }

  private static String text(String text) {
    return "X" + latin1(littleEndian(text.length())) + text;
  }

  private static String length(int value) {
    return latin1(littleEndian(value)) + "\0\0\0\0";
  }

  private static String latin1(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static byte[] littleEndian(int value) {
    return ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array();
  }
}
