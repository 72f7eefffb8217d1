package dev.loadgen.client.transport;

import dev.loadgen.fuzz.Mutations;
import java.io.ByteArrayOutputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A response of HTTP/1.1 whose head or framing is changed, and how the event loop hands it on. */
public final class FuzzedResponse {
  private FuzzedResponse() {}

  /** Head and body, framed in chunks, by its length or by the connection's end. */
  public static byte[] of(Mutations change, String contentType, byte[] body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int framing = change.below(3);
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: "
            + contentType
            + "\r\n"
            + switch (framing) {
              case 0 -> "Transfer-Encoding: chunked\r\n";
              case 1 -> "Content-Length: " + body.length + "\r\n";
              default -> "";
            };
    if (change.oneIn(6)) {
      head = change.oneIn(2) ? change.lines(head) : change.text(head);
    }
    bytes.writeBytes((head + "\r\n").getBytes(StandardCharsets.UTF_8));
    if (framing != 0) {
      bytes.writeBytes(body);
      return bytes.toByteArray();
    }
    int at = 0;
    while (at < body.length) {
      int length = Math.min(body.length - at, 1 + change.below(400));
      String size = change.oneIn(60) ? change.numeral() : Integer.toHexString(length);
      bytes.writeBytes((size + "\r\n").getBytes(StandardCharsets.UTF_8));
      bytes.write(body, at, length);
      bytes.writeBytes((change.oneIn(60) ? "\r" : "\r\n").getBytes(StandardCharsets.UTF_8));
      at += length;
    }
    bytes.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  /** Reads a response in parts and ends it as the event loop does. */
  public static void play(byte[] response, int part, ResponseSink sink) {
    ResponseReader reader = new ResponseReader();
    long now = 0;
    sink.connected(now);
    sink.sent(now);
    try {
      for (int at = 0; at < response.length && !reader.complete(); at += part) {
        int length = Math.min(part, response.length - at);
        byte[] buffer = Arrays.copyOfRange(response, at, at + length);
        reader.read(buffer, 0, length, sink, ++now);
      }
    } catch (ProtocolException e) {
      sink.failed(
          new TransportException(TransportException.Kind.BROKEN, String.valueOf(e.getMessage()), e),
          ++now);
      return;
    }
    if (reader.complete() || reader.completeAtEndOfStream()) {
      sink.ended(++now);
    } else {
      sink.failed(
          new TransportException(TransportException.Kind.BROKEN, "the connection was closed", null),
          ++now);
    }
  }
}
