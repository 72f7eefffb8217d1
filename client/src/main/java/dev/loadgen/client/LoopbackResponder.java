package dev.loadgen.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.loadgen.contract.RunPlan;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A server on the loopback interface that answers every request of a plan's client at once with the
 * same valid answer. The runner drives it before a test, so that the just-in-time compiler is done
 * with the measured path when the test begins; no number of it is ever reported.
 */
public final class LoopbackResponder implements AutoCloseable {
  private static final int MAX_REQUEST_BYTES = 64 << 20;
  private static final String WORD = " word";

  /** A line feed, which has to be escaped: such an event is read by the JSON parser. */
  private static final String LINE_FEED = "\\n";

  /** About as often as models end a line. */
  private static final int WORDS_OF_A_LINE = 8;

  /** What else servers send with each event. */
  private static final String HEAD_OF_EVENT =
      "\"id\":\"cmpl-0123456789abcdef\",\"object\":\"text_completion\",\"created\":1767225600,"
          + "\"model\":\"warm-up\",";

  private static final byte[] END_OF_LINE = {'\r', '\n'};

  /** A connection is closed after so many answers, since tests begin with new ones. */
  private static final int ANSWERS_PER_CONNECTION = 10;

  /** Between the tokens of an answer that is not sent at once. */
  private static final Duration PAUSE = Duration.ofMillis(1);

  private final ServerSocket listener;
  private final Thread acceptor =
      Thread.ofVirtual().name("loopback-responder").unstarted(this::accept);
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private final Route route;
  private final boolean streaming;
  private final int tokens;

  /** The ids of an answer of so many tokens: numbers from 1. */
  private final String[] ids;

  private LoopbackResponder(ServerSocket listener, Route route, boolean streaming, int tokens) {
    this.listener = listener;
    this.route = route;
    this.streaming = streaming;
    this.tokens = tokens;
    this.ids = new String[tokens + 1];
    ids[1] = "1";
    for (int count = 2; count <= tokens; count++) {
      ids[count] = ids[count - 1] + "," + count;
    }
  }

  /**
   * Starts a responder on a free port.
   *
   * @param plan whose engine, route and streaming it answers
   * @param tokens of each answer, at least 1; a streamed answer has an event for each
   * @throws IllegalArgumentException if the plan's engine has no such route
   */
  public static LoopbackResponder start(RunPlan plan, int tokens) throws IOException {
    if (tokens < 1) {
      throw new IllegalArgumentException("an answer needs at least one token");
    }
    Route route = Route.of(plan.server().engine(), plan.server().endpointType());
    ServerSocket listener = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
    LoopbackResponder responder =
        new LoopbackResponder(listener, route, plan.client().streaming(), tokens);
    responder.acceptor.start();
    return responder;
  }

  /** The base URL to send requests to. */
  public URI baseUrl() {
    return URI.create(
        "http://"
            + InetAddress.getLoopbackAddress().getHostAddress()
            + ":"
            + listener.getLocalPort());
  }

