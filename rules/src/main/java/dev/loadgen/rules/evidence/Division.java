package dev.loadgen.rules.evidence;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The divisions of a round's submissions, which differ in what is asked of a test. */
public enum Division {
  /** All rules hold. */
  CLOSED,
  /** As closed; LoadGen and the system under test are connected by a network, and say so. */
  NETWORK,
  /** Any model: no bounds on scores, no compliance tests, no required scenarios. */
  OPEN;

  /** The division whose submissions lie in a folder of this name; empty if none do. */
  public static Optional<Division> ofFolder(String name) {
    return Arrays.stream(values())
        .filter(division -> division.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst();
  }
}
