package dev.loadgen.datasets;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;

/** A dataset file as bytes: its checksum, and its content with gzip taken off. */
final class DatasetFile {
  private static final int BUFFER = 1 << 16;

  private final Path path;
  private final long size;
  private final boolean gzip;

  private DatasetFile(Path path, long size, boolean gzip) {
    this.path = path;
    this.size = size;
    this.gzip = gzip;
  }

  static DatasetFile of(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] head = in.readNBytes(2);
      boolean gzip = head.length == 2 && head[0] == 0x1f && head[1] == (byte) 0x8b;
      return new DatasetFile(path, Files.size(path), gzip);
    }
  }

  boolean gzip() {
    return gzip;
  }

  /** Most bytes that {@link #content} gives; exactly so many where there is no gzip. */
  long contentBound() {
    return gzip
        ? Math.max(
            DatasetBounds.EXPANSION_FLOOR, Math.multiplyExact(size, (long) DatasetBounds.EXPANSION))
        : size;
  }

  /** Bytes of the content; of a gzip as many as its size makes believable. */
  long contentSize() {
    return gzip ? size * DatasetBounds.EXPANSION : size;
  }

  /** The first bytes of the content, at most {@code length}. */
  byte[] head(int length) throws IOException {
    try (InputStream in = content()) {
      return in.readNBytes(length);
    }
  }

  /** The content from its start, buffered. */
  InputStream content() throws IOException {
    InputStream raw = Files.newInputStream(path);
    if (!gzip) {
      return new BufferedInputStream(raw, BUFFER);
    }
    try {
      InputStream unpacked = new GZIPInputStream(raw, BUFFER);
      return new BufferedInputStream(new BoundedInputStream(unpacked, contentBound()), BUFFER);
    } catch (IOException broken) {
      raw.close();
      throw broken;
    }
  }

  /**
   * The content as a file, for formats that are not read from start to end: this file, or what its
   * gzip unpacks to, beside the system's temporary files until it is closed.
   */
  Plain plain() throws IOException {
    if (!gzip) {
      return new Plain(path, size, false);
    }
    Path unpacked = Files.createTempFile("dataset", ".unpacked");
    try (InputStream in = content()) {
      Files.copy(in, unpacked, StandardCopyOption.REPLACE_EXISTING);
      return new Plain(unpacked, Files.size(unpacked), true);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(unpacked);
      throw e;
    }
  }

  /**
   * Content as a file.
   *
   * @param size in bytes
   * @param temporary whether closing deletes it
   */
  record Plain(Path path, long size, boolean temporary) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      if (temporary) {
        Files.deleteIfExists(path);
      }
    }
  }

  /** Of the bytes on disk, in lower-case hexadecimal. */
  record Checksums(String sha256, String md5) {}

  /** Reads all of the file. */
  Checksums checksums() throws IOException {
    MessageDigest sha256 = digest("SHA-256");
    MessageDigest md5 = digest("MD5");
    try (InputStream in = Files.newInputStream(path)) {
      byte[] buffer = new byte[BUFFER];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        sha256.update(buffer, 0, read);
        md5.update(buffer, 0, read);
      }
    }
    HexFormat hex = HexFormat.of();
    return new Checksums(hex.formatHex(sha256.digest()), hex.formatHex(md5.digest()));
  }

  private static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }

  /** Ends with an error when more bytes come than a file of this size honestly expands to. */
  private static final class BoundedInputStream extends FilterInputStream {
    private final long bound;
    private long count;

    BoundedInputStream(InputStream in, long bound) {
      super(in);
      this.bound = bound;
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      counted(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = super.read(bytes, offset, length);
      counted(Math.max(read, 0));
      return read;
    }

    private void counted(int more) {
      count += more;
      if (count > bound) {
        throw new InvalidContentException(
            "its gzip expands to more than "
                + bound
                + " bytes; unpack it with gunzip, if that is right");
      }
    }
  }
}
