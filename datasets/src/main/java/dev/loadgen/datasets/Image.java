package dev.loadgen.datasets;

import dev.loadgen.datasets.payload.Payload;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Images of cells as data URLs. A cell holds an image's bytes, base64 text with or without {@code
 * data:} before it, an object with {@code bytes} or {@code path} (the Image of Hugging Face
 * datasets), or the path of a file below the dataset's folder. The media type comes from the
 * image's first bytes, whatever names and data URLs say.
 */
final class Image {
  private static final int HEAD = 32;
  private static final Pattern DATA_URL =
      Pattern.compile("\\Adata:[^,]{0,256};base64,", Pattern.CASE_INSENSITIVE);

  private Image() {}

  /** Where an image is: its bytes, its base64 text, or its file. */
  private sealed interface Source {
    record Bytes(ByteBuffer bytes) implements Source {}

    record Text(String base64) implements Source {}

    record File(Path path) implements Source {}
  }

  /**
   * Makes sure that a cell holds an image.
   *
   * @throws InvalidContentException saying what it holds; row and column are the caller's to add
   */
  static void check(@Nullable Object cell, Path folder) throws IOException {
    switch (source(cell, folder)) {
      case Source.Bytes(ByteBuffer bytes) -> requireMediaType(head(bytes));
      case Source.Text(String base64) -> requireMediaType(decode(base64));
      case Source.File(Path path) -> {
        try (InputStream in = Files.newInputStream(path)) {
          requireMediaType(in.readNBytes(HEAD));
        }
      }
    }
  }

  /**
   * A checked cell as {@code data:TYPE;base64,...} in ASCII, made of the cell's own bytes.
   *
   * @throws IOException when a file cannot be read
   */
  static Payload dataUrl(@Nullable Object cell, Path folder) throws IOException {
    return switch (source(cell, folder)) {
      case Source.Text(String base64) -> {
        String start = base64.substring(0, Math.min(base64.length(), 2 * HEAD));
        yield url(requireMediaType(decode(start))).ascii(base64).build();
      }
      case Source.Bytes(ByteBuffer bytes) -> {
        yield url(requireMediaType(head(bytes))).base64(bytes).build();
      }
      case Source.File(Path path) -> {
        byte[] content = Files.readAllBytes(path);
        yield url(requireMediaType(content)).base64(ByteBuffer.wrap(content)).build();
      }
    };
  }

  private static Payload.Builder url(String mediaType) {
    return Payload.builder().ascii("data:" + mediaType + ";base64,");
  }

  private static Source source(@Nullable Object cell, Path folder) throws IOException {
    return switch (cell) {
      case ByteBuffer bytes -> new Source.Bytes(bytes);
      case String text -> ofText(text, folder);
      case Map<?, ?> object -> ofObject(object, folder);
      case null, default ->
          throw new InvalidContentException(
              "is %s, not an image as bytes, base64 text, {bytes, path} or a file's path"
                  .formatted(CellWords.kind(cell)));
    };
  }

  private static Source ofObject(Map<?, ?> object, Path folder) throws IOException {
    Object bytes = object.get("bytes");
    if (bytes != null) {
      if (bytes instanceof ByteBuffer buffer) {
        return new Source.Bytes(buffer);
      }
      if (bytes instanceof String text) {
        return ofText(text, folder);
      }
      throw new InvalidContentException("has %s as 'bytes'".formatted(CellWords.kind(bytes)));
    }
    if (object.get("path") instanceof String path) {
      return file(path, folder);
    }
    throw new InvalidContentException("is an object with neither 'bytes' nor 'path'");
  }

  private static Source ofText(String text, Path folder) throws IOException {
    if (text.regionMatches(true, 0, "data:", 0, 5)) {
      var prefix = DATA_URL.matcher(text);
      if (!prefix.lookingAt()) {
        throw new InvalidContentException("is a data URL that does not say base64");
      }
      return new Source.Text(padded(stripped(text.substring(prefix.end()))));
    }
    String scheme = text.substring(0, Math.min(text.length(), 8)).toLowerCase(Locale.ROOT);
    if (scheme.startsWith("http://") || scheme.startsWith("https://")) {
      throw new InvalidContentException(
          "is the URL of an image, which servers must not fetch during a test; put the image into"
              + " the dataset");
    }
    return looksLikeBase64(text) ? new Source.Text(padded(stripped(text))) : file(text, folder);
  }

