package dev.loadgen.local.kubelet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a log file each start of a container has written, and how long the file was when:
 * processes write to it themselves, without times. Thread-safe.
 */
final class ContainerLog {
  private final Path file;
  private final Clock clock;
  private final NavigableMap<Instant, Long> lengths = new TreeMap<>();
  private @Nullable Long previous;
  private @Nullable Long current;

  ContainerLog(Path file, Clock clock) {
    this.file = file;
    this.clock = clock;
  }

  /** The container starts now. */
  synchronized void begin() {
    previous = current;
    current = length();
  }

  /** Remembers how long the file is now; the more often, the finer what is found by a time. */
  synchronized void mark() {
    long length = length();
    if (lengths.isEmpty() || lengths.lastEntry().getValue() != length) {
      lengths.put(clock.instant(), length);
    }
  }

  /** What a start has written, but for what was there before {@code since}. */
  synchronized Optional<LogPart> find(boolean before, @Nullable Instant since) {
    Long start = before ? previous : current;
    if (start == null) {
      return Optional.empty();
    }
    var mark = since == null ? null : lengths.floorEntry(since);
    Long end = before ? current : null;
    long from = mark == null ? start : Math.max(start, mark.getValue());
    return Optional.of(new LogPart(file, end == null ? from : Math.min(from, end), end));
  }

  private long length() {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
