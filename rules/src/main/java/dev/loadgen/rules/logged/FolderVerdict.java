package dev.loadgen.rules.logged;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.log.Metric;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of a folder that was to be judged. */
public sealed interface FolderVerdict {
  /** The folder, absolute. */
  Path folder();

  /**
   * It was judged.
   *
   * @param test what was judged
   * @param metric the number by which the scenario is measured; null if the log has none
   * @param claimed whether a Valid verdict rests on what the submission claims of itself
   * @param notes what to know about the judgement, as sentences
   */
  record Judged(
      Path folder,
      Test test,
      Judgement judgement,
      @Nullable Metric metric,
      boolean claimed,
      List<String> notes)
      implements FolderVerdict {
    /** Copies the list. */
    public Judged {
      notes = List.copyOf(notes);
    }
  }

  /**
   * It could not be judged.
   *
   * @param problem why, and what to do
   */
  record Unknown(Path folder, String problem) implements FolderVerdict {}

  /**
   * Nobody asks for it, so that it counts for nothing.
   *
   * @param why as a clause
   */
  record NotAsked(Path folder, String why) implements FolderVerdict {}

  /**
   * Which test it is.
   *
   * @param mode Performance or Accuracy, or the name of the compliance test
   * @param loadGen version of LoadGen; null if the log does not say
   */
  record Test(
      String benchmark, Scenario scenario, String mode, String ruleset, @Nullable String loadGen) {}
}
