package dev.loadgen.runner;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;

/**
 * Products with images, as Qwen3-VL's dataset has them: a Parquet file of one row group, as pandas
 * writes it, with an image to a page.
 */
final class ProductCatalogue {
  /** A PNG image of one pixel. */
  private static final byte[] PIXEL =
      Base64.getDecoder()
          .decode(
              "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==");

  private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

  private ProductCatalogue() {}

  /**
   * Writes such a file.
   *
   * @param imageBytes of each image: a pixel, and after its end what no reader of images looks at
   */
  static void write(Path file, int products, int imageBytes) throws IOException {
    byte[] image = new byte[imageBytes];
    Random random = new Random(1);
    List<ColumnChunk> chunks = new ArrayList<>();
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write(MAGIC);
      long at = MAGIC.length;
      at =
          column(
              out,
              at,
              chunks,
              "product_image",
              products,
              row -> {
                random.nextBytes(image);
                System.arraycopy(PIXEL, 0, image, 0, PIXEL.length);
                return image;
              });
      at = column(out, at, chunks, "product_title", products, row -> text("Lamp " + row));
      column(
          out,
          at,
          chunks,
          "product_description",
          products,
          row -> text("It shines. ".repeat(60) + row));
      ByteArrayOutputStream footer = new ByteArrayOutputStream();
      long size = chunks.stream().mapToLong(c -> c.getMeta_data().getTotal_compressed_size()).sum();
      Util.writeFileMetaData(
          new FileMetaData(1, schema(), products, List.of(new RowGroup(chunks, size, products))),
          footer);
      footer.writeTo(out);
      out.write(littleEndian(footer.size()));
      out.write(MAGIC);
    }
  }

  private static List<SchemaElement> schema() {
    return List.of(
        new SchemaElement("schema").setNum_children(3),
        leaf("product_image"),
        leaf("product_title").setConverted_type(ConvertedType.UTF8),
        leaf("product_description").setConverted_type(ConvertedType.UTF8));
  }

  private static SchemaElement leaf(String name) {
    return new SchemaElement(name)
        .setType(Type.BYTE_ARRAY)
        .setRepetition_type(FieldRepetitionType.REQUIRED);
  }

  /** Writes a column, a value to a page, and says where it ends. */
  private static long column(
      OutputStream out,
      long start,
      List<ColumnChunk> chunks,
      String name,
      int rows,
      IntFunction<byte[]> values)
      throws IOException {
    long size = 0;
    for (int row = 0; row < rows; row++) {
      byte[] value = values.apply(row);
      ByteArrayOutputStream header = new ByteArrayOutputStream();
      Util.writePageHeader(
          new PageHeader(PageType.DATA_PAGE, 4 + value.length, 4 + value.length)
              .setData_page_header(
                  new DataPageHeader(1, Encoding.PLAIN, Encoding.RLE, Encoding.RLE)),
          header);
      header.writeTo(out);
      out.write(littleEndian(value.length));
      out.write(value);
      size += header.size() + 4 + value.length;
    }
    ColumnMetaData meta =
        new ColumnMetaData(
            Type.BYTE_ARRAY,
            List.of(Encoding.PLAIN, Encoding.RLE),
            List.of(name),
            CompressionCodec.UNCOMPRESSED,
            rows,
            size,
            size,
            start);
    chunks.add(new ColumnChunk(start).setMeta_data(meta));
    return start + size;
  }

  private static byte[] littleEndian(int value) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array();
  }

  private static byte[] text(String value) {
    return value.getBytes(StandardCharsets.UTF_8);
  }
}
