package dev.loadgen.results.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.results.ResultsFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The summary that a run has left in a results volume, which others may write to as well. */
public final class StoredSummary {
  private static final Pattern RUN = Pattern.compile("[-.a-z0-9]{1,253}/[-a-z0-9]{1,63}");

  /** A thousand replicas take a tenth of it. */
  private static final long LONGEST = 8 << 20;

  private StoredSummary() {}

  /** What was found. */
  public sealed interface Found {
    /** The run's own summary, as it was written. */
    record Summary(RunSummary summary) implements Found {}

    /** There is none; {@code why} says what there is instead. */
    record None(String why) implements Found {}
  }

  /**
   * Looks for it.
   *
   * @param root of the results volume
   * @param run the run's folder below it, {@code NAME/UID}
   * @throws UnreadableRunException if there is something that cannot be read, was changed, or is of
   *     another run
   * @throws IOException if it cannot be told whether there is one
   */
  public static Found find(Path root, String run) throws UnreadableRunException, IOException {
    if (!RUN.matcher(run).matches() || run.contains("..")) {
      throw new UnreadableRunException(
          "\"" + run + "\" is not a folder of a run, such as NAME/UID");
    }
    Path folder = root.resolve(run);
    BasicFileAttributes there = attributes(folder);
    if (there == null) {
      Path partial =
          folder.resolveSibling(ResultsFolder.partialName(String.valueOf(folder.getFileName())));
      return new Found.None(
          attributes(partial) == null
              ? "there is no folder " + run
              : "there is no folder %s, but %s, which the runner did not finish"
                  .formatted(run, root.relativize(partial)));
    }
    Path file = folder.resolve(ResultsFolder.SUMMARY);
    if (!there.isDirectory() || !isSmallFile(file)) {
      throw new UnreadableRunException(
          run + " has no file " + ResultsFolder.SUMMARY + " of a usual size");
    }
    if (!isSmallFile(folder.resolve(ResultsFolder.MANIFEST))) {
      throw new UnreadableRunException(
          run + " has no file " + ResultsFolder.MANIFEST + " of a usual size");
    }
    PublishedFiles.verify(folder, List.of(ResultsFolder.SUMMARY));
    return new Found.Summary(read(file, run));
  }

  private static RunSummary read(Path file, String run) throws UnreadableRunException, IOException {
    @Nullable RunSummary summary; // null is JSON, too
    try {
      summary = ContractJson.readSummary(Files.readString(file), new ArrayList<>());
    } catch (JsonProcessingException e) {
      throw new UnreadableRunException(
          run + "/" + ResultsFolder.SUMMARY + " cannot be understood: " + JsonWords.of(e), e);
    }
    if (summary == null) {
      throw new UnreadableRunException(run + "/" + ResultsFolder.SUMMARY + " holds nothing");
    }
    if (!run.equals(summary.resultsPath())) {
      throw new UnreadableRunException(
          run + "/" + ResultsFolder.SUMMARY + " is of " + summary.resultsPath());
    }
    return summary;
  }

  private static boolean isSmallFile(Path file) throws IOException {
    BasicFileAttributes there = attributes(file);
    return there != null && there.isRegularFile() && there.size() <= LONGEST;
  }

  /** Of a path itself, not of what it links to; null: there is nothing. */
  private static @Nullable BasicFileAttributes attributes(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException none) {
      return null;
    }
  }
}
