package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request and the way to answer it: once whole, or as a stream of chunks. One thread at a time;
 * each call reaches the network before it returns, in one write.
 */
final class Exchange {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
          .withZone(ZoneOffset.UTC);

  private static final Map<Integer, String> PHRASES =
      Map.ofEntries(
          Map.entry(200, "OK"),
          Map.entry(400, "Bad Request"),
          Map.entry(401, "Unauthorized"),
          Map.entry(403, "Forbidden"),
          Map.entry(404, "Not Found"),
          Map.entry(405, "Method Not Allowed"),
          Map.entry(408, "Request Timeout"),
          Map.entry(413, "Content Too Large"),
          Map.entry(422, "Unprocessable Content"),
          Map.entry(429, "Too Many Requests"),
          Map.entry(500, "Internal Server Error"),
          Map.entry(502, "Bad Gateway"),
          Map.entry(503, "Service Unavailable"),
          Map.entry(504, "Gateway Timeout"));

  private ReceivedRequest request;
  private final Socket socket;
  private final OutputStream out;
  private final TimeSource time;
  private int status;
  private boolean streaming;
  private boolean complete;
  private boolean cut;

  /**
   * An exchange without an answer yet.
   *
   * @param socket the client's connection
   */
  Exchange(ReceivedRequest request, Socket socket, TimeSource time) throws IOException {
    this.request = request;
    this.socket = socket;
    this.out = socket.getOutputStream();
    this.time = time;
  }

  ReceivedRequest request() {
    return request;
  }

  /** Goes on with the request as a server behind a gateway sees it: without {@code basePath}. */
  void enter(String basePath) {
    request = request.below(basePath);
  }

  /** The status that was sent, 0 before. */
  int status() {
    return status;
  }

  static String phrase(int status) {
    return PHRASES.getOrDefault(status, "Status " + status);
  }

  /**
   * Sends a whole answer. {@code contentType} null sends none, as the engines do for empty bodies.
   */
  void send(int code, @Nullable String contentType, byte[] body) throws IOException {
    send(code, contentType, body, Map.of());
  }

  void send(int code, JsonNode body) throws IOException {
    send(code, JsonText.TYPE, JsonText.bytes(body));
  }

  void send(int code, @Nullable String contentType, byte[] body, Map<String, String> headers)
      throws IOException {
    ByteArrayOutputStream message = head(code, contentType, headers);
    ascii(message, "content-length: " + body.length + "\r\n\r\n");
    message.write(body);
    write(message);
    complete = true;
  }

  /** Sends the head for a JSON {@code body} and only half of it; the answer stays incomplete. */
  void sendHalf(byte[] body) throws IOException {
    ByteArrayOutputStream message = head(body.length);
    message.write(body, 0, body.length / 2);
    write(message);
  }

  /** Sends the head for a JSON {@code body}, then the body byte by byte. */
  void sendSlowly(byte[] body, Duration pause) throws IOException, InterruptedException {
    write(head(body.length));
    for (byte one : body) {
      out.write(one);
      out.flush();
      time.sleepUntil(time.nanoTime() + pause.toNanos());
    }
    complete = true;
  }

  /** Sends a whole answer of the same byte over and over. */
  void sendFilled(byte filler, long size) throws IOException {
    write(head(size));
    byte[] block = new byte[1 << 16];
    Arrays.fill(block, filler);
    for (long left = size; left > 0; left -= Math.min(left, block.length)) {
      out.write(block, 0, (int) Math.min(left, block.length));
    }
    out.flush();
    complete = true;
  }

  /** Sends bytes as they are; the connection ends with them. */
  void sendRaw(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
    cut();
  }

  /** Begins a stream if it has not begun, and sends one chunk. */
  void stream(String contentType, byte[] chunk) throws IOException {
    ByteArrayOutputStream message = new ByteArrayOutputStream(chunk.length + 512);
    if (!streaming) {
      message = head(200, contentType, Map.of());
      ascii(message, "transfer-encoding: chunked\r\n\r\n");
      streaming = true;
    }
    ascii(message, Integer.toHexString(chunk.length) + "\r\n");
    message.write(chunk);
    ascii(message, "\r\n");
    write(message);
  }

  /** Sends one chunk of a stream that has begun, or begins it, byte by byte. */
  void streamSlowly(String contentType, byte[] chunk, Duration pause)
      throws IOException, InterruptedException {
    for (byte one : chunk) {
      stream(contentType, new byte[] {one});
      time.sleepUntil(time.nanoTime() + pause.toNanos());
    }
  }

  void endStream() throws IOException {
    ByteArrayOutputStream message = new ByteArrayOutputStream(8);
    ascii(message, "0\r\n\r\n");
    write(message);
    complete = true;
  }

  /** Closes the connection without completing the answer, once the handler returns. */
  void cut() {
    cut = true;
  }

  /** As {@link #cut}, but the connection is reset. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    cut();
  }

  /** Closes our half of the connection; the client can still send. */
  void halfClose() throws IOException {
    socket.shutdownOutput();
    cut();
  }

  /** Whether something of an answer was sent. */
  boolean begun() {
    return status != 0;
  }

  /** Whether the connection can serve another request. */
  boolean reusable() {
    return complete && !cut && request.keepAlive();
  }

  private ByteArrayOutputStream head(
      int code, @Nullable String contentType, Map<String, String> headers) {
    status = code;
    ByteArrayOutputStream message = new ByteArrayOutputStream(1024);
    StringBuilder head = new StringBuilder(256);
    head.append("HTTP/1.1 ").append(code).append(' ').append(phrase(code)).append("\r\n");
    head.append("date: ").append(DATE.format(time.now())).append("\r\n");
    head.append("server: uvicorn\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    if (contentType != null) {
      head.append("content-type: ").append(contentType).append("\r\n");
    }
    head.append("vary: Origin\r\n");
    // So that recorded answers show that no model made them; clients do not look at it.
    head.append("x-simulator: loadgen-operator\r\n");
    if (!request.keepAlive()) {
      head.append("connection: close\r\n");
    }
    ascii(message, head.toString());
    return message;
  }

  private ByteArrayOutputStream head(long size) {
    ByteArrayOutputStream message = head(200, JsonText.TYPE, Map.of());
    ascii(message, "content-length: " + size + "\r\n\r\n");
    return message;
  }

  private void write(ByteArrayOutputStream message) throws IOException {
    message.writeTo(out);
    out.flush();
  }

  private static void ascii(ByteArrayOutputStream message, String text) {
    message.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }
}
