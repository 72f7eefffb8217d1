package dev.loadgen.simulator;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request as RFC 9112 frames it.
 *
 * @param method the method, upper case as sent
 * @param path the path without query
 * @param headers the last value of each header, by lower-case name
 * @param body the body, decoded from chunks if it came so; not to be changed
 * @param keepAlive whether the connection serves another request after this one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy of each body would cost
record ReceivedRequest(
    String method, String path, Map<String, String> headers, byte[] body, boolean keepAlive) {
  private static final int LINE_LIMIT = 64 * 1024;
  private static final int BODY_LIMIT = 512 * 1024 * 1024;

  /** The bytes on the connection are no HTTP/1.x request. */
  static final class MalformedException extends IOException {
    MalformedException(String message) {
      super(message);
    }
  }

  @Nullable String header(String lowerCaseName) {
    return headers.get(lowerCaseName);
  }

  /** The same without {@code basePath} at the beginning of its path; what is elsewhere is at /. */
  ReceivedRequest below(String basePath) {
    String inside = path.startsWith(basePath + "/") ? path.substring(basePath.length()) : "/";
    return new ReceivedRequest(method, inside, headers, body, keepAlive);
  }

  /** Reads one request. {@code out} is for the interim answer to {@code Expect: 100-continue}. */
  static ReceivedRequest read(InputStream in, OutputStream out) throws IOException {
    String[] start = line(in).split(" ", -1);
    if (start.length != 3 || !start[2].startsWith("HTTP/1.")) {
      throw new MalformedException("not an HTTP/1.x request line");
    }
    Map<String, String> headers = new HashMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      if (colon <= 0) {
        throw new MalformedException("a header line has no colon");
      }
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    if ("100-continue".equalsIgnoreCase(headers.get("expect"))) {
      out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      out.flush();
    }
    String connection = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
    boolean keepAlive =
        start[2].equals("HTTP/1.0")
            ? connection.contains("keep-alive")
            : !connection.contains("close");
    int query = start[1].indexOf('?');
    return new ReceivedRequest(
        start[0],
        query < 0 ? start[1] : start[1].substring(0, query),
        Map.copyOf(headers),
        body(in, headers),
        keepAlive);
  }

  private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
    if (headers
        .getOrDefault("transfer-encoding", "")
        .toLowerCase(Locale.ROOT)
        .endsWith("chunked")) {
      return chunks(in);
    }
    String length = headers.get("content-length");
    return length == null ? new byte[0] : exactly(in, size(length, 10));
  }

  private static byte[] chunks(InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      String head = line(in);
      int extension = head.indexOf(';');
      int size = size(extension < 0 ? head : head.substring(0, extension), 16);
      if (size == 0) {
        while (!line(in).isEmpty()) {} // trailers
        return body.toByteArray();
      }
      body.write(exactly(in, size));
      if (body.size() > BODY_LIMIT || !line(in).isEmpty()) {
        throw new MalformedException("a chunk is too large or not closed");
      }
    }
  }

  private static int size(String text, int radix) throws MalformedException {
    try {
      int size = Integer.parseInt(text.strip(), radix);
      if (size >= 0 && size <= BODY_LIMIT) {
        return size;
      }
    } catch (NumberFormatException e) {
      throw new MalformedException("'" + text + "' is not a length");
    }
    throw new MalformedException("a body of " + text + " bytes is beyond the limit");
  }

  private static byte[] exactly(InputStream in, int size) throws IOException {
    byte[] bytes = in.readNBytes(size);
    if (bytes.length < size) {
      throw new EOFException("the body ended early");
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the connection ended in a line");
      }
      if (line.length() >= LINE_LIMIT) {
        throw new MalformedException("a line is too long");
      }
      line.append((char) b);
    }
    int end = line.length();
    return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
  }
}
