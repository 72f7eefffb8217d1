package dev.loadgen.runner.dispatch;

import dev.loadgen.contract.LoadBalancing;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the replica of the next request among those that are not {@linkplain Replica#takenOut
 * taken out}. Safe for use by many threads.
 */
public sealed interface Balancer {
  /** The replica that the next request goes to; null: all were taken out. */
  @Nullable Replica next();

  /**
   * A balancer over {@code replicas}, of which there is at least one.
   *
   * @param random used by {@link LoadBalancing#Random} alone, under a lock
   */
  static Balancer of(LoadBalancing strategy, List<Replica> replicas, RandomGenerator random) {
    if (replicas.isEmpty()) {
      throw new IllegalArgumentException("no replicas");
    }
    return switch (strategy) {
      case RoundRobin -> new RoundRobin(replicas, new AtomicInteger());
      case Random -> new Random(replicas, random);
      case LeastInFlight -> new LeastInFlight(replicas, new AtomicInteger());
    };
  }

  /** One after the other. */
  record RoundRobin(List<Replica> replicas, AtomicInteger turn) implements Balancer {
    @Override
    public @Nullable Replica next() {
      for (int tried = 0; tried < replicas.size(); tried++) {
        Replica replica = replicas.get(Math.floorMod(turn.getAndIncrement(), replicas.size()));
        if (replica.takenOut() == null) {
          return replica;
        }
      }
      return null;
    }
  }

  /** Any, all equally likely. */
  record Random(List<Replica> replicas, RandomGenerator random) implements Balancer {
    @Override
    public @Nullable Replica next() {
      Replica replica = any(replicas);
      if (replica.takenOut() == null) {
        return replica;
      }
      List<Replica> left = replicas.stream().filter(r -> r.takenOut() == null).toList();
      return left.isEmpty() ? null : any(left);
    }

    private Replica any(List<Replica> of) {
      synchronized (random) {
        return of.get(random.nextInt(of.size()));
      }
    }
  }

  /** The least busy; the search begins at another replica each time, so that ties go round. */
  record LeastInFlight(List<Replica> replicas, AtomicInteger turn) implements Balancer {
    @Override
    public @Nullable Replica next() {
      int size = replicas.size();
      // Turns of replicas that are gone are passed over first: else the next one would have them.
      int first = Math.floorMod(turn.getAndIncrement(), size);
      for (int tried = 1; tried < size && replicas.get(first).takenOut() != null; tried++) {
        first = Math.floorMod(turn.getAndIncrement(), size);
      }
      Replica least = null;
      for (int step = 0; step < size; step++) {
        Replica candidate = replicas.get((first + step) % size);
        if (candidate.takenOut() == null
            && (least == null || candidate.inFlight() < least.inFlight())) {
          least = candidate;
        }
      }
      return least;
    }
  }
}
