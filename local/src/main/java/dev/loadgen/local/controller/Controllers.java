package dev.loadgen.local.controller;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.List;

/**
 * The controllers that a cluster without kube-controller-manager lacks: StatefulSets, Jobs, claims
 * and garbage collection, for what the operator and its users make of them.
 */
public final class Controllers implements AutoCloseable {
  private final List<Running> running;

  interface Running extends AutoCloseable {
    @Override
    void close();
  }

  private Controllers(List<Running> running) {
    this.running = running;
  }

  /** Starts all of them against one API server. */
  public static Controllers start(KubernetesClient client, Clock clock) {
    return new Controllers(
        List.of(
            new Controller<>(client, StatefulSet.class, new StatefulSets(client)),
            new Controller<>(client, Job.class, new Jobs(client, clock)),
            new ClaimController(client),
            new GarbageCollector(client)));
  }

  @Override
  public void close() {
    for (Running controller : running) {
      controller.close();
    }
  }
}
