package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Every pod that there ever was in a namespace. */
final class PodLog implements AutoCloseable {
  private final Set<String> servers = ConcurrentHashMap.newKeySet();
  private final Set<String> readers = ConcurrentHashMap.newKeySet();
  private final Map<String, Set<String>> runners = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Pod> informer;

  private PodLog(BenchmarkNamespace bench) {
    informer =
        bench
            .client()
            .pods()
            .inNamespace(bench.name())
            .inform(
                new ResourceEventHandler<>() {
                  @Override
                  public void onAdd(Pod pod) {
                    add(pod);
                  }

                  @Override
                  public void onUpdate(Pod before, Pod pod) {}

                  @Override
                  public void onDelete(Pod pod, boolean unknownFinalState) {}
                });
  }

  /** Begins to look. */
  static PodLog of(BenchmarkNamespace bench) {
    return new PodLog(bench);
  }

  private void add(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    String uid = pod.getMetadata().getUid();
    if ("runner".equals(labels.get("app.kubernetes.io/component"))) {
      runners
          .computeIfAbsent(labels.get("loadgen.dev/epoch"), epoch -> ConcurrentHashMap.newKeySet())
          .add(uid);
    } else if ("reader".equals(labels.get("app.kubernetes.io/component"))) {
      readers.add(uid);
    } else {
      servers.add(uid);
    }
  }

  /** How many runners each epoch had. */
  Map<String, Integer> runners() {
    assertThat(informer.isWatching()).isTrue();
    Map<String, Integer> counts = new TreeMap<>();
    runners.forEach((epoch, pods) -> counts.put(epoch, pods.size()));
    return counts;
  }

  /** How many pods have looked for results. */
  int readers() {
    assertThat(informer.isWatching()).isTrue();
    return readers.size();
  }

  /** How many servers there were. */
  int servers() {
    assertThat(informer.isWatching()).isTrue();
    return servers.size();
  }

  @Override
  public void close() {
    informer.close();
  }
}