  /** Stops listening and closes all connections; a client that comes later is refused. */
  @Override
  public void close() {
    closeQuietly(listener);
    try {
      // The kernel listens until the thread that waits in accept has let go of the socket.
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connections.forEach(LoopbackResponder::closeQuietly);
  }

  private void accept() {
    while (!listener.isClosed()) {
      Socket socket;
      try {
        socket = listener.accept();
      } catch (IOException e) {
        // Closed, or out of file descriptors: the warm-up ends by the requests' own deadlines.
        closeQuietly(listener);
        return;
      }
      connections.add(socket);
      if (listener.isClosed()) {
        closeQuietly(socket);
      }
      Thread.ofVirtual().start(() -> serve(socket));
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream(), 16 << 10);
      OutputStream out = socket.getOutputStream();
      for (int answers = 1; answers <= ANSWERS_PER_CONNECTION; answers++) {
        int length = bodyLength(in);
        if (length < 0) {
          return;
        }
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
          return;
        }
        answer(out, prompts(body), answers % 2 == 0, answers == ANSWERS_PER_CONNECTION);
      }
    } catch (IOException e) {
      // The client has gone, which ends the connection and nothing else.
    } finally {
      connections.remove(socket);
    }
  }

  /** Reads the head of a request; -1 if there is none. */
  private static int bodyLength(InputStream in) throws IOException {
    int length = -1;
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b >= 0; b = in.read()) {
      if (b != '\n') {
        if (b != '\r') {
          line.append((char) b);
        }
        continue;
      }
      if (line.isEmpty()) {
        return length;
      }
      int colon = line.indexOf(":");
      if (colon > 0 && line.substring(0, colon).equalsIgnoreCase("content-length")) {
        length = Integer.parseInt(line.substring(colon + 1).strip());
        if (length > MAX_REQUEST_BYTES) {
          return -1;
        }
      }
      line.setLength(0);
    }
    return -1;
  }

  /**
   * Number of prompts in a request: the length of the list, unless it is one prompt's token ids.
   */
  private static int prompts(byte[] body) throws IOException {
    try (JsonParser parser = Json.FACTORY.createParser(body)) {
      parser.nextToken();
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        JsonToken value = parser.nextToken();
        boolean input = name.equals("prompt") || name.equals("input_ids") || name.equals("text");
        if (!input || value != JsonToken.START_ARRAY) {
          parser.skipChildren();
          continue;
        }
        int prompts = 0;
        for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
          if (t == JsonToken.VALUE_NUMBER_INT) {
            return 1;
          }
          parser.skipChildren();
          prompts++;
        }
        return prompts;
      }
    }
    return 1;
  }

  /**
   * A server that is idle sends a token at a time, and one that is not several at once. The code
   * that takes them is the same and still compiled differently, so there are answers of both kinds.
   */
  private void answer(OutputStream out, int prompts, boolean paced, boolean last)
      throws IOException {
    if (!streaming) {
      byte[] body = body(prompts);
      ByteArrayOutputStream whole = new ByteArrayOutputStream(body.length + 256);
      whole.writeBytes(head("application/json", "content-length: " + body.length, last));
      whole.writeBytes(body);
      out.write(whole.toByteArray());
      return;
    }
    ByteArrayOutputStream unsent = new ByteArrayOutputStream(paced ? 1 << 10 : 16 << 10);
    unsent.writeBytes(head("text/event-stream; charset=utf-8", "transfer-encoding: chunked", last));
    for (int token = 1; token <= tokens; token++) {
      for (int prompt = 0; prompt < prompts; prompt++) {
        chunk(unsent, event(prompt, token));
      }
      if (paced) {
        unsent.writeTo(out);
        unsent.reset();
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
    if (route != Route.GENERATE) {
      chunk(unsent, "{" + HEAD_OF_EVENT + "\"choices\":[]," + usage(prompts) + "}");
    }
    chunk(unsent, "[DONE]");
    unsent.writeBytes(ascii("0\r\n\r\n"));
    unsent.writeTo(out);
  }

  private static byte[] head(String contentType, String framing, boolean last) {
    return ascii(
        String.join(
            "\r\n",
            "HTTP/1.1 200 OK",
            "date: Thu, 01 Jan 1970 00:00:00 GMT",
            "server: uvicorn",
            "content-type: " + contentType,
            framing,
            "connection: " + (last ? "close" : "keep-alive"),
            "",
            ""));
  }

  private static void chunk(ByteArrayOutputStream out, String data) {
    byte[] event = ascii("data: " + data + "\n\n");
    out.writeBytes(ascii(Integer.toHexString(event.length) + "\r\n"));
    out.writeBytes(event);
    out.writeBytes(END_OF_LINE);
  }

  private String event(int prompt, int token) {
    boolean last = token == tokens;
    String text = token % WORDS_OF_A_LINE == WORDS_OF_A_LINE / 2 ? LINE_FEED : WORD;
    String reason = last ? "\"length\"" : "null";
    return switch (route) {
      case COMPLETIONS ->
          "{"
              + HEAD_OF_EVENT
              + "\"choices\":[{\"index\":"
              + prompt
              + ",\"text\":\""
              + text
              + "\",\"logprobs\":null,\"finish_reason\":"
              + reason
              + ",\"stop_reason\":null,\"token_ids\":["
              + token
              + "]}],\"usage\":null}";
      case CHAT_COMPLETIONS ->
          "{"
              + HEAD_OF_EVENT
              + "\"choices\":[{\"index\":"
              + prompt
              + ",\"delta\":{\"content\":\""
              + text
              + "\"},\"logprobs\":null,\"finish_reason\":"
              + reason
              + ",\"token_ids\":["
              + token
              + "]}],\"usage\":null}";
      case GENERATE -> generated(token, last, prompt);
    };
  }

  private String generated(int token, boolean last, int prompt) {
    return "{\"text\":\""
        + WORD.repeat(token)
        + "\",\"output_ids\":["
        + ids[token]
        + "],\"meta_info\":{\"finish_reason\":"
        + (last ? "{\"type\":\"length\",\"length\":" + token + "}" : "null")
        + ",\"completion_tokens\":"
        + token
        + "},\"index\":"
        + prompt
        + "}";
  }

  private byte[] body(int prompts) {
    StringBuilder json = new StringBuilder();
    String text = WORD.repeat(tokens);
    for (int prompt = 0; prompt < prompts; prompt++) {
      json.append(prompt == 0 ? "" : ",");
      switch (route) {
        case COMPLETIONS ->
            json.append("{\"index\":")
                .append(prompt)
                .append(",\"text\":\"")
                .append(text)
                .append("\",\"finish_reason\":\"length\",\"token_ids\":[")
                .append(ids[tokens])
                .append("]}");
        case CHAT_COMPLETIONS ->
            json.append("{\"index\":")
                .append(prompt)
                .append(",\"message\":{\"content\":\"")
                .append(text)
                .append("\"},\"finish_reason\":\"length\",\"token_ids\":[")
                .append(ids[tokens])
                .append("]}");
        case GENERATE -> json.append(generated(tokens, true, prompt));
      }
    }
    return ascii(
        switch (route) {
          case COMPLETIONS, CHAT_COMPLETIONS ->
              "{\"choices\":[" + json + "]," + usage(prompts) + "}";
          case GENERATE -> prompts == 1 ? json.toString() : "[" + json + "]";
        });
  }

  private String usage(int prompts) {
    return "\"usage\":{\"completion_tokens\":" + prompts * tokens + "}";
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void closeQuietly(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
