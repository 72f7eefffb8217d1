package dev.loadgen.datasets;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one row group, each read from the file as it is wanted. The library's own store
 * holds all pages of the columns that are asked for, and writers such as pandas make one row group
 * of the whole file: that would be a dataset of images twice in memory.
 */
final class ParquetPages implements PageReadStore {
  private static final int BUFFER = 1 << 16;
  private static final String UNSOUND = "has a page with a run of more values than there are";
  private static final ParquetMetadataConverter CONVERTER = new ParquetMetadataConverter();

  private final FileChannel file;
  private final ParquetCodecs codecs;
  private final String createdBy;
  private final long rows;
  private final Map<ColumnPath, ColumnChunkMetaData> chunks = new HashMap<>();

  /**
   * Nothing is read yet.
   *
   * @param file stays the caller's to close, after the last page was read
   * @param createdBy what the file says of its writer
   */
  ParquetPages(FileChannel file, ParquetCodecs codecs, String createdBy, BlockMetaData group) {
    this.file = file;
    this.codecs = codecs;
    this.createdBy = createdBy;
    this.rows = group.getRowCount();
    group.getColumns().forEach(chunk -> chunks.put(chunk.getPath(), chunk));
  }

  @Override
  public long getRowCount() {
    return rows;
  }

  @Override
  public PageReader getPageReader(ColumnDescriptor column) {
    ColumnChunkMetaData chunk = chunks.get(ColumnPath.get(column.getPath()));
    if (chunk == null) {
      throw new InvalidContentException(
          "is not valid Parquet: a row group lacks column "
              + String.join(".", column.getPath())
              + "; copy or write it again");
    }
    return new ChunkPages(column, chunk);
  }

  /** The pages of one column of the row group, one after the other. */
  private final class ChunkPages implements PageReader {
    private final ColumnDescriptor column;
    private final ColumnChunkMetaData chunk;
    private final BytesInputDecompressor decompressor;
    private final ChunkBytes bytes;
    private final InputStream in;
    private @Nullable PageHeader header;
    private long valuesRead;

    ChunkPages(ColumnDescriptor column, ColumnChunkMetaData chunk) {
      this.column = column;
      this.chunk = chunk;
      this.decompressor = codecs.getDecompressor(chunk.getCodec());
      this.bytes = new ChunkBytes(file, chunk.getStartingPos(), chunk.getTotalSize());
      this.in = new BufferedInputStream(bytes, BUFFER);
    }

    @Override
    public long getTotalValueCount() {
      return chunk.getValueCount();
    }

