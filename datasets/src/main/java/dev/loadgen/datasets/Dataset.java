package dev.loadgen.datasets;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.loadgen.contract.DatasetFormat;
import dev.loadgen.datasets.DatasetFile.Checksums;
import dev.loadgen.datasets.DatasetOptions.Prompts;
import dev.loadgen.datasets.payload.Payload;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a run: a table with a row for each sample, held in memory. Immutable and safe for
 * use by many threads.
 *
 * <p>Token ids take four bytes each, and each value is held once, whatever the format of the file.
 * While a file is read, there is beside the result: of JSON, JSON lines, CSV, NPY and NPZ next to
 * nothing; of Parquet a page and a dictionary of one column; of a pickle of NumPy arrays what their
 * types take more than four bytes for each value, and of one with Arrow's columns of other things
 * than text their buffers.
 */
public final class Dataset {
  /** Columns taken as text, the first that exists and holds text. */
  public static final List<String> TEXT_COLUMNS = List.of("input", "text_input", "prompt", "text");

  /** Columns taken as token ids, the first that exists and holds lists. */
  public static final List<String> TOKEN_IDS_COLUMNS =
      List.of("tok_input", "input_tokens", "input_ids", "token_ids");

  /** Columns taken as the reference answer, the first that exists. */
  public static final List<String> TARGET_COLUMNS = List.of("output", "ref_output", "ground_truth");

  /** Columns taken as the number of prompt tokens, the first that exists and holds integers. */
  public static final List<String> INPUT_LENGTH_COLUMNS =
      List.of("tok_input_len", "tok_input_length", "input_len", "num_tokens");

  /** Columns taken as chat messages, the first that exists and holds lists of objects. */
  public static final List<String> MESSAGES_COLUMNS = List.of("messages");

  /** The column taken as the image of a chat message. */
  public static final String IMAGE_COLUMN = "product_image";

  /** The column taken as the title in a chat message. */
  public static final String TITLE_COLUMN = "product_title";

  /** The column taken as the description in a chat message. */
  public static final String DESCRIPTION_COLUMN = "product_description";

  /** The column taken as the system message. */
  public static final String SYSTEM_MESSAGE_COLUMN = "system_message";

  private final Path file;
  private final DatasetFormat format;
  private final Checksums checksums;
  private final int size;
  private final Map<String, List<@Nullable Object>> columns;
  private final PromptColumns prompts;
  private final @Nullable List<@Nullable Object> texts;
  private final @Nullable List<@Nullable Object> tokenIds;
  private final @Nullable List<@Nullable Object> targets;
  private final @Nullable List<@Nullable Object> inputLengths;
  private final ChatPrompts chat;

  private Dataset(
      Path file,
      DatasetFormat format,
      Checksums checksums,
      int size,
      Map<String, List<@Nullable Object>> columns,
      PromptColumns prompts) {
    this.file = file;
    this.format = format;
    this.checksums = checksums;
    this.size = size;
    this.columns = columns;
    this.prompts = prompts;
    this.texts = prompts.text() == null ? null : columns.get(prompts.text());
    this.tokenIds = prompts.tokenIds() == null ? null : columns.get(prompts.tokenIds());
    this.targets = prompts.target() == null ? null : columns.get(prompts.target());
    this.inputLengths = prompts.inputLength() == null ? null : columns.get(prompts.inputLength());
    this.chat =
        new ChatPrompts(
            prompts.chat(),
            prompts.text(),
            columns,
            Objects.requireNonNullElse(file.toAbsolutePath().getParent(), file));
  }

