package dev.loadgen.rules.logged;

import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.UnreadableLogException;
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
import java.util.Optional;
import java.util.TreeMap;

/**
 * The folders below a root that have the files of a test, of LoadGen or of MLCommons endpoints.
 * Links are not followed, and depth and size of the tree are bounded.
 *
 * @param root absolute
 * @param folders in the order of their paths
 * @param problems folders and files that cannot be judged, and why
 */
public record LoggedFolders(Path root, List<LoggedFolder> folders, Map<Path, String> problems) {
  private static final int DEPTH = 24;

  /** The largest published round has some ten thousand files. */
  private static final int ENTRIES = 500_000;

  private static final String PLAN = "plan.json";
  private static final String SUMMARY = "summary.json";

  /**
   * Looks for them.
   *
   * @throws UnreadableLogException if the root is not a folder, cannot be read, or is too large
   */
  public static LoggedFolders below(Path root) throws UnreadableLogException {
    if (!Files.isDirectory(root)) {
      throw new UnreadableLogException(root + ": is not a folder", null);
    }
    try {
      Visitor visitor = new Visitor();
      Path real = root.toRealPath();
      Files.walkFileTree(real, EnumSet.noneOf(java.nio.file.FileVisitOption.class), DEPTH, visitor);
      if (visitor.entries > ENTRIES) {
        throw new UnreadableLogException(
            root + ": holds more than " + ENTRIES + " files; name a folder further down", null);
      }
      return new LoggedFolders(
          real,
          visitor.found.stream().sorted(Comparator.comparing(LoggedFolder::path)).toList(),
          visitor.problems());
    } catch (IOException e) {
      throw new UnreadableLogException(root + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private static final class Visitor extends SimpleFileVisitor<Path> {
    private final List<LoggedFolder> found = new ArrayList<>();
    private final List<Path> scenarios = new ArrayList<>();
    private final Map<Path, String> unreadable = new TreeMap<>();
    private int entries;

    private Map<Path, String> problems() {
      Map<Path, String> problems = new TreeMap<>(unreadable);
      scenarios.stream()
          .filter(scenario -> found.stream().noneMatch(each -> each.path().startsWith(scenario)))
          .forEach(
              empty ->
                  problems.put(
                      empty,
                      "has no test; the submission checker takes every folder here as a scenario"
                          + " and rejects them all if one has no test"));
      return problems;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      boolean own =
          Files.isRegularFile(folder.resolve(PLAN)) && Files.isRegularFile(folder.resolve(SUMMARY));
      Optional<LoggedFolder> audit = LoggedFolder.ofAudit(folder);
      if (!own && audit.isPresent()) {
        found.add(audit.get());
        return FileVisitResult.SKIP_SUBTREE;
      }
      if (LoggedFolder.isPlaceOfScenario(folder)) {
        scenarios.add(folder);
      }
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
