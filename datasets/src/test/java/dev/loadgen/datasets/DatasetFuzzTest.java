package dev.loadgen.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.DatasetFormat;
import dev.loadgen.datasets.DatasetOptions.Prompts;
import dev.loadgen.fuzz.Fuzz;
import dev.loadgen.fuzz.Mutations;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a file holds, it is a dataset whose cells can be written, or it is refused. */
class DatasetFuzzTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;

  DatasetFuzzTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private static List<byte[]> seeds(String... names) throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (String name : names) {
      seeds.add(Files.readAllBytes(Fixtures.path(name)));
    }
    return seeds;
  }

  /** All variants of a kind, which are small. */
  private static List<byte[]> variants(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(Fixtures.path("variants"))) {
      List<byte[]> seeds = new ArrayList<>();
      for (Path file : files.filter(each -> each.toString().endsWith(suffix)).sorted().toList()) {
        seeds.add(Files.readAllBytes(file));
      }
      return seeds;
    }
  }

  private void fuzz(String name, int cases, DatasetFormat format, Fuzz.Inputs inputs) {
    Path file = folder.resolve(name);
    Fuzz.of(name)
        .refusing(DatasetException.class)
        .mebibytes(128)
        .run(
            cases,
            inputs,
            input -> {
              Files.write(file, input);
              Dataset dataset =
                  Dataset.read(
                      file,
                      DatasetOptions.DEFAULTS
                          .withFormat(input.length % 2 == 0 ? format : DatasetFormat.Auto)
                          .withoutPrompt());
              assertThat(dataset.size()).isPositive();
              use(dataset);
              return true;
            });
  }

  /** What is done with a dataset, of its first and last rows. */
  private static void use(Dataset dataset) throws IOException {
    try (JsonGenerator json =
        JsonDatasetReader.FACTORY.createGenerator(OutputStream.nullOutputStream())) {
      for (int row : new int[] {0, dataset.size() / 2, dataset.size() - 1}) {
        for (String column : dataset.columns()) {
          dataset.writeValue(json, column, row);
        }
        assertThat(dataset.text(row)).isNotNull();
        assertThat(dataset.tokenIds(row)).isNotNull();
        assertThat(dataset.tokenCount(row)).isNotNull();
        assertThat(dataset.target(row)).isNotNull();
      }
    }
    assertThat(dataset.toString()).isNotNull();
  }

  @Test
  void pickles() throws IOException {
    List<List<byte[]>> programs = new ArrayList<>();
    List<byte[]> seeds = variants(".pkl");
    seeds.addAll(seeds("plain_p5_numpy2d.pkl", "plain_p4_records.pkl", "pd2_p5_series.pkl"));
    for (byte[] seed : seeds) {
      programs.add(PickleOpcodes.split(seed));
    }
    List<byte[]> all = programs.stream().flatMap(List::stream).toList();
    fuzz(
        "dataset-pickle",
        1_200,
        DatasetFormat.Pickle,
        change -> {
          List<byte[]> program = new ArrayList<>(change.oneOf(programs));
          for (int edits = 1 + change.below(3); edits > 0 && !program.isEmpty(); edits--) {
            int at = change.below(program.size());
            byte[] opcode = program.get(at);
            switch (change.below(8)) {
              case 0 -> program.remove(at);
              case 1 -> program.add(at, opcode);
              case 2 -> program.add(change.below(program.size()), program.remove(at));
              case 3 -> program.add(at, change.oneOf(all));
              case 4 -> program.set(at, change.oneOf(all));
              case 5 -> {
                for (int times = change.oneOf(2, 10, 1_000); times > 0; times--) {
                  program.add(at, opcode);
                }
              }
              default ->
                  program.set(
                      at, opcode.length == 1 ? opcode : change.bytes(opcode, 1, opcode.length));
            }
          }
          ByteArrayOutputStream pickle = new ByteArrayOutputStream();
          program.forEach(pickle::writeBytes);
          return change.oneIn(10) ? change.bytes(pickle.toByteArray()) : pickle.toByteArray();
        });
  }

  @Test
  void parquet() throws IOException {
    List<byte[]> seeds = variants(".parquet");
    seeds.addAll(seeds("arrow_null_and_empty_lists.parquet"));
    fuzz(
        "dataset-parquet",
        350,
        DatasetFormat.Parquet,
        change -> {
          byte[] seed = change.oneOf(seeds);
          int footer = seed.length - 8 - footerLength(seed);
          return switch (change.below(6)) {
            case 0 -> change.bytes(seed);
            case 1 -> change.bytes(seed, 4, Math.min(40, footer)); // the first page's head
            case 2 -> change.bytes(seed, 4, footer);
            case 3 -> change.bytes(seed, seed.length - 8, seed.length);
            default -> withFooterLength(change.bytes(seed, footer, seed.length - 8), footer);
          };
        });
  }

  private static int footerLength(byte[] parquet) {
    int length = 0;
    for (int i = 5; i < 9; i++) {
      length = length << 8 | (parquet[parquet.length - i] & 0xff);
    }
    return Math.clamp(length, 0, parquet.length - 8);
  }

  /** A footer may have another length than it had. */
  private static byte[] withFooterLength(byte[] parquet, int from) {
    int length = parquet.length - 8 - from;
    for (int i = 8; i > 4 && length >= 0; i--) {
      parquet[parquet.length - i] = (byte) (length >> (8 * (8 - i)));
    }
    return parquet;
  }

  private static byte[] npy(Mutations change, List<byte[]> seeds) {
    byte[] seed = change.oneOf(seeds);
    int start = seed[6] == 1 ? 10 : 12;
    int end = start;
    while (seed[end] != '\n') {
      end++;
    }
    String header = new String(seed, start, end - start, StandardCharsets.ISO_8859_1);
    String shape =
        switch (change.below(5)) {
          case 0 -> "()";
          case 1 -> "(" + change.number() + ",)";
          case 2 -> "(%d, %d)".formatted(change.number(), change.number());
          case 3 -> "(%d, %d, %d)".formatted(change.number(), change.below(3), change.number());
          default -> "";
        };
    header =
        switch (change.below(4)) {
          case 0 -> change.text(header);
          case 1 -> shape.isEmpty() ? header : header.replaceFirst("\\([^)]*\\)", shape);
          case 2 -> header.replaceFirst("'descr': '[^']*'", "'descr': '" + type(change) + "'");
          default -> header;
        };
    byte[] text = (header + "\n").getBytes(StandardCharsets.ISO_8859_1);
    byte[] data = Arrays.copyOfRange(seed, end + 1, seed.length);
    ByteArrayOutputStream npy = new ByteArrayOutputStream();
    npy.write(seed, 0, 6);
    npy.write(1);
    npy.write(0);
    npy.write(text.length);
    npy.write(text.length >> 8);
    npy.writeBytes(text);
    npy.writeBytes(change.oneIn(3) ? change.bytes(data) : data);
    return change.oneIn(8) ? change.bytes(npy.toByteArray()) : npy.toByteArray();
  }

  private static String type(Mutations change) {
    return change.oneOf("<", ">", "|", "=", "")
        + change.oneOf(
            "i4", "u1", "f8", "f2", "b1", "M8[ns]", "m8[D]", "S3", "U2", "O", "U0", "c16", "V4")
        + (change.oneIn(8) ? change.numeral() : "");
  }

  @Test
  void numpyArrays() throws IOException {
    List<byte[]> seeds = variants(".npy");
    fuzz("dataset-npy", 900, DatasetFormat.Npy, change -> npy(change, seeds));
  }

  @Test
  void archivesOfArrays() throws IOException {
    List<byte[]> seeds = variants(".npy");
    List<byte[]> archives = variants(".npz");
    fuzz(
        "dataset-npz",
        500,
        DatasetFormat.Npz,
        change -> {
          if (change.oneIn(3)) {
            return change.bytes(change.oneOf(archives));
          }
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (int i = 1 + change.below(3); i > 0; i--) {
              zip.putNextEntry(new ZipEntry("column" + i + ".npy"));
              zip.write(change.oneIn(3) ? npy(change, seeds) : change.oneOf(columns(archives)));
              zip.closeEntry();
            }
          }
          return bytes.toByteArray();
        });
  }

  private static List<byte[]> columns(List<byte[]> archives) throws IOException {
    List<byte[]> columns = new ArrayList<>();
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archives.getFirst()))) {
      while (zip.getNextEntry() != null) {
        columns.add(zip.readAllBytes());
      }
    }
    return columns;
  }

  @Test
  void tablesOfText() throws IOException {
    List<byte[]> seeds = variants(".csv");
    seeds.addAll(variants(".tsv"));
    fuzz(
        "dataset-csv",
        900,
        DatasetFormat.Csv,
        change -> {
          String text = new String(change.oneOf(seeds), StandardCharsets.UTF_8);
          byte[] bytes =
              (change.oneIn(2) ? change.lines(text) : change.text(text))
                  .getBytes(StandardCharsets.UTF_8);
          return change.oneIn(8) ? change.bytes(bytes) : bytes;
        });
  }

  private static List<byte[]> json() throws IOException {
    List<byte[]> seeds = variants(".json");
    seeds.addAll(variants(".jsonl"));
    seeds.addAll(seeds("records_bom.json", "products.json"));
    seeds.removeIf(seed -> seed.length > 2_000);
    return seeds;
  }

  @Test
  void jsonAndItsLines() throws IOException {
    List<byte[]> seeds = json();
    fuzz("dataset-json", 1_500, DatasetFormat.Json, change -> change.json(change.oneOf(seeds)));
  }

  @Test
  void gzips() throws IOException {
    List<byte[]> seeds = json();
    seeds.addAll(variants(".csv"));
    seeds.addAll(variants(".npy"));
    fuzz(
        "dataset-gzip",
        600,
        DatasetFormat.Auto,
        change -> {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            byte[] seed = change.oneOf(seeds);
            gzip.write(change.oneIn(2) ? change.bytes(seed) : seed);
          }
          return change.oneIn(2) ? change.bytes(bytes.toByteArray()) : bytes.toByteArray();
        });
  }

  @Test
  void chats() throws IOException {
    Files.write(
        folder.resolve("image.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 26, '\n'});
    List<String> seeds =
        List.of(
            new String(seeds("products.json").getFirst(), StandardCharsets.UTF_8),
            "[{\"messages\":[{\"role\":\"system\",\"content\":\"a\"},{\"role\":\"user\",\"content\":"
                + "[{\"type\":\"text\",\"text\":\"b\"},{\"type\":\"image_url\",\"image_url\":{\"url\":"
                + "\"data:image/png;base64,iVBORw0KGgo=\"}}]}]}]",
            "[{\"product_image\":\"image.png\",\"product_title\":\"t\",\"product_description\":\"d\"},"
                + "{\"product_image\":\"image.png\",\"product_title\":null,\"product_description\":\"d\"}]",
            "[{\"product_image\":{\"bytes\":\"iVBORw0KGgo=\",\"path\":\"image.png\"},\"text\":\"t\"}]",
            "{\"prompt\":[\"a\",\"b\"],\"product_image\":[null,\"https://images.example/a.png\"]}");
    Path file = folder.resolve("chat");
    Fuzz.of("dataset-chat")
        .refusing(DatasetException.class)
        .run(
            1_500,
            change -> change.json(change.oneOf(seeds)).getBytes(StandardCharsets.UTF_8),
            input -> {
              Files.write(file, input);
              Dataset dataset =
                  Dataset.read(file, DatasetOptions.DEFAULTS.withPrompts(Prompts.CHAT));
              for (int row = 0; row < Math.min(dataset.size(), 3); row++) {
                int number = row;
                dataset
                    .messages(row)
                    .ifPresent(
                        messages ->
                            assertThat(isArray(messages.toBytes())).as("row %d", number).isTrue());
              }
              return true;
            });
  }

  private static boolean isArray(byte[] messages) {
    try {
      return JSON.readTree(messages).isArray();
    } catch (IOException e) {
      throw new AssertionError(new String(messages, StandardCharsets.UTF_8), e);
    }
  }
}
