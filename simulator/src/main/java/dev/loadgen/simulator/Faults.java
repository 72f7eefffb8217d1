package dev.loadgen.simulator;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the inference requests in order of arrival and says which are struck, by the first fault
 * that applies.
 */
final class Faults {
  /** What is served in place of a model that does not exist. */
  static final String OTHER_MODEL = "another-model";

  private final List<Fault> faults;
  private final long seed;
  private final AtomicLong ordinal = new AtomicLong();

  Faults(List<Fault> faults, long seed) {
    this.faults = List.copyOf(faults);
    this.seed = seed;
  }

  /** Counts a request and returns its fault, if any. */
  Optional<Fault> next() {
    return of(ordinal.incrementAndGet());
  }

  /** Whether the next request would be told that the model does not exist. */
  boolean modelIsGone() {
    return of(ordinal.get() + 1)
        .filter(fault -> fault.kind() == Fault.Kind.WRONG_MODEL)
        .isPresent();
  }

  private Optional<Fault> of(long number) {
    for (int i = 0; i < faults.size(); i++) {
      if (faults.get(i).strikes(number, Hash.mix(Hash.mix(seed, i), number))) {
        return Optional.of(faults.get(i));
      }
    }
    return Optional.empty();
  }

  long requests() {
    return ordinal.get();
  }
}
