package dev.loadgen.rules.logged;

import dev.loadgen.rules.DetailLog;
import dev.loadgen.rules.UnreadableLogException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The folders below a root that LoadGen, or MLCommons endpoints, wrote into. Links are not
 * followed, and depth and size of the tree are bounded.
 *
 * @param folders in the order of their paths
 * @param unreadable what could not be looked into, and why
 */
public record LoggedFolders(List<LoggedFolder> folders, Map<Path, String> unreadable) {
  private static final int DEPTH = 24;

  /** The largest published round has some ten thousand files. */
  private static final int ENTRIES = 500_000;

  private static final String PLAN = "plan.json";
  private static final String SUMMARY = "summary.json";

  /**
   * Looks for them.
   *
   * @throws UnreadableLogException if the root is no folder, cannot be read, or is too large
   */
  public static LoggedFolders below(Path root) throws UnreadableLogException {
    if (!Files.isDirectory(root)) {
      throw new UnreadableLogException(root + ": is no folder", null);
    }
    try {
      Visitor visitor = new Visitor();
      Files.walkFileTree(
          root.toRealPath(), EnumSet.noneOf(java.nio.file.FileVisitOption.class), DEPTH, visitor);
      if (visitor.entries > ENTRIES) {
        throw new UnreadableLogException(
            root + ": holds more than " + ENTRIES + " files; name a folder further down", null);
      }
      return new LoggedFolders(
          visitor.found.stream().sorted(Comparator.comparing(LoggedFolder::path)).toList(),
          visitor.unreadable);
    } catch (IOException e) {
      throw new UnreadableLogException(root + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private static final class Visitor extends SimpleFileVisitor<Path> {
    private final List<LoggedFolder> found = new ArrayList<>();
    private final Map<Path, String> unreadable = new TreeMap<>();
    private int entries;

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      boolean own =
          Files.isRegularFile(folder.resolve(PLAN)) && Files.isRegularFile(folder.resolve(SUMMARY));
      if (own || Files.exists(folder.resolve(DetailLog.FILE_NAME))) {
        found.add(LoggedFolder.at(folder, own));
      } else {
        LoggedFolder.ofEndpoints(folder).ifPresent(found::add);
      }
      return own ? FileVisitResult.SKIP_SUBTREE : counted();
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      return counted();
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      unreadable.put(file, "cannot be read: " + e);
      return counted();
    }

    private FileVisitResult counted() {
      entries++;
      return entries > ENTRIES ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
    }
  }
}