  /**
   * Reads all of a file.
   *
   * @throws DatasetException when the file cannot be read, is not a dataset, is not the one that
   *     its checksum names, or lacks what {@code options} ask for
   */
  public static Dataset read(Path path, DatasetOptions options) throws DatasetException {
    try {
      if (Files.isDirectory(path)) {
        throw new DatasetException(path, "is a folder; name the file in it with spec.dataset.path");
      }
      DatasetFile file = DatasetFile.of(path);
      Checksums checksums = file.checksums();
      checkSha256(options, checksums.sha256());
      DatasetFormat format = formatOf(file, options);
      TableBuilder table = new TableBuilder(file.contentSize());
      reader(format).read(file, table);
      Map<String, List<@Nullable Object>> columns = table.build();
      int size = columns.isEmpty() ? 0 : columns.values().iterator().next().size();
      if (size == 0) {
        throw new InvalidContentException("has no rows; check how it was written");
      }
      PromptColumns prompts = PromptColumns.choose(columns, size, options);
      if (format == DatasetFormat.Csv || format == DatasetFormat.Tsv) {
        CsvTypes.settle(columns, prompts.textual());
      }
      Dataset dataset = new Dataset(path, format, checksums, size, columns, prompts);
      if (options.prompts() == Prompts.CHAT) {
        dataset.requireChat();
      }
      return dataset;
    } catch (InvalidContentException e) {
      throw new DatasetException(path, String.valueOf(e.getMessage()), e);
    } catch (NoSuchFileException e) {
      throw new DatasetException(path, "does not exist; check spec.dataset.path", e);
    } catch (AccessDeniedException e) {
      throw new DatasetException(
          path, "is not readable by the runner; check the file's mode and owner", e);
    } catch (EOFException e) {
      throw new DatasetException(path, "is truncated; copy or write it again", e);
    } catch (ZipException e) {
      throw new DatasetException(
          path, "is not valid gzip (" + e.getMessage() + "); copy or write it again", e);
    } catch (CharacterCodingException e) {
      throw new DatasetException(path, "is not UTF-8 text; save it in that encoding", e);
    } catch (IOException e) {
      throw new DatasetException(path, "cannot be read: " + CellWords.reason(e), e);
    } catch (OutOfMemoryError e) {
      // what was read is garbage by now, so there is memory again to say so
      throw new DatasetException(
          path,
          "does not fit into the runner's memory of %d MiB; give the runner more, or take columns out"
              .formatted(Runtime.getRuntime().maxMemory() >> 20),
          e);
    }
  }

  private static void checkSha256(DatasetOptions options, String actual) {
    String expected = options.sha256();
    if (expected != null && !expected.toLowerCase(Locale.ROOT).equals(actual)) {
      throw new InvalidContentException(
          "has the SHA-256 %s, but spec.dataset.sha256 is %s; give the file that is meant, or correct the field"
              .formatted(actual, expected));
    }
  }

  private static DatasetFormat formatOf(DatasetFile file, DatasetOptions options)
      throws IOException {
    if (options.format() == DatasetFormat.Auto) {
      return FormatDetector.detect(file);
    }
    FormatDetector.check(options.format(), file);
    return options.format();
  }

  private static DatasetReader reader(DatasetFormat format) {
    return switch (format) {
      case Json -> new JsonDatasetReader();
      case JsonLines -> new JsonLinesDatasetReader();
      case Csv -> new CsvDatasetReader(null);
      case Tsv -> new CsvDatasetReader('\t');
      case Parquet -> new ParquetDatasetReader();
      case Pickle -> new PickleDatasetReader();
      case Npy -> new NpyDatasetReader();
      case Npz -> new NpzDatasetReader();
      case Auto -> throw new IllegalArgumentException("Auto is resolved before");
    };
  }

  /** The file that was read. */
  public Path file() {
    return file;
  }

  /** The format that the file has; never {@code Auto}. */
  public DatasetFormat format() {
    return format;
  }

  /** SHA-256 of the file, as it is on disk, in lower-case hexadecimal. */
  public String sha256() {
    return checksums.sha256();
  }

  /** MD5 of the file, as it is on disk, in lower-case hexadecimal: what MLCommons publishes. */
  public String md5() {
    return checksums.md5();
  }

  /** Samples; at least 1. */
  public int size() {
    return size;
  }

  /** Names of all columns, in the order of the file. */
  public List<String> columns() {
    return List.copyOf(columns.keySet());
  }

  /** The column that {@link #text} reads. */
  public Optional<String> textColumn() {
    return Optional.ofNullable(prompts.text());
  }

  /** The column that {@link #tokenIds} reads. */
  public Optional<String> tokenIdsColumn() {
    return Optional.ofNullable(prompts.tokenIds());
  }

  /** The column that says how many tokens a prompt has. */
  public Optional<String> inputLengthColumn() {
    return Optional.ofNullable(prompts.inputLength());
  }

  /** The column that {@link #messages} gives as it is. */
  public Optional<String> messagesColumn() {
    return Optional.ofNullable(prompts.chat().messages());
  }

  /** The column with the images that {@link #messages} carry. */
  public Optional<String> imageColumn() {
    return Optional.ofNullable(prompts.chat().image());
  }

  /** The column that {@link #target} reads. */
  public Optional<String> targetColumn() {
    return Optional.ofNullable(prompts.target());
  }

