package dev.loadgen.runner.logs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/** Copies a log line by line, so that a secret in it is never cut in two and missed. */
final class LogLines {
  /** A line that is longer than this is cut; container runtimes cut at a fraction of it. */
  static final int LONGEST = 1024 * 1024;

  private static final int CHUNK = 64 * 1024;

  private final UnaryOperator<String> redact;
  private final OutputStream out;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean skipsLine;
  private long tooMuch;

  private LogLines(UnaryOperator<String> redact, OutputStream out, boolean skipsLine) {
    this.redact = redact;
    this.out = out;
    this.skipsLine = skipsLine;
  }

  /**
   * Copies {@code in} to {@code out} as {@code redact} has each line.
   *
   * @param withoutFirst whether the first line is left out, since its start is not there
   * @param whileCopying is called now and then
   */
  static void copy(
      InputStream in,
      OutputStream out,
      UnaryOperator<String> redact,
      boolean withoutFirst,
      Runnable whileCopying)
      throws IOException {
    LogLines lines = new LogLines(redact, out, withoutFirst);
    byte[] chunk = new byte[CHUNK];
    for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
      lines.take(chunk, length);
      whileCopying.run();
    }
    lines.endLine(false);
  }

  private void take(byte[] chunk, int length) throws IOException {
    int from = 0;
    for (int i = 0; i < length; i++) {
      if (chunk[i] == '\n') {
        append(chunk, from, i - from);
        endLine(true);
        from = i + 1;
      }
    }
    append(chunk, from, length - from);
  }

  private void append(byte[] bytes, int offset, int length) {
    int kept = skipsLine ? 0 : Math.min(length, LONGEST - line.size());
    line.write(bytes, offset, kept);
    tooMuch += skipsLine ? 0 : length - kept;
  }

  private void endLine(boolean complete) throws IOException {
    if (skipsLine) {
      skipsLine = !complete;
      return;
    }
    // One character a byte, there and back: a log is not always the UTF-8 that it should be.
    String text = redact.apply(line.toString(StandardCharsets.ISO_8859_1));
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    if (tooMuch > 0) {
      out.write(
          (" [loadgen: " + tooMuch + " more bytes of this line are not kept]")
              .getBytes(StandardCharsets.UTF_8));
    }
    if (complete) {
      out.write('\n');
    }
    line.reset();
    tooMuch = 0;
  }
}
