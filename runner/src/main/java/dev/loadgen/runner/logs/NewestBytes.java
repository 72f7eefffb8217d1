package dev.loadgen.runner.logs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/**
 * A file that keeps the newest bytes of a stream of any length: it grows to its limit, and then
 * begins again at its start. Not for use by several threads.
 */
final class NewestBytes extends OutputStream {
  private final RandomAccessFile file;
  private final long limit;
  private long written;

  /** Begins a file, in place of what is there. */
  NewestBytes(Path file, long limit) throws IOException {
    this.file = new RandomAccessFile(file.toFile(), "rw");
    this.limit = limit;
    this.file.setLength(0);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int from = offset;
    int left = length;
    while (left > 0) {
      long position = written % limit;
      int part = (int) Math.min(left, limit - position);
      file.seek(position);
      file.write(bytes, from, part);
      written += part;
      from += part;
      left -= part;
    }
  }

  /** How many bytes were written and are not kept. */
  long lost() {
    return Math.max(0, written - limit);
  }

  /** The bytes that are kept, oldest first; nothing may be written until they are read. */
  InputStream read() {
    return new InputStream() {
      private long next = lost();

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        if (next == written) {
          return -1;
        }
        long position = next % limit;
        int part = (int) Math.min(Math.min(length, limit - position), written - next);
        file.seek(position);
        file.readFully(bytes, offset, part);
        next += part;
        return part;
      }
    };
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
