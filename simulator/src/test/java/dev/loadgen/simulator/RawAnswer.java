package dev.loadgen.simulator;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * All bytes that a server sends on a connection until it closes it, or until the answer is
 * complete.
 */
record RawAnswer(String text) {
  /** Posts {@code body} on a connection of its own and asks to close it after the answer. */
  static RawAnswer of(Simulator simulator, String path, String body) throws IOException {
    try (Socket socket = send(simulator, path, body)) {
      socket.setSoTimeout(30_000);
      return new RawAnswer(
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  static Socket send(Simulator simulator, String path, String body) throws IOException {
    return raw(
        simulator,
        "POST "
            + path
            + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: "
            + body.getBytes(StandardCharsets.UTF_8).length
            + "\r\n\r\n"
            + body);
  }

  /** Sends {@code bytes} as they are. */
  static Socket raw(Simulator simulator, String bytes) throws IOException {
    Socket socket = new Socket(simulator.url().getHost(), simulator.url().getPort());
    try {
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.UTF_8));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  List<String> events() {
    return text.lines().filter(line -> line.startsWith("data: ")).toList();
  }
}
