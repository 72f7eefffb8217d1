package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The profiler of a server: what it recorded between start and stop, one event a request, as a file
 * in the format of Chrome's traces. Safe for all threads.
 */
final class Tracer {
  private final TimeSource time;
  private @Nullable ArrayNode events;
  private @Nullable Path file;

  Tracer(TimeSource time) {
    this.time = time;
  }

  /**
   * Begins to record.
   *
   * @param to the file that {@link #stop} writes; null: none
   * @return false if it records already
   */
  synchronized boolean start(@Nullable Path to) {
    if (events != null) {
      return false;
    }
    events = JsonText.array();
    file = to;
    return true;
  }

  /** Takes down a request that began at {@code from} and has ended now. */
  synchronized void ended(String path, long from) {
    if (events != null) {
      long now = time.nanoTime();
      events
          .addObject()
          .put("ph", "X")
          .put("cat", "request")
          .put("name", path)
          .put("pid", 1)
          .put("tid", 1)
          .put("ts", from / 1e3)
          .put("dur", (now - from) / 1e3);
    }
  }

  /**
   * Ends recording, and writes the file.
   *
   * @return false if it did not record
   */
  synchronized boolean stop() throws IOException {
    ArrayNode recorded = events;
    Path target = file;
    events = null;
    file = null;
    if (recorded == null) {
      return false;
    }
    if (target != null) {
      ObjectNode trace = JsonText.object();
      trace.set("traceEvents", recorded);
      Path parent = target.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(target))) {
        out.write(JsonText.bytes(trace));
      }
    }
    return true;
  }
}
