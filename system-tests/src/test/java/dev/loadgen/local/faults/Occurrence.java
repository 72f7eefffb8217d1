package dev.loadgen.local.faults;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One of a run's calls: the first, second and so on of its kind.
 *
 * @param call verb and object
 */
record Occurrence(String call, int number) implements Comparable<Occurrence> {
  boolean isWrite() {
    return !call.startsWith("get ") && !call.startsWith("list ");
  }

  @Override
  public int compareTo(Occurrence other) {
    int calls = call.compareTo(other.call);
    return calls == 0 ? Integer.compare(number, other.number) : calls;
  }

  @Override
  public String toString() {
    return call + " no. " + number;
  }

  /** Numbers calls as they come; thread-safe. */
  static final class Counter {
    private final Map<ApiCall, Integer> counts = new ConcurrentHashMap<>();

    Occurrence next(ApiCall call) {
      return new Occurrence(call.toString(), counts.merge(call, 1, Integer::sum));
    }
  }
}
