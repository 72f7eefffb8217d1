package dev.loadgen.datasets.payload;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Bytes to be sent, in parts. A part may be held in another form than it is sent in: the bytes of
 * an image become base64 when they are written, so that a dataset of images is in memory once.
 * Immutable and safe for use by many threads, as long as nobody changes what it was made of.
 */
public final class Payload {
  /** Bytes of an image that become base64 at once; a multiple of three. */
  private static final int CHUNK_BYTES = 12 * 1024;

  private final Part[] parts;

  /** Where each part ends. */
  private final int[] ends;

  private Payload(List<Part> parts) {
    this.parts = parts.toArray(Part[]::new);
    this.ends = new int[this.parts.length];
    long end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += this.parts[i].length();
      if (end > Integer.MAX_VALUE) {
        throw new IllegalArgumentException("a request of more than 2 GiB cannot be sent");
      }
      ends[i] = (int) end;
    }
  }

  /** What is sent as it is held. */
  public static Payload of(byte[] bytes) {
    return new Payload(List.of(new Plain(bytes)));
  }

  /** Nothing yet. */
  public static Builder builder() {
    return new Builder();
  }

  /** Bytes that are sent. */
  public int length() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  /**
   * Writes what follows {@code from}, as much as there is space for.
   *
   * @param from the first byte, from 0 to {@link #length}
   */
  public void put(int from, ByteBuffer into) {
    int part = 0;
    while (part < ends.length && ends[part] <= from) {
      part++;
    }
    int at = from;
    while (part < ends.length && into.hasRemaining()) {
      int begin = part == 0 ? 0 : ends[part - 1];
      int before = into.position();
      parts[part].put(at - begin, into);
      at += into.position() - before;
      if (at == ends[part]) {
        part++;
      }
    }
  }

  /** Writes all of it. */
  public void writeTo(OutputStream out) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(CHUNK_BYTES);
    for (int at = 0; at < length(); at += buffer.position()) {
      put(at, buffer.clear());
      out.write(buffer.array(), 0, buffer.position());
    }
  }

  /** All of it, in an array of its own. */
  public byte[] toBytes() {
    ByteBuffer buffer = ByteBuffer.allocate(length());
    put(0, buffer);
    return buffer.array();
  }

  @Override
  public String toString() {
    return "Payload[" + length() + " bytes]";
  }

  /** Part after part. For one thread. */
  public static final class Builder {
    private final List<Part> parts = new ArrayList<>();

    private Builder() {}

    /** Bytes that are sent as they are. */
    public Builder bytes(byte[] bytes) {
      parts.add(new Plain(bytes));
      return this;
    }

    /** What remains of a buffer, as base64 with padding. */
    public Builder base64(ByteBuffer bytes) {
      parts.add(new Encoded(bytes.slice()));
      return this;
    }

    /** Text of ASCII characters alone, one byte each. */
    public Builder ascii(String text) {
      parts.add(new Ascii(text));
      return this;
    }

    /** All parts of another one. */
    public Builder all(Payload other) {
      parts.addAll(List.of(other.parts));
      return this;
    }

    /**
     * What was added.
     *
     * @throws IllegalArgumentException if it is more than an {@code int} counts
     */
    public Payload build() {
      return new Payload(parts);
    }
  }

  private sealed interface Part {
    long length();

    /** Writes what follows {@code from}, of this part alone. */
    void put(int from, ByteBuffer into);
  }

  // Arrays for the hot path; nothing compares parts.
  @SuppressWarnings("ArrayRecordComponent")
  private record Plain(byte[] bytes) implements Part {
    @Override
    public long length() {
      return bytes.length;
    }

    @Override
    public void put(int from, ByteBuffer into) {
      into.put(bytes, from, Math.min(into.remaining(), bytes.length - from));
    }
  }

  private record Ascii(String text) implements Part {
    @Override
    public long length() {
      return text.length();
    }

    @Override
    public void put(int from, ByteBuffer into) {
      int end = Math.min(text.length(), from + into.remaining());
      into.put(text.substring(from, end).getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Three bytes are four characters, so that each four can be made without those before. */
  private record Encoded(ByteBuffer bytes) implements Part {
    @Override
    public long length() {
      return (bytes.limit() + 2L) / 3 * 4;
    }

    @Override
    public void put(int from, ByteBuffer into) {
      int source = from / 4 * 3;
      int skipped = from % 4;
      while (source < bytes.limit() && into.hasRemaining()) {
        int wanted = (int) Math.min((into.remaining() + skipped + 3L) / 4 * 3, CHUNK_BYTES);
        byte[] raw = new byte[Math.min(wanted, bytes.limit() - source)];
        bytes.get(source, raw);
        byte[] characters = Base64.getEncoder().encode(raw);
        into.put(characters, skipped, Math.min(into.remaining(), characters.length - skipped));
        source += raw.length;
        skipped = 0;
      }
    }
  }
}
