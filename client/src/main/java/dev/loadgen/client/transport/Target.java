package dev.loadgen.client.transport;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import okhttp3.HttpUrl;

/** Where requests to one URL go, and the head that they have in common. */
final class Target {
  /** What connections are shared by. */
  record Origin(String host, int port) {
    /** As messages name it. */
    String authority() {
      return host + ":" + port;
    }
  }

  private static final byte[] END_OF_HEAD = {'\r', '\n', '\r', '\n'};

  private final Origin origin;
  private final byte[] stream;
  private final byte[] whole;

  private Target(HttpUrl url, Map<String, String> headers) {
    this.origin = new Origin(url.host(), url.port());
    this.stream = head(url, "text/event-stream", headers);
    this.whole = head(url, "application/json", headers);
  }

  /**
   * The target of a URL.
   *
   * @param headers of every request; they go before ours of the same name
   * @throws IllegalArgumentException if it is not of http
   */
  static Target of(URI uri, Map<String, String> headers) {
    HttpUrl url = HttpUrl.get(uri);
    if (url == null || url.isHttps()) {
      throw new IllegalArgumentException("not an http URL: " + uri);
    }
    return new Target(url, headers);
  }

  Origin origin() {
    return origin;
  }

  /** Request line and headers of a request with a body of {@code length} bytes. */
  byte[] head(boolean eventStream, int length) {
    byte[] common = eventStream ? stream : whole;
    byte[] digits = Integer.toString(length).getBytes(StandardCharsets.US_ASCII);
    byte[] head = Arrays.copyOf(common, common.length + digits.length + END_OF_HEAD.length);
    System.arraycopy(digits, 0, head, common.length, digits.length);
    System.arraycopy(END_OF_HEAD, 0, head, common.length + digits.length, END_OF_HEAD.length);
    return head;
  }

  private static byte[] head(HttpUrl url, String accept, Map<String, String> given) {
    String host = url.host().contains(":") ? "[" + url.host() + "]" : url.host();
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.put("Accept", accept);
    headers.put("User-Agent", "loadgen-operator");
    headers.putAll(given);
    headers.put("Accept-Encoding", "identity");
    headers.put("Content-Type", "application/json");
    String query = url.encodedQuery();
    StringBuilder head = new StringBuilder("POST ").append(url.encodedPath());
    if (query != null) {
      head.append('?').append(query);
    }
    head.append(" HTTP/1.1\r\nHost: ").append(host);
    if (url.port() != 80) {
      head.append(':').append(url.port());
    }
    headers.forEach((name, value) -> head.append("\r\n").append(name).append(": ").append(value));
    return head.append("\r\nContent-Length: ").toString().getBytes(StandardCharsets.ISO_8859_1);
  }
}
