package dev.loadgen.runner.dispatch;

import dev.loadgen.api.v1alpha1.LoadBalancing;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** Chooses the replica of the next request. Safe for use by many threads. */
public sealed interface Balancer {
  /** The replica that the next request goes to. */
  Replica next();

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
    public Replica next() {
      return replicas.get(Math.floorMod(turn.getAndIncrement(), replicas.size()));
    }
  }

  /** Any, all equally likely. */
  record Random(List<Replica> replicas, RandomGenerator random) implements Balancer {
    @Override
    public Replica next() {
      synchronized (random) {
        return replicas.get(random.nextInt(replicas.size()));
      }
    }
  }

  /** The least busy; the search begins at another replica each time, so that ties go round. */
  record LeastInFlight(List<Replica> replicas, AtomicInteger turn) implements Balancer {
    @Override
    public Replica next() {
      int size = replicas.size();
      int first = Math.floorMod(turn.getAndIncrement(), size);
      Replica least = replicas.get(first);
      for (int step = 1; step < size; step++) {
        Replica candidate = replicas.get((first + step) % size);
        if (candidate.inFlight() < least.inFlight()) {
          least = candidate;
        }
      }
      return least;
    }
  }
}