  /** Whether the start of a text decodes to the start of an image, as no path does. */
  private static boolean looksLikeBase64(String text) {
    String start = stripped(text.substring(0, Math.min(text.length(), 2 * HEAD)));
    // one letter is less than a byte
    int end = start.length() % 4 == 1 ? start.length() - 1 : start.length();
    try {
      return mediaType(Base64.getDecoder().decode(start.substring(0, end))) != null;
    } catch (IllegalArgumentException notBase64) {
      return false;
    }
  }

  /** Base64 text without the line ends that some writers put into it. */
  private static String stripped(String base64) {
    for (int i = 0; i < base64.length(); i++) {
      if (base64.charAt(i) <= ' ') {
        return base64.replaceAll("\\s+", "");
      }
    }
    return base64;
  }

  /** Base64 text with the padding that some writers leave out, and servers ask for. */
  private static String padded(String base64) {
    return switch (base64.length() % 4) {
      case 2 -> base64 + "==";
      case 3 -> base64 + "=";
      default -> base64;
    };
  }

  private static byte[] decode(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new InvalidContentException("is not valid base64: " + e.getMessage(), e);
    }
  }

  private static Source file(String name, Path folder) throws IOException {
    Path relative;
    try {
      relative = Path.of(name);
    } catch (InvalidPathException e) {
      throw new InvalidContentException(
          "is text ('%s') that is neither base64 nor a path".formatted(CellWords.brief(name)), e);
    }
    boolean below = !relative.isAbsolute() && !name.isEmpty();
    for (Path part : relative) {
      below &= !part.toString().equals("..");
    }
    if (!below) {
      throw outside(name);
    }
    Path path = folder.resolve(relative);
    if (!Files.isRegularFile(path)) {
      throw new InvalidContentException(
          "is text ('%s') that is neither base64 of an image nor a file below the dataset's folder"
              .formatted(CellWords.brief(name)));
    }
    if (!path.toRealPath().startsWith(folder.toRealPath())) {
      throw outside(name);
    }
    return new Source.File(path);
  }

  private static InvalidContentException outside(String name) {
    return new InvalidContentException(
        "names the file '%s'; images are read from below the dataset's folder alone, so write the path from there, without '..'"
            .formatted(CellWords.brief(name)));
  }

  private static byte[] head(ByteBuffer bytes) {
    byte[] head = new byte[Math.min(bytes.remaining(), HEAD)];
    bytes.get(bytes.position(), head);
    return head;
  }

  private static String requireMediaType(byte[] head) {
    String type = mediaType(head);
    if (type == null) {
      throw new InvalidContentException(
          head.length == 0
              ? "is empty, not an image"
              : "is not an image in a known format (PNG, JPEG, WEBP, GIF, BMP, TIFF, AVIF, HEIC)");
    }
    return type;
  }

  /** The media type that an image's first bytes tell; null: none. */
  private static @Nullable String mediaType(byte[] head) {
    if (startsWith(head, 0, "\u0089PNG\r\n\u001a\n")) {
      return "image/png";
    }
    if (startsWith(head, 0, "\u00ff\u00d8\u00ff")) {
      return "image/jpeg";
    }
    if (startsWith(head, 0, "RIFF") && startsWith(head, 8, "WEBP")) {
      return "image/webp";
    }
    if (startsWith(head, 0, "GIF87a") || startsWith(head, 0, "GIF89a")) {
      return "image/gif";
    }
    if (startsWith(head, 0, "BM") && head.length >= 14 && head[6] == 0 && head[7] == 0) {
      return "image/bmp";
    }
    if (startsWith(head, 0, "II*\0") || startsWith(head, 0, "MM\0*")) {
      return "image/tiff";
    }
    if (startsWith(head, 4, "ftypavif") || startsWith(head, 4, "ftypavis")) {
      return "image/avif";
    }
    if (startsWith(head, 4, "ftyphei") || startsWith(head, 4, "ftypmif1")) {
      return "image/heic";
    }
    return null;
  }

  private static boolean startsWith(byte[] head, int offset, String magic) {
    if (head.length < offset + magic.length()) {
      return false;
    }
    for (int i = 0; i < magic.length(); i++) {
      if ((head[offset + i] & 0xff) != magic.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
