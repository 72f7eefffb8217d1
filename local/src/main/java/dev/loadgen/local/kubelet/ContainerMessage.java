package dev.loadgen.local.kubelet;

import io.fabric8.kubernetes.api.model.Container;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a container says when it ends, within the limits that the real kubelet keeps. */
final class ContainerMessage {
  /** Where a container writes it unless it says otherwise. */
  static final String DEFAULT_PATH = "/dev/termination-log";

  // k8s.io/kubernetes/pkg/kubelet/container: MaxContainerTerminationMessageLength and ...LogLines.
  private static final int FILE_BYTES = 4096;
  private static final int LOG_BYTES = 2048;
  private static final int LOG_LINES = 80;

  private ContainerMessage() {}

  /** The message; empty if there is none. */
  static String of(Container container, int exitCode, Path file, Path log) throws IOException {
    if (Files.isRegularFile(file) && Files.size(file) > 0) {
      try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
        byte[] bytes = new byte[(int) Math.min(FILE_BYTES, in.length())];
        in.readFully(bytes);
        return decode(bytes);
      }
    }
    boolean fromLog = "FallbackToLogsOnError".equals(container.getTerminationMessagePolicy());
    return fromLog && exitCode != 0 ? tail(log) : "";
  }

  /** The last lines of a log. */
  static String tail(Path log) throws IOException {
    if (!Files.isRegularFile(log)) {
      return "";
    }
    try (RandomAccessFile in = new RandomAccessFile(log.toFile(), "r")) {
      byte[] bytes = new byte[(int) Math.min(LOG_BYTES, in.length())];
      in.seek(in.length() - bytes.length);
      in.readFully(bytes);
      var lines = decode(bytes).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    }
  }

  /** UTF-8 with what the cut broke left out. */
  private static String decode(byte[] bytes) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.IGNORE)
            .onUnmappableCharacter(CodingErrorAction.IGNORE);
    CharBuffer text = CharBuffer.allocate(bytes.length);
    decoder.decode(ByteBuffer.wrap(bytes), text, true);
    return text.flip().toString();
  }
}
