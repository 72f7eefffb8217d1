package dev.loadgen.local.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Acts on the objects of a kind that runs pods whenever one of them or of their pods changes. */
final class Controller<T extends HasMetadata> implements Controllers.Running {
  private final KubernetesClient client;
  private final Class<T> kind;
  private final Reconciler<T> reconciler;
  private final WorkQueue queue;
  private final SharedIndexInformer<T> objects;
  private final SharedIndexInformer<Pod> pods;

  /** What a kind's objects come to. */
  interface Reconciler<T> {
    /**
     * Brings an object that is not being deleted to where its spec wants it.
     *
     * @param pods that it controls
     * @return when to look again without a change; empty: never
     */
    Optional<Duration> reconcile(T object, List<Pod> pods);
  }

  Controller(KubernetesClient client, Class<T> kind, Reconciler<T> reconciler) {
    this.client = client;
    this.kind = kind;
    this.reconciler = reconciler;
    this.queue =
        new WorkQueue(
            HasMetadata.getKind(kind).toLowerCase(Locale.ROOT) + "-controller", this::reconcile);
    this.objects =
        client
            .resources(kind)
            .inAnyNamespace()
            .inform(new Changes<>(object -> queue.add(WorkQueue.Key.of(object))));
    this.pods = client.pods().inAnyNamespace().inform(new Changes<>(this::podChanged));
  }

  private void podChanged(Pod pod) {
    Owners.controllerOf(pod)
        .filter(owner -> owner.getKind().equals(HasMetadata.getKind(kind)))
        .ifPresent(
            owner ->
                queue.add(new WorkQueue.Key(pod.getMetadata().getNamespace(), owner.getName())));
  }

  private void reconcile(WorkQueue.Key key) {
    T object = client.resources(kind).inNamespace(key.namespace()).withName(key.name()).get();
    if (object == null || object.getMetadata().getDeletionTimestamp() != null) {
      return; // its pods are the garbage collector's
    }
    List<Pod> owned =
        client.pods().inNamespace(key.namespace()).list().getItems().stream()
            .filter(pod -> Owners.isControlledBy(pod, object))
            .toList();
    reconciler.reconcile(object, owned).ifPresent(delay -> queue.addAfter(key, delay));
  }

  @Override
  public void close() {
    objects.close();
    pods.close();
    queue.close();
  }
}
