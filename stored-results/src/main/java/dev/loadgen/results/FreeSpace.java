package dev.loadgen.results;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What the volume of a results folder has left. Some volumes do not tell, or tell 0, such as those
 * of a quota: that is unknown until they have told more. Thread-safe.
 */
public final class FreeSpace {
  /** With less than this a write of LoadGen may be lost, and the results of few tests fit. */
  static final long LEAST = 1 << 20;

  /** Tells a number of bytes. */
  @FunctionalInterface
  interface Bytes {
    long get() throws IOException;
  }

  private final @Nullable Bytes usable;
  private final @Nullable Bytes total;
  private @Nullable Long last;
  private @Nullable Long lowest;

  FreeSpace(@Nullable Bytes usable, @Nullable Bytes total) {
    this.usable = usable;
    this.total = total;
  }

  /** That of the volume which holds a folder. */
  public static FreeSpace of(Path folder) {
    try {
      FileStore volume = Files.getFileStore(folder);
      return new FreeSpace(volume::getUsableSpace, volume::getTotalSpace);
    } catch (IOException | SecurityException e) {
      // Of no mount that the system lists.
      return new FreeSpace(null, null);
    }
  }

  /** Bytes that can be written now; empty: nobody can tell. */
  public synchronized OptionalLong now() {
    long bytes = ask(usable);
    last = bytes > 0 ? Long.valueOf(bytes) : bytes == 0 && lowest != null ? Long.valueOf(0) : null;
    if (last != null && (lowest == null || last < lowest)) {
      lowest = last;
    }
    return last == null ? OptionalLong.empty() : OptionalLong.of(last);
  }

  /** Whether next to nothing can be written any more; false as well where nobody can tell. */
  public boolean isUsedUp() {
    OptionalLong bytes = now();
    return bytes.isPresent() && bytes.getAsLong() < LEAST;
  }

  /** What there is and was, for people. */
  public synchronized String describe() {
    OptionalLong bytes = now();
    if (bytes.isEmpty() || lowest == null) {
      return "the free space of its volume is not known";
    }
    long all = ask(total);
    return "its volume has "
        + mebibytes(bytes.getAsLong())
        + (all > 0 ? " of " + mebibytes(all) : "")
        + " free, and had "
        + mebibytes(lowest)
        + " at the least";
  }

  /** A number of bytes for people. */
  public static String mebibytes(long bytes) {
    return bytes / (1 << 20) + " MiB";
  }

  private static long ask(@Nullable Bytes bytes) {
    try {
      return bytes == null ? -1 : bytes.get();
    } catch (IOException e) {
      return -1; // a volume that is away for a while is not full
    }
  }
}
