package dev.loadgen.local.apiserver;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who knows where the logs of containers are: on a real node, its kubelet. */
@FunctionalInterface
public interface ContainerLogs {
  /**
   * A part of a file.
   *
   * @param from its first byte
   * @param to the byte after its last; null: as far as the file goes
   */
  record Part(Path file, long from, @Nullable Long to) {}

  /**
   * The log of a container's present start, or of the one before.
   *
   * @param podUid of the pod
   * @param since what was logged before is of no concern; null: everything is
   * @return empty if there was no such start
   */
  Optional<Part> find(String podUid, String container, boolean previous, @Nullable Instant since);
}
