package dev.loadgen.local.controller;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Deletes an object when all its owners are gone, in the background. An owner counts as gone when
 * the API server has no object of its uid, so that an object made for an owner that was deleted
 * meanwhile goes, too.
 */
final class GarbageCollector implements Controllers.Running {
  private static final List<Class<? extends HasMetadata>> KINDS =
      List.of(
          BenchmarkRun.class,
          InferenceBackend.class,
          StatefulSet.class,
          Job.class,
          Pod.class,
          Service.class,
          ConfigMap.class,
          Secret.class,
          PersistentVolumeClaim.class,
          Lease.class,
          PodDisruptionBudget.class);

  private final KubernetesClient client;
  private final Map<WorkQueue.Key, Candidate> candidates = new ConcurrentHashMap<>();
  private final Map<String, Class<? extends HasMetadata>> byKind =
      KINDS.stream().collect(Collectors.toMap(HasMetadata::getKind, Function.identity()));
  private final WorkQueue queue = new WorkQueue("garbage-collector", this::collect);
  private final List<SharedIndexInformer<? extends HasMetadata>> informers;

  private record Candidate(Class<? extends HasMetadata> kind, String name, Set<String> ownerUids) {}

  GarbageCollector(KubernetesClient client) {
    this.client = client;
    this.informers =
        KINDS.stream().<SharedIndexInformer<? extends HasMetadata>>map(this::inform).toList();
    // What was seen before the last informer had its objects is looked at once more.
    Set.copyOf(candidates.keySet()).forEach(queue::add);
  }

  private <T extends HasMetadata> SharedIndexInformer<T> inform(Class<T> kind) {
    return client
        .resources(kind)
        .inAnyNamespace()
        .inform(
            new ResourceEventHandler<>() {
              @Override
              public void onAdd(T object) {
                seen(kind, object);
              }

              @Override
              public void onUpdate(T before, T object) {
                seen(kind, object);
              }

              @Override
              public void onDelete(T object, boolean unknownFinalState) {
                candidates.remove(key(kind, object));
                String uid = object.getMetadata().getUid();
                candidates.forEach(
                    (key, candidate) -> {
                      if (candidate.ownerUids().contains(uid)) {
                        queue.add(key);
                      }
                    });
              }
            });
  }

  private void seen(Class<? extends HasMetadata> kind, HasMetadata object) {
    List<OwnerReference> owners = object.getMetadata().getOwnerReferences();
    if (owners.isEmpty()) {
      return;
    }
    Candidate candidate =
        new Candidate(
            kind,
            object.getMetadata().getName(),
            owners.stream().map(OwnerReference::getUid).collect(Collectors.toSet()));
    if (!candidate.equals(candidates.put(key(kind, object), candidate))) {
      queue.add(key(kind, object));
    }
  }

  private static WorkQueue.Key key(Class<? extends HasMetadata> kind, HasMetadata object) {
    return new WorkQueue.Key(
        object.getMetadata().getNamespace(),
        kind.getSimpleName() + "/" + object.getMetadata().getName());
  }

  private void collect(WorkQueue.Key key) {
    Candidate candidate = candidates.get(key);
    if (candidate == null) {
      return;
    }
    HasMetadata object =
        client
            .resources(candidate.kind())
            .inNamespace(key.namespace())
            .withName(candidate.name())
            .get();
    if (object == null) {
      candidates.remove(key);
      return;
    }
    List<OwnerReference> owners = object.getMetadata().getOwnerReferences();
    if (!owners.isEmpty()
        && object.getMetadata().getDeletionTimestamp() == null
        && owners.stream().noneMatch(owner -> exists(key.namespace(), owner))) {
      client.resource(object).delete();
    }
  }

  private boolean exists(String namespace, OwnerReference owner) {
    Class<? extends HasMetadata> kind = byKind.get(owner.getKind());
    if (kind == null) {
      return true; // of a kind that nobody watches here: left alone
    }
    return Optional.ofNullable(
            client.resources(kind).inNamespace(namespace).withName(owner.getName()).get())
        .filter(found -> owner.getUid().equals(found.getMetadata().getUid()))
        .isPresent();
  }

  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::close);
    queue.close();
  }
}
