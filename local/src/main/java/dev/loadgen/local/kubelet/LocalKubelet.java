package dev.loadgen.local.kubelet;

import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node whose containers are processes of this machine. It takes every pod that has no node, gives
 * it a loopback address, runs its containers with their paths and addresses translated, probes
 * them, and reports as the real kubelet does. Knows nothing but the Kubernetes API, so that it
 * works with any API server. Linux only, since it needs all of 127.0.0.0/8 and /proc.
 *
 * <p>No process outlives it: {@link #close} ends them, and so does a guardian process if this JVM
 * is killed.
 */
public final class LocalKubelet implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalKubelet.class);
  private static final String TAG = "LOADGEN_KUBELET";
  private static final Duration LAST_PATIENCE = Duration.ofSeconds(2);

  private final KubernetesClient client;
  private final KubeletSettings settings;
  private final PodAddresses addresses;
  private final Probes probes = new Probes();
  private final String tag = UUID.randomUUID().toString();
  private final Guardian guardian;
  private final Map<String, PodWorker> workers = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Pod> pods;
  private volatile boolean closing;

  private LocalKubelet(KubernetesClient client, KubeletSettings settings) throws IOException {
    this.client = client;
    this.settings = settings;
    Files.createDirectories(settings.stateFolder());
    this.addresses = PodAddresses.claim();
    this.guardian = Guardian.start(TAG, tag);
    this.pods = client.pods().inAnyNamespace().runnableInformer(0);
    pods.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(Pod pod) {
            seen(pod);
          }

          @Override
          public void onUpdate(Pod before, Pod pod) {
            seen(pod);
          }

          @Override
          public void onDelete(Pod pod, boolean unknownFinalState) {
            PodWorker worker = workers.get(pod.getMetadata().getUid());
            if (worker != null) {
              worker.stop(Duration.ZERO);
            }
          }
        });
  }

  /**
   * Starts a node.
   *
   * @throws IOException if this machine has no addresses for pods, or the state folder cannot be
   *     written
   */
  public static LocalKubelet start(KubernetesClient client, KubeletSettings settings)
      throws IOException {
    LocalKubelet kubelet = new LocalKubelet(client, settings);
    kubelet.pods.run();
    return kubelet;
  }

  /**
   * Where the log of a container's present start is, or of the one before; empty if there was none.
   *
   * @param since what was logged before need not be in it; null: all is
   */
  public Optional<LogPart> log(
      String podUid, String container, boolean previous, @Nullable Instant since) {
    PodWorker worker = workers.get(podUid);
    return worker == null ? Optional.empty() : worker.log(container, previous, since);
  }

  private void seen(Pod pod) {
    if (closing) {
      return;
    }
    String uid = pod.getMetadata().getUid();
    String node = Optional.ofNullable(pod.getSpec().getNodeName()).orElse("");
    boolean deleted = pod.getMetadata().getDeletionTimestamp() != null;
    if (node.isEmpty()) {
      if (settings.bindsPods() && !deleted) {
        bind(pod);
      }
    } else if (node.equals(settings.nodeName())) {
      PodWorker worker = workers.get(uid);
      if (worker == null && !isOver(pod)) {
        worker = new PodWorker(client, settings, addresses, probes, Map.of(TAG, tag), pod);
        workers.put(uid, worker);
        var unused = worker.ended().thenRun(() -> workers.remove(uid));
        if (deleted) {
          worker.stop(Duration.ZERO);
        }
        worker.start();
      } else if (worker != null && deleted) {
        worker.stop(
            Duration.ofSeconds(
                Optional.ofNullable(pod.getMetadata().getDeletionGracePeriodSeconds())
                    .orElse(30L)));
      }
    }
  }

  private static boolean isOver(Pod pod) {
    String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
    return "Succeeded".equals(phase) || "Failed".equals(phase);
  }

  /** This machine is the only node, so there is nothing to choose. */
  private void bind(Pod pod) {
    try {
      client
          .bindings()
          .inNamespace(pod.getMetadata().getNamespace())
          .resource(
              new BindingBuilder()
                  .withNewMetadata()
                  .withName(pod.getMetadata().getName())
                  .withNamespace(pod.getMetadata().getNamespace())
                  .endMetadata()
                  .withNewTarget()
                  .withApiVersion("v1")
                  .withKind("Node")
                  .withName(settings.nodeName())
                  .endTarget()
                  .build())
          .create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != 404 && e.getCode() != 409) {
        throw e;
      } // else deleted or bound meanwhile
    }
  }

  /**
   * Ends all pods, each within {@code grace}, and returns when none of their processes is left.
   * Pods are gone from the API server then, too.
   */
  public void stopPods(Duration grace) {
    closing = true;
    List<PodWorker> all = List.copyOf(workers.values());
    all.forEach(worker -> worker.stop(grace));
    CompletableFuture<Void> ends =
        CompletableFuture.allOf(
            all.stream().map(PodWorker::ended).toArray(CompletableFuture<?>[]::new));
    try {
      ends.get(grace.plus(LAST_PATIENCE.multipliedBy(2)).toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("some pods did not end in time; their processes are killed");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    stopPods(Duration.ofSeconds(10));
    pods.close();
    try {
      if (!TaggedProcesses.end(TAG, tag, Duration.ZERO)) {
        LOG.error("processes of pods are left: {}", TaggedProcesses.with(TAG, tag));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    guardian.close();
    probes.close();
    try {
      addresses.close();
    } catch (IOException e) {
      LOG.warn("the lock of the pod addresses cannot be closed", e);
    }
  }
}
