package dev.loadgen.client.transport;

import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Takes one HTTP/1.1 response apart, however its bytes are cut into reads (RFC 9112, sections 4 to
 * 7). Bodies go to the sink as they lie in the caller's array. One thread at a time.
 */
final class ResponseReader {
  /** Most bytes of status lines, header lines and trailers of one response together. */
  static final int MAX_HEAD_BYTES = 64 << 10;

  /** A chunk's size line with its extensions. */
  static final int MAX_CHUNK_LINE_BYTES = 4 << 10;

  private static final int QUOTED_BYTES = 60;
  private static final long UNKNOWN = -1;

  private enum State {
    STATUS_LINE,
    HEADERS,
    KNOWN_LENGTH,
    UNTIL_CLOSE,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILERS,
    COMPLETE
  }

  private State state = State.STATUS_LINE;

  /** The beginning of a line whose end has not arrived. */
  private byte[] partial = {};

  private int partialLength;

  /** Where the line lies that {@link #takeLine} has found. */
  private byte[] line = partial;

  private int lineFrom;
  private int lineTo;

  private int headBytes;
  private int code;
  private boolean answered;
  private String contentType = "";
  private long contentLength = UNKNOWN;
  private boolean chunked;
  private boolean keepAlive;

  /** Bytes of the body, or of the chunk, that have not arrived. */
  private long left;

  void reset() {
    state = State.STATUS_LINE;
    partialLength = 0;
    headBytes = 0;
    answered = false;
    forgetHeaders();
  }

  private void forgetHeaders() {
    contentType = "";
    contentLength = UNKNOWN;
    chunked = false;
    keepAlive = false;
  }

  /** Whether the response has arrived in full. */
  boolean complete() {
    return state == State.COMPLETE;
  }

  /** Whether the sink has been told of the status. */
  boolean answered() {
    return answered;
  }

  /** Whether the connection can carry another request after this response. */
  boolean keepAlive() {
    return keepAlive;
  }

  /** Whether the response is complete now that the server has closed its side. */
  boolean completeAtEndOfStream() {
    return state == State.UNTIL_CLOSE;
  }

  /**
   * Takes the next bytes and returns how many belong to this response: fewer than {@code length}
   * only if it is complete.
   *
   * @throws ProtocolException if the server does not speak HTTP/1.1; the message quotes what it
   *     sent
   */
  int read(byte[] buffer, int offset, int length, ResponseSink sink, long nanoTime)
      throws ProtocolException {
    int end = offset + length;
    int next = offset;
    while (next < end && state != State.COMPLETE) {
      switch (state) {
        case KNOWN_LENGTH, CHUNK, UNTIL_CLOSE -> {
          int count = end - next;
          if (state != State.UNTIL_CLOSE) {
            count = (int) Math.min(left, count);
            left -= count;
          }
          sink.bytes(buffer, next, count, nanoTime);
          next += count;
          if (left == 0 && state != State.UNTIL_CLOSE) {
            state = state == State.CHUNK ? State.CHUNK_END : State.COMPLETE;
          }
        }
        default -> {
          int after = takeLine(buffer, next, end);
          if (after < 0) {
            return length;
          }
          next = after;
          line(sink, nanoTime);
          partialLength = 0;
        }
      }
    }
    return next - offset;
  }

  /** Finds the line that begins at {@code from}; returns where the next one begins, or -1. */
  private int takeLine(byte[] buffer, int from, int end) throws ProtocolException {
    int i = from;
    while (i < end && buffer[i] != '\n') {
      i++;
    }
    boolean ended = i < end;
    int count = i - from + (ended ? 1 : 0);
    if (state == State.CHUNK_SIZE || state == State.CHUNK_END) {
      if (partialLength + count > MAX_CHUNK_LINE_BYTES) {
        throw new ProtocolException("a chunk's size line of more than 4 KiB");
      }
    } else {
      headBytes += count;
      if (headBytes > MAX_HEAD_BYTES) {
        throw new ProtocolException("headers of more than 64 KiB");
      }
    }
    if (ended && partialLength == 0) {
      line = buffer;
      lineFrom = from;
      lineTo = i;
    } else {
      keep(buffer, from, count);
      if (!ended) {
        return -1;
      }
      line = partial;
      lineFrom = 0;
      lineTo = partialLength - 1;
    }
    if (lineTo > lineFrom && line[lineTo - 1] == '\r') {
      lineTo--;
    }
    return i + 1;
  }

  private void keep(byte[] buffer, int from, int count) {
    int needed = partialLength + count;
    if (needed > partial.length) {
      partial = Arrays.copyOf(partial, Math.max(needed, Math.max(128, 2 * partial.length)));
    }
    System.arraycopy(buffer, from, partial, partialLength, count);
    partialLength = needed;
  }

  private void line(ResponseSink sink, long nanoTime) throws ProtocolException {
    switch (state) {
      case STATUS_LINE -> statusLine();
      case HEADERS -> {
        if (lineFrom == lineTo) {
          headEnds(sink, nanoTime);
        } else {
          header();
        }
      }
      case CHUNK_SIZE -> chunkSize();
      case CHUNK_END -> {
        if (lineFrom != lineTo) {
          throw new ProtocolException("a chunk that is longer than its size says");
        }
        state = State.CHUNK_SIZE;
      }
      case TRAILERS -> {
        if (lineFrom == lineTo) {
          state = State.COMPLETE;
        }
      }
      case KNOWN_LENGTH, CHUNK, UNTIL_CLOSE, COMPLETE ->
          throw new IllegalStateException("no line in state " + state);
    }
  }

