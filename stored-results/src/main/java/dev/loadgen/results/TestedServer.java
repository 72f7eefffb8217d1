package dev.loadgen.results;

import org.jspecify.annotations.Nullable;

/** A server of a test, as results tell of it. */
public interface TestedServer {
  /** Its position in the plan. */
  int index();

  /** Its name in results. */
  String name();

  /** Why no more requests went to it; null: they did to the end. */
  @Nullable String takenOut();
}
