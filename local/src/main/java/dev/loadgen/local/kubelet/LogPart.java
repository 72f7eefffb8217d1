package dev.loadgen.local.kubelet;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the log of a container is.
 *
 * @param from its first byte in the file
 * @param to the byte after its last; null: as far as the file goes
 */
public record LogPart(Path file, long from, @Nullable Long to) {}