  private void statusLine() throws ProtocolException {
    // HTTP/1.x SP 3DIGIT [SP reason]
    boolean http =
        lineTo - lineFrom >= 12
            && lineStartsWith("http/1.")
            && isDigit(line[lineFrom + 7])
            && line[lineFrom + 8] == ' '
            && isDigit(line[lineFrom + 9])
            && isDigit(line[lineFrom + 10])
            && isDigit(line[lineFrom + 11])
            && (lineTo - lineFrom == 12 || line[lineFrom + 12] == ' ');
    if (!http) {
      throw new ProtocolException("no status line but " + quote(lineFrom, lineTo));
    }
    code =
        100 * (line[lineFrom + 9] - '0')
            + 10 * (line[lineFrom + 10] - '0')
            + line[lineFrom + 11]
            - '0';
    if (code < 100 || code == 101) {
      throw new ProtocolException("status " + code);
    }
    // HTTP/1.0 closes unless it says otherwise.
    keepAlive = line[lineFrom + 7] != '0';
    state = State.HEADERS;
  }

  private void header() throws ProtocolException {
    if (line[lineFrom] == ' ' || line[lineFrom] == '\t') {
      // A folded line. What it goes on with is empty so far, and refused below if it matters.
      return;
    }
    int colon = lineFrom;
    while (colon < lineTo && line[colon] != ':') {
      colon++;
    }
    if (colon == lineTo || colon == lineFrom || line[colon - 1] == ' ') {
      throw new ProtocolException("a header line without a name: " + quote(lineFrom, lineTo));
    }
    switch (colon - lineFrom) {
      case 10 -> {
        if (lineStartsWith("connection")) {
          connection(value(colon));
        }
      }
      case 12 -> {
        if (lineStartsWith("content-type")) {
          contentType = value(colon);
        }
      }
      case 14 -> {
        if (lineStartsWith("content-length")) {
          contentLength(value(colon));
        }
      }
      case 17 -> {
        if (lineStartsWith("transfer-encoding")) {
          String coding = value(colon);
          if (chunked || !coding.equalsIgnoreCase("chunked")) {
            throw new ProtocolException("Transfer-Encoding " + quote(coding));
          }
          chunked = true;
        }
      }
      default -> {
        // Nothing that framing depends on.
      }
    }
  }

  private void connection(String value) {
    for (String option : value.split(",", -1)) {
      switch (option.strip().toLowerCase(Locale.ROOT)) {
        case "close" -> keepAlive = false;
        case "keep-alive" -> keepAlive = true;
        default -> {
          // A header that is only for this connection.
        }
      }
    }
  }

  private void contentLength(String value) throws ProtocolException {
    // A proxy may have joined equal headers into a list.
    for (String part : value.split(",", -1)) {
      String digits = part.strip();
      if (digits.isEmpty()
          || digits.length() > 18
          || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
        throw new ProtocolException("Content-Length " + quote(value));
      }
      long length = Long.parseLong(digits);
      if (contentLength != UNKNOWN && contentLength != length) {
        throw new ProtocolException("Content-Length " + contentLength + " and " + length);
      }
      contentLength = length;
    }
  }

  private void headEnds(ResponseSink sink, long nanoTime) {
    if (code < 200) {
      // An interim response; the bytes of all of them count against one limit.
      forgetHeaders();
      state = State.STATUS_LINE;
      return;
    }
    if (code == 204 || code == 304) {
      state = State.COMPLETE;
    } else if (chunked) {
      state = State.CHUNK_SIZE;
      if (contentLength != UNKNOWN) {
        // Somebody between us and the server may have believed the other header.
        keepAlive = false;
      }
    } else if (contentLength == UNKNOWN) {
      state = State.UNTIL_CLOSE;
      keepAlive = false;
    } else {
      left = contentLength;
      state = left == 0 ? State.COMPLETE : State.KNOWN_LENGTH;
    }
    answered = true;
    sink.status(code, contentType, nanoTime);
  }

  private void chunkSize() throws ProtocolException {
    long size = 0;
    int i = lineFrom;
    for (; i < lineTo; i++) {
      int digit = Character.digit(line[i], 16);
      if (digit < 0) {
        break;
      }
      if (size > Long.MAX_VALUE >> 5) {
        throw new ProtocolException("chunk size " + quote(lineFrom, lineTo));
      }
      size = 16 * size + digit;
    }
    boolean digits = i > lineFrom;
    while (i < lineTo && (line[i] == ' ' || line[i] == '\t')) {
      i++;
    }
    if (!digits || (i < lineTo && line[i] != ';')) {
      throw new ProtocolException("chunk size " + quote(lineFrom, lineTo));
    }
    left = size;
    state = size == 0 ? State.TRAILERS : State.CHUNK;
  }

  /** Whether the line begins with a text of lower-case letters, in either case. */
  private boolean lineStartsWith(String lowerCase) {
    for (int i = 0; i < lowerCase.length(); i++) {
      int c = line[lineFrom + i];
      if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != lowerCase.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private String value(int colon) {
    int length = lineTo - colon - 1;
    return new String(line, colon + 1, length, StandardCharsets.ISO_8859_1).strip();
  }

  private String quote(int from, int to) {
    return quote(
        new String(line, from, Math.min(to - from, QUOTED_BYTES + 1), StandardCharsets.ISO_8859_1));
  }

  /** What a server sent, short and harmless in any log. */
  private static String quote(String sent) {
    StringBuilder quoted = new StringBuilder("\"");
    sent.chars()
        .limit(QUOTED_BYTES)
        .forEach(c -> quoted.append(c >= ' ' && c < 0x7f ? (char) c : '?'));
    return quoted.append(sent.length() > QUOTED_BYTES ? "...\"" : "\"").toString();
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
