package dev.loadgen.runner;

import dev.loadgen.contract.RunnerExit;
import dev.loadgen.results.FreeSpace;
import dev.loadgen.results.ResultsSize;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The volume of a results folder, and the failures of a test that it has no room for.
 *
 * @param folder the results folder as messages name it
 * @param space what the volume has left
 */
record ResultsVolume(Path folder, FreeSpace space) {
  /** What helps against a full volume. */
  private static final String MAKE_ROOM =
      "Delete what is not needed there, expand the claim, or give a new run a larger"
          + " spec.results.size or another spec.results.claimName";

  /** Why no more of the test can be kept; empty: more can, as far as anybody can tell. */
  Optional<RunFailedException> usedUp() {
    return space.isUsedUp()
        ? Optional.of(notWritten("the results volume is full", null))
        : Optional.empty();
  }

  /**
   * The failure of a test whose results cannot be kept.
   *
   * @param what could not be written
   */
  RunFailedException notWritten(String what, @Nullable Throwable cause) {
    return new RunFailedException(
        RunnerExit.RESULTS_NOT_WRITTEN,
        "results folder %s: %s; %s. %s, and run the test again"
            .formatted(folder, what, space.describe(), MAKE_ROOM),
        cause);
  }

  /** Fails a test whose results would not fit. */
  void requireRoom(ResultsSize size) throws RunFailedException {
    Optional<String> problem = size.problem(space);
    if (problem.isPresent()) {
      throw new RunFailedException(
          RunnerExit.RESULTS_VOLUME_TOO_SMALL,
          "results folder %s: %s. %s".formatted(folder, problem.get(), MAKE_ROOM));
    }
  }
}
