package dev.loadgen.datasets;

import dev.loadgen.datasets.TableBuilder.ColumnBuilder;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/**
 * Reads Parquet, one column after another and page by page, so that beside the result only a page
 * and a dictionary of one column are in memory.
 */
final class ParquetDatasetReader implements DatasetReader {
  /** What pandas calls the column of a row index without a name. */
  private static final Pattern PANDAS_INDEX = Pattern.compile("__index_level_\\d+__");

  @Override
  public void read(DatasetFile file, TableBuilder table) throws IOException {
    try (DatasetFile.Plain plain = file.plain()) {
      readColumns(plain.path(), plain.size(), table);
    } catch (InvalidContentException e) {
      throw e;
    } catch (EOFException e) {
      throw e;
    } catch (IOException | RuntimeException | StackOverflowError e) {
      // the library meets damaged bytes with exceptions of many kinds, and lists in lists with none
      throw broken("its footer", e);
    }
  }

  private static void readColumns(Path path, long size, TableBuilder table) throws IOException {
    ParquetReadOptions options =
        ParquetReadOptions.builder(new PlainParquetConfiguration()).build();
    try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(path), options);
        FileChannel file = FileChannel.open(path)) {
      checkChunks(reader.getRowGroups(), size);
      DatasetBounds.checkRows(reader.getRecordCount());
      FileMetaData meta = reader.getFileMetaData();
      for (Type field : meta.getSchema().getFields()) {
        if (PANDAS_INDEX.matcher(field.getName()).matches()) {
          continue; // rows keep their position
        }
        ColumnBuilder column = table.column(field.getName());
        try {
          readColumn(file, reader.getRowGroups(), meta, field, column);
        } catch (EOFException e) {
          throw e;
        } catch (UncheckedIOException e) {
          if (e.getCause() instanceof EOFException end) {
            throw end;
          }
          throw broken(part(field, column), e);
        } catch (IOException | RuntimeException | StackOverflowError e) {
          throw broken(part(field, column), e);
        }
      }
    }
  }

  private static void readColumn(
      FileChannel file,
      List<BlockMetaData> groups,
      FileMetaData meta,
      Type field,
      ColumnBuilder column)
      throws IOException {
    MessageType only = new MessageType(meta.getSchema().getName(), field);
    MessageColumnIO columnIo =
        new ColumnIOFactory(meta.getCreatedBy()).getColumnIO(only, meta.getSchema(), true);
    for (BlockMetaData group : groups) {
      PageReadStore pages = new ParquetPages(file, new ParquetCodecs(), meta.getCreatedBy(), group);
      RecordReader<Void> rows =
          columnIo.getRecordReader(pages, new ParquetCells(field, column::append));
      for (long row = 0; row < pages.getRowCount(); row++) {
        rows.read();
      }
    }
  }

  /** Each column chunk must lie within the file, before memory is taken for it. */
  private static void checkChunks(List<BlockMetaData> groups, long size) {
    for (BlockMetaData group : groups) {
      for (ColumnChunkMetaData chunk : group.getColumns()) {
        long start = chunk.getStartingPos();
        long length = chunk.getTotalSize();
        if (start < 0 || length < 0 || start > size || length > size - start) {
          throw new InvalidContentException(
              "is not valid Parquet: column %s lies outside of the file; copy or write it again"
                  .formatted(chunk.getPath().toDotString()));
        }
      }
    }
  }

  /** A column, and how far it was read. */
  private static String part(Type field, ColumnBuilder column) {
    return "column '%s' after %d rows".formatted(CellWords.brief(field.getName()), column.size());
  }

  /** That a part cannot be read. What the library says of it are the names of its own classes. */
  private static InvalidContentException broken(String part, Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidContentException known) {
        return known;
      }
    }
    return new InvalidContentException(
        "is not valid Parquet, it may be truncated or damaged: %s cannot be read; copy or write it again"
            .formatted(part),
        e);
  }
}
