package dev.loadgen.testreport;

import java.util.List;
import java.util.Set;

/** How far a build goes, by the phases that it is asked for. */
enum Extent {
  /**
   * It ends before integration tests are judged, as {@code mvn test} and {@code mvn package} do.
   */
  UNIT_TESTS("test"),
  /** It runs all tests. */
  ALL_TESTS("verify");

  /** Before {@code verify} nobody judges integration tests, whoever ran them. */
  private static final Set<String> JUDGING = Set.of("verify", "install", "deploy");

  private final String phase;

  Extent(String phase) {
    this.phase = phase;
  }

  /**
   * The extent of a build.
   *
   * @param goals phases and goals of its command line
   */
  static Extent of(List<String> goals) {
    return goals.stream().anyMatch(JUDGING::contains) ? ALL_TESTS : UNIT_TESTS;
  }

  /** Whether a build of this extent ends its tests in a phase. */
  boolean endsIn(String phase) {
    return this.phase.equals(phase);
  }
}
