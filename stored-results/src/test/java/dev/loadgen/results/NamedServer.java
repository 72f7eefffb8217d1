package dev.loadgen.results;

import org.jspecify.annotations.Nullable;

/** A server that was in the test to its end. */
public record NamedServer(int index, String name) implements TestedServer {
  @Override
  public @Nullable String takenOut() {
    return null;
  }
}
