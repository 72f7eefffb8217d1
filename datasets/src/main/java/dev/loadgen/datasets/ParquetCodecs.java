package dev.loadgen.datasets;

import com.github.luben.zstd.Zstd;
import io.airlift.compress.lz4.Lz4Decompressor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.brotli.dec.BrotliInputStream;
import org.xerial.snappy.Snappy;

/**
 * Decompresses Parquet pages without Hadoop's codecs, and refuses pages that claim more than they
 * hold before memory is taken for them.
 */
final class ParquetCodecs implements CompressionCodecFactory {
  /** LZ4 cannot say more than 255 bytes with one. */
  private static final long LZ4_EXPANSION = 255;

  /** A deflate stream cannot expand more (zlib's documentation, technical details). */
  private static final long GZIP_EXPANSION = 1032;

  private static final long SMALL = 1 << 20;

  @Override
  public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
    return switch (codec) {
      case UNCOMPRESSED -> new Decompressor(ParquetCodecs::stored);
      case SNAPPY -> new Decompressor(ParquetCodecs::snappy);
      case GZIP -> new Decompressor(ParquetCodecs::gzip);
      case ZSTD -> new Decompressor(ParquetCodecs::zstd);
      case LZ4_RAW -> new Decompressor(ParquetCodecs::lz4);
      case LZ4 -> new Decompressor(ParquetCodecs::framedLz4);
      case BROTLI -> new Decompressor(ParquetCodecs::brotli);
      case LZO ->
          throw new InvalidContentException(
              "is compressed with %s, which is not supported; write it with compression='zstd'"
                  .formatted(codec));
    };
  }

  @Override
  public BytesInputCompressor getCompressor(CompressionCodecName codec) {
    throw new UnsupportedOperationException("datasets are only read");
  }

  @Override
  public void release() {
    // nothing is kept
  }

  private static byte[] stored(byte[] page, int size) throws IOException {
    return page;
  }

  private static byte[] snappy(byte[] page, int size) throws IOException {
    if (Snappy.uncompressedLength(page) != size) {
      throw new IOException("a Snappy page has another size than its header says");
    }
    return Snappy.uncompress(page);
  }

  private static byte[] gzip(byte[] page, int size) throws IOException {
    bound(page, size, GZIP_EXPANSION);
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(page))) {
      return in.readNBytes(size);
    }
  }

  private static byte[] zstd(byte[] page, int size) throws IOException {
    long told = Zstd.getFrameContentSize(page);
    if (told > 0 && told != size) {
      throw new IOException("a Zstandard page has another size than its header says");
    }
    byte[] bytes = new byte[size];
    long written = Zstd.decompressByteArray(bytes, 0, size, page, 0, page.length);
    if (Zstd.isError(written)) {
      throw new IOException("a Zstandard page is damaged: " + Zstd.getErrorName(written));
    }
    return written == size ? bytes : new byte[0];
  }

  private static byte[] lz4(byte[] page, int size) throws IOException {
    bound(page, size, LZ4_EXPANSION);
    byte[] bytes = new byte[size];
    int written = new Lz4Decompressor().decompress(page, 0, page.length, bytes, 0, size);
    return written == size ? bytes : new byte[0];
  }

  /**
   * The older LZ4 of Parquet: blocks with their sizes before them, as Hadoop writes, or one bare
   * block, as some writers did (parquet-format, Compression.md).
   */
  private static byte[] framedLz4(byte[] page, int size) throws IOException {
    bound(page, size, LZ4_EXPANSION);
    byte[] bytes = new byte[size];
    ByteBuffer frames = ByteBuffer.wrap(page);
    int written = 0;
    while (frames.remaining() >= 8) {
      int length = frames.getInt();
      int packed = frames.getInt();
      if (length < 0 || length > size - written || packed < 0 || packed > frames.remaining()) {
        return lz4(page, size);
      }
      written +=
          new Lz4Decompressor()
              .decompress(page, frames.position(), packed, bytes, written, size - written);
      frames.position(frames.position() + packed);
    }
    return written == size ? bytes : lz4(page, size);
  }

  private static byte[] brotli(byte[] page, int size) throws IOException {
    try (InputStream in = new BrotliInputStream(new ByteArrayInputStream(page))) {
      return in.readNBytes(size);
    }
  }

  private static void bound(byte[] page, int size, long expansion) throws IOException {
    if (size > page.length * expansion + SMALL) {
      throw new IOException("a page claims to be larger than its compression allows");
    }
  }

  private interface Codec {
    byte[] decompress(byte[] page, int size) throws IOException;
  }

  private record Decompressor(Codec codec) implements BytesInputDecompressor {
    @Override
    public BytesInput decompress(BytesInput page, int size) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.toIntExact(page.size()));
      page.writeAllTo(bytes);
      return BytesInput.from(decompress(bytes.toByteArray(), size));
    }

    @Override
    public void decompress(ByteBuffer page, int pageSize, ByteBuffer target, int size)
        throws IOException {
      byte[] bytes = new byte[pageSize];
      page.get(bytes);
      target.put(decompress(bytes, size));
    }

    private byte[] decompress(byte[] page, int size) throws IOException {
      if (size < 0 || size > DatasetBounds.PARQUET_PAGE) {
        throw new IOException("a page claims a size of " + size + " bytes");
      }
      byte[] bytes = codec.decompress(page, size);
      if (bytes.length != size) {
        throw new IOException("a page has another size than its header says");
      }
      return bytes;
    }

    @Override
    public void release() {
      // nothing is kept
    }
  }
}