  /**
   * The prompt of a sample as token ids, each 0 or more; empty when the dataset or this row has
   * none.
   *
   * @return a copy, free for the caller to change
   * @throws IndexOutOfBoundsException when there is no such row
   */
  public Optional<int[]> tokenIds(int row) {
    return Optional.ofNullable(tokens(row)).map(IntArray::toInts);
  }

  /**
   * Tokens of a sample's prompt: the number of its {@link #tokenIds}, or what the column of input
   * lengths says; empty when the dataset or this row has neither.
   *
   * @throws IndexOutOfBoundsException when there is no such row
   */
  public OptionalInt tokenCount(int row) {
    IntArray tokens = tokens(row);
    if (tokens != null) {
      return OptionalInt.of(tokens.size());
    }
    return cell(inputLengths, row) instanceof Long length
        ? OptionalInt.of(length.intValue())
        : OptionalInt.empty();
  }

  /**
   * The chat messages of a sample: a JSON array as UTF-8, made anew by each call but for its
   * images, which are those of this dataset. Empty where the sample's {@link #text} alone is the
   * message.
   *
   * @throws IndexOutOfBoundsException when there is no such row
   * @throws java.io.UncheckedIOException when the file of an image can no longer be read
   */
  public Optional<Payload> messages(int row) {
    Objects.checkIndex(row, size);
    return Optional.ofNullable(chat.messages(row));
  }

  private @Nullable IntArray tokens(int row) {
    return cell(tokenIds, row) instanceof IntArray tokens && !tokens.isEmpty() ? tokens : null;
  }

  /**
   * The prompt of a sample as text; empty when the dataset or this row has none.
   *
   * @throws IndexOutOfBoundsException when there is no such row
   */
  public Optional<String> text(int row) {
    return cell(texts, row) instanceof String text && !text.isEmpty()
        ? Optional.of(text)
        : Optional.empty();
  }

  /**
   * The reference answer of a sample as text; empty when the dataset or this row has none. What is
   * not text is given as JSON.
   *
   * @throws IndexOutOfBoundsException when there is no such row
   */
  public Optional<String> target(int row) {
    return switch (cell(targets, row)) {
      case null -> Optional.empty();
      case String text -> Optional.of(text);
      case Object other -> Optional.of(json(other));
    };
  }

  /**
   * A cell as it is in the file.
   *
   * @return null, {@code Boolean}, {@code Long}, {@code BigInteger} for integers that a long cannot
   *     hold, {@code Double}, {@code String}, a read-only {@code ByteBuffer}, an immutable {@code
   *     List}, or an immutable {@code Map} from {@code String}, of such values. NaN is null, dates
   *     and times are text in ISO 8601, and a token ids column written as text is lists.
   * @throws IllegalArgumentException when there is no such column
   * @throws IndexOutOfBoundsException when there is no such row
   */
  public @Nullable Object value(String column, int row) {
    List<@Nullable Object> values = columns.get(column);
    if (values == null) {
      throw new IllegalArgumentException(
          "no column '" + column + "' among " + PromptColumns.listed(columns.keySet()));
    }
    Object value = values.get(row);
    return value instanceof ByteBuffer bytes ? bytes.asReadOnlyBuffer() : value;
  }

  /**
   * Writes a cell as JSON: bytes as base64, infinite numbers as text.
   *
   * @throws IllegalArgumentException when there is no such column
   * @throws IndexOutOfBoundsException when there is no such row
   * @throws IOException when {@code json} cannot be written to
   */
  public void writeValue(JsonGenerator json, String column, int row) throws IOException {
    JsonValues.write(json, value(column, row), true);
  }

  private void requireChat() throws IOException {
    if (!prompts.chat().makesMessages() && prompts.text() == null) {
      throw new InvalidContentException(
          "has no chat prompts: none of its columns %s is %s with chat messages, %s with images, or one of %s with text; set spec.dataset.columns.messages, image or text"
              .formatted(
                  PromptColumns.listed(columns.keySet()),
                  MESSAGES_COLUMNS.getFirst(),
                  IMAGE_COLUMN,
                  String.join(", ", TEXT_COLUMNS)));
    }
    chat.check(size);
  }

  private @Nullable Object cell(@Nullable List<@Nullable Object> column, int row) {
    Objects.checkIndex(row, size);
    return column == null ? null : column.get(row);
  }

  private static String json(Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonDatasetReader.FACTORY.createGenerator(text)) {
      JsonValues.write(json, value, true);
    } catch (IOException e) {
      throw new IllegalStateException("memory can be written to", e);
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return "Dataset[%s, %s, %d rows, columns %s]"
        .formatted(file, format, size, PromptColumns.listed(columns.keySet()));
  }
}
