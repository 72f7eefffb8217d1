package dev.loadgen.local.faults;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.local.EmbeddedCluster;
import dev.loadgen.local.apiserver.ContainerLogs;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
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
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** An embedded cluster with a {@link ScriptedNode}, whose API server has {@link Lines}. */
final class ScriptedCluster implements AutoCloseable {
  private static final List<Class<? extends HasMetadata>> KINDS =
      List.of(
          BenchmarkRun.class,
          InferenceBackend.class,
          Lease.class,
          PodDisruptionBudget.class,
          StatefulSet.class,
          Service.class,
          Job.class,
          Pod.class,
          ConfigMap.class,
          Secret.class,
          PersistentVolumeClaim.class);

  private final EmbeddedCluster cluster;
  private final Lines lines;
  private final ScriptedNode node;
  private final Map<String, History> histories = new ConcurrentHashMap<>();
  private final List<SharedIndexInformer<? extends HasMetadata>> informers;

  private ScriptedCluster(EmbeddedCluster cluster, Lines lines, ScriptedNode node) {
    this.cluster = cluster;
    this.lines = lines;
    this.node = node;
    this.informers =
        KINDS.stream().<SharedIndexInformer<? extends HasMetadata>>map(this::inform).toList();
  }

  /**
   * Starts a cluster.
   *
   * @param folder for logs
   * @param work how long the test of a runner takes
   */
  static ScriptedCluster start(Path folder, Function<Pod, Duration> work) throws IOException {
    Lines lines = new Lines();
    EmbeddedCluster cluster = EmbeddedCluster.start(Clock.systemUTC(), List.of(lines));
    Path log = ScriptedNode.log(folder);
    cluster.serveLogs(
        (pod, container, previous, since) -> Optional.of(new ContainerLogs.Part(log, 0, null)));
    return new ScriptedCluster(cluster, lines, new ScriptedNode(cluster.client(), folder, work));
  }

  private <T extends HasMetadata> SharedIndexInformer<T> inform(Class<T> kind) {
    return cluster
        .client()
        .resources(kind)
        .inAnyNamespace()
        .inform(
            new ResourceEventHandler<>() {
              @Override
              public void onAdd(T object) {
                seen(object);
              }

              @Override
              public void onUpdate(T before, T object) {
                seen(object);
              }

              @Override
              public void onDelete(T object, boolean unknownFinalState) {
                history(object.getMetadata().getNamespace()).gone(object);
                if (object instanceof Pod pod) {
                  node.gone(pod);
                }
              }
            });
  }

  private void seen(HasMetadata object) {
    history(object.getMetadata().getNamespace()).seen(object);
    if (object instanceof Pod pod) {
      node.seen(pod);
    }
  }

  History history(String namespace) {
    return histories.computeIfAbsent(namespace, made -> new History());
  }

  /** Drops what is known of a namespace that is done with. */
  void forget(String namespace) {
    histories.remove(namespace);
  }

  /** A client that no fault touches. */
  KubernetesClient client() {
    return cluster.client();
  }

  URI url() {
    return cluster.url();
  }

  Lines lines() {
    return lines;
  }

  ScriptedNode node() {
    return node;
  }

  @Override
  public void close() {
    node.close();
    informers.forEach(SharedIndexInformer::close);
    cluster.close();
  }
}
