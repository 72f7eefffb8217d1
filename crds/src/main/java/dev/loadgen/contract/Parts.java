package dev.loadgen.contract;

import java.util.Collection;
import java.util.Objects;
import java.util.Optional;

/** Finds the first part that a document lacks. JSON can leave out what no constructor would. */
final class Parts {
  private String lacking;

  /** Names and values, one after the other. */
  void of(String parent, Object... namesAndValues) {
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (namesAndValues[i + 1] == null) {
        add(parent + namesAndValues[i] + ": is missing");
      }
    }
  }

  /** Values that may be missing altogether, but have no gaps. */
  void noNulls(String name, Collection<?> values) {
    if (values != null && values.stream().anyMatch(Objects::isNull)) {
      add(name + ": has an entry that is null; remove it");
    }
  }

  private void add(String problem) {
    if (lacking == null) {
      lacking = problem;
    }
  }

  boolean missing() {
    return lacking != null;
  }

  /** What is wrong with it; empty: nothing. */
  Optional<String> lacking() {
    return Optional.ofNullable(lacking);
  }
}