    @Override
    public @Nullable DictionaryPage readDictionaryPage() {
      try {
        PageHeader first = header();
        if (first == null || first.getType() != PageType.DICTIONARY_PAGE) {
          return null;
        }
        byte[] page = page(first);
        var dictionary = required(first.getDictionary_page_header());
        if (dictionary.getNum_values() > first.getUncompressed_page_size()) {
          // the library takes memory for each before it looks at them
          throw damaged(
              "claims %d values in a dictionary of %d bytes"
                  .formatted(dictionary.getNum_values(), first.getUncompressed_page_size()));
        }
        return new DictionaryPage(
            decompressor.decompress(BytesInput.from(page), first.getUncompressed_page_size()),
            dictionary.getNum_values(),
            CONVERTER.getEncoding(dictionary.getEncoding()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public @Nullable DataPage readPage() {
      try {
        for (PageHeader next = header(); next != null; next = header()) {
          byte[] page = page(next);
          switch (next.getType()) {
            case DATA_PAGE -> {
              return first(next, required(next.getData_page_header()), page);
            }
            case DATA_PAGE_V2 -> {
              return second(next, required(next.getData_page_header_v2()), page);
            }
            default -> {} // a kind that readers may pass over
          }
        }
        return null;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** The header of the page that comes next; null: there is none. */
    private @Nullable PageHeader header() throws IOException {
      if (header == null && valuesRead < chunk.getValueCount()) {
        header = Util.readPageHeader(in);
      }
      return header;
    }

    /** The page of a header as it is in the file. */
    private byte[] page(PageHeader next) throws IOException {
      int size = next.getCompressed_page_size();
      if (size < 0 || size > chunk.getTotalSize()) {
        throw damaged("claims a page of " + size + " bytes");
      }
      byte[] page = new byte[size];
      if (in.readNBytes(page, 0, size) < size) {
        throw damaged("ends within a page");
      }
      if (next.isSetCrc()) {
        CRC32 crc = new CRC32();
        crc.update(page);
        if ((int) crc.getValue() != next.getCrc()) {
          throw damaged("has a page that does not fit its checksum");
        }
      }
      header = null;
      return page;
    }

    private DataPage first(PageHeader page, DataPageHeader data, byte[] bytes) {
      counted(data.getNum_values());
      byte[] plain = decompressed(BytesInput.from(bytes), page.getUncompressed_page_size());
      Encoding repetition = CONVERTER.getEncoding(data.getRepetition_level_encoding());
      Encoding definition = CONVERTER.getEncoding(data.getDefinition_level_encoding());
      Encoding values = CONVERTER.getEncoding(data.getEncoding());
      if (!HybridRuns.areSoundInFirst(
          ByteBuffer.wrap(plain), column, repetition, definition, values, data.getNum_values())) {
        throw damaged(UNSOUND);
      }
      return new DataPageV1(
          BytesInput.from(plain),
          data.getNum_values(),
          page.getUncompressed_page_size(),
          statistics(),
          repetition,
          definition,
          values);
    }

    private DataPage second(PageHeader page, DataPageHeaderV2 data, byte[] bytes) {
      counted(data.getNum_values());
      int repetition = data.getRepetition_levels_byte_length();
      int definition = data.getDefinition_levels_byte_length();
      if (repetition < 0 || definition < 0 || repetition > bytes.length - definition) {
        throw damaged("claims more levels than a page has bytes");
      }
      int levels = repetition + definition;
      boolean compressed = !data.isSetIs_compressed() || data.isIs_compressed();
      byte[] plain =
          compressed
              ? decompressed(
                  BytesInput.from(bytes, levels, bytes.length - levels),
                  page.getUncompressed_page_size() - levels)
              : Arrays.copyOfRange(bytes, levels, bytes.length);
      Encoding encoding = CONVERTER.getEncoding(data.getEncoding());
      int count = data.getNum_values();
      if (!HybridRuns.levelsAreSound(
              ByteBuffer.wrap(bytes, 0, repetition), column.getMaxRepetitionLevel(), count)
          || !HybridRuns.levelsAreSound(
              ByteBuffer.wrap(bytes, repetition, definition), column.getMaxDefinitionLevel(), count)
          || !HybridRuns.areSound(ByteBuffer.wrap(plain), encoding, count)) {
        throw damaged(UNSOUND);
      }
      return DataPageV2.uncompressed(
          data.getNum_rows(),
          data.getNum_nulls(),
          count,
          BytesInput.from(bytes, 0, repetition),
          BytesInput.from(bytes, repetition, definition),
          encoding,
          BytesInput.from(plain),
          statistics());
    }

    private byte[] decompressed(BytesInput bytes, int size) {
      try {
        return decompressor.decompress(bytes, size).toInputStream().readAllBytes();
      } catch (IOException e) {
        throw damaged("has a page that cannot be decompressed");
      }
    }

    private void counted(int values) {
      if (values < 0) {
        throw damaged("claims a page of " + values + " values");
      }
      valuesRead += values;
    }

    /** Of nothing: no reader of ours looks at it. */
    private Statistics<?> statistics() {
      return CONVERTER.fromParquetStatistics(createdBy, null, chunk.getPrimitiveType());
    }

    private <T> T required(@Nullable T part) {
      return Objects.requireNonNullElseGet(
          part,
          () -> {
            throw damaged("has a page without the header of its kind");
          });
    }

    private InvalidContentException damaged(String how) {
      return new InvalidContentException(
          "is not valid Parquet: column %s %s; copy or write it again"
              .formatted(chunk.getPath().toDotString(), how));
    }
  }

  private static final class ChunkBytes extends InputStream {
    private final FileChannel file;
    private final long end;
    private long at;

    ChunkBytes(FileChannel file, long start, long length) {
      this.file = file;
      this.at = start;
      this.end = start + length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      int most = (int) Math.min(length, end - at);
      if (most <= 0) {
        return -1;
      }
      int read = file.read(ByteBuffer.wrap(into, offset, most), at);
      at += Math.max(read, 0);
      return read;
    }
  }
}
