package dev.loadgen.simulator;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sizes of images, from their first bytes, and the number of prompt tokens they take. */
final class Images {
  /** Pixels of one token's side in Qwen3-VL: patches of 16 pixels, merged 2 by 2. */
  private static final int TOKEN_SIDE = 32;

  /** Width and height in pixels. */
  record Size(int width, int height) {
    /** The prompt tokens of an image of this size, without the marks around them; at least one. */
    int tokens() {
      return side(width) * side(height);
    }

    private static int side(int pixels) {
      return Math.max(1, (pixels + TOKEN_SIDE / 2) / TOKEN_SIDE);
    }
  }

  private Images() {}

  /** The size of a PNG, JPEG, GIF or WEBP image; empty when the bytes are none of them. */
  static Optional<Size> size(byte[] image) {
    try {
      if (starts(image, 0, "\u0089PNG")) {
        return Optional.of(at(image, 16, ByteOrder.BIG_ENDIAN, true));
      }
      if (starts(image, 0, "GIF8")) {
        return Optional.of(at(image, 6, ByteOrder.LITTLE_ENDIAN, false));
      }
      if (starts(image, 0, "\u00ff\u00d8\u00ff")) {
        return Optional.ofNullable(jpeg(image));
      }
      boolean webp = starts(image, 0, "RIFF") && starts(image, 8, "WEBP");
      return webp ? Optional.ofNullable(webp(image)) : Optional.empty();
    } catch (IndexOutOfBoundsException e) {
      return Optional.empty(); // cut off before its size
    }
  }

  private static boolean starts(byte[] image, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return image.length >= at + bytes.length
        && Arrays.equals(image, at, at + bytes.length, bytes, 0, bytes.length);
  }

  private static Size at(byte[] image, int offset, ByteOrder order, boolean wide) {
    ByteBuffer buffer = ByteBuffer.wrap(image).order(order);
    return wide
        ? new Size(buffer.getInt(offset), buffer.getInt(offset + 4))
        : new Size(buffer.getShort(offset) & 0xffff, buffer.getShort(offset + 2) & 0xffff);
  }

  /** Walks the segments to the start of frame, which holds height before width. */
  private static @Nullable Size jpeg(byte[] image) {
    ByteBuffer buffer = ByteBuffer.wrap(image);
    int at = 2;
    while (at + 9 < image.length) {
      int marker = image[at + 1] & 0xff;
      boolean frame =
          marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
      if (frame) {
        return new Size(buffer.getShort(at + 7) & 0xffff, buffer.getShort(at + 5) & 0xffff);
      }
      at += 2 + (buffer.getShort(at + 2) & 0xffff);
    }
    return null;
  }

  /** The three forms of WEBP: lossy, lossless and extended. */
  private static @Nullable Size webp(byte[] image) {
    ByteBuffer buffer = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    if (starts(image, 12, "VP8 ")) {
      return new Size(buffer.getShort(26) & 0x3fff, buffer.getShort(28) & 0x3fff);
    }
    if (starts(image, 12, "VP8L")) {
      int bits = buffer.getInt(21);
      return new Size((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
    }
    if (starts(image, 12, "VP8X")) {
      // Three bytes each; read from the byte before them, so as not to need one after the last.
      return new Size((buffer.getInt(23) >>> 8) + 1, (buffer.getInt(26) >>> 8) + 1);
    }
    return null;
  }
}
